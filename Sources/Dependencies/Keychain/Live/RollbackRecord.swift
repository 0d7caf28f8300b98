/// The marks of a keychain: that of this process, and that of the store.
struct RollbackRecord {
  /// A problem with the store.
  enum Problem {
    case unreadable
    /// Another process uses the store.
    case busy
    case unwritable
  }

  /// The reason to refuse a file: the mark that proves it, and the relation of the file to it,
  /// which is `older` or `different`.
  struct Objection {
    var mark: RollbackMark
    var relation: RollbackMark.Relation
  }

  /// The marks across processes, or `nil` to keep none.
  let store: (any RollbackMarkStore)?
  /// The mark of the last verified file. It survives locking, so that an older file is detected for
  /// the life of the process.
  var remembered: RollbackMark?
  /// The last problem with the store, or `nil` if there is none.
  private(set) var problem: Problem?

  init(_ store: (any RollbackMarkStore)?) { self.store = store }

  /// Returns the mark of the store.
  ///
  /// - Parameters:
  ///   - path: The path of the keychain, or `nil` if it cannot be determined.
  ///   - onlyLooks: Whether the store must not change or create a file.
  mutating func stored(at path: String?, onlyLooks: Bool = false) -> RollbackMark? {
    guard let store, let path else { return nil }
    do {
      let mark =
        onlyLooks ? try store.look(forKeychainAt: path) : try store.mark(forKeychainAt: path)
      if problem != .unwritable { problem = nil }
      return mark
    } catch {
      problem = (error as? PersistenceError)?.kind == .busy ? .busy : .unreadable
      return nil
    }
  }

  /// Returns the reason to refuse a file, or `nil` if there is none.
  mutating func objection(to found: RollbackMark, at path: String?) -> Objection? {
    let stored = stored(at: path)
    if let stored {
      let relation = stored.relation(of: found)
      switch relation {
      case .older, .different: return Objection(mark: stored, relation: relation)
      case .same, .newer, .successor: break
      }
    }
    guard let remembered else { return nil }
    let relation = remembered.relation(of: found)
    switch relation {
    case .older: return Objection(mark: remembered, relation: relation)
    // After another process's rekey, only the stored mark tells whether the new key comes from it.
    case .different:
      return stored == nil ? Objection(mark: remembered, relation: relation) : nil
    case .same, .newer, .successor: return nil
    }
  }

  /// Sets the mark of a verified file, in the store only if that does not lower it.
  mutating func remember(_ mark: RollbackMark, at path: String?) {
    remembered = mark
    guard let store, let path else { return }
    do {
      try store.raise(mark, forKeychainAt: path)
      problem = nil
    } catch {
      // Where nothing can be written, the mark may be there already, or that of a later save.
      switch stored(at: path)?.relation(of: mark) {
      case .newer, .successor, nil: problem = problem ?? .unwritable
      case .same, .older, .different: break
      }
    }
  }

  /// Sets the mark of a new file.
  mutating func replace(with mark: RollbackMark, at path: String?) {
    remembered = mark
    guard let store, let path else { return }
    do {
      try store.replace(mark, forKeychainAt: path)
      problem = nil
    } catch {
      problem = .unwritable
    }
  }
}
