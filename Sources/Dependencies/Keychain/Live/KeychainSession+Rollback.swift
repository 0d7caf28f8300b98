/// The detection of older copies and other keychains, and their acceptance.
extension KeychainSession {
  /// Step 14 after `read`. If another save replaced the file in between, it is read again.
  func verified(
    in folder: KeychainFile.Folder? = nil, _ read: () throws(KeychainError) -> Unlocked
  ) throws(KeychainError) -> Unlocked {
    // Reading takes a millisecond, and saves in a row some more each.
    for _ in 0..<100 {
      let candidate = try read()
      guard let objection = rollback.objection(to: candidate.mark, at: markedPath) else {
        remember(candidate.mark)
        adopt(candidate)
        return candidate
      }
      guard let now = try file.info(in: folder), now != candidate.held?.info else {
        throw objection.relation == .older ? .rolledBack : .differentKeychain
      }
    }
    throw KeychainError(
      .changedUnderneath,
      message: "the keychain was replaced again and again while it was read. Try again.")
  }

  /// The path under which marks are stored, or `nil` if none are.
  var markedPath: String? { rollback.store == nil ? nil : try? file.source().path }

  func remember(_ mark: RollbackMark) { rollback.remember(mark, at: markedPath) }

  func replaceMark(_ mark: RollbackMark) { rollback.replace(with: mark, at: markedPath) }

  /// Opens and remembers the current file, even if it is otherwise refused. An older copy is saved
  /// immediately with a generation above both, so that it becomes newer than the newer file. For
  /// another keychain, only the mark is set.
  func accept(with secret: KeychainSecret?) throws(KeychainError) -> KeychainAcceptance {
    var secret = secret
    var opened: Unlocked?
    if secret == nil, let keys = unlocked?.keys { opened = try self.opened(with: keys) }
    let candidate: Unlocked
    if let opened { candidate = opened } else { candidate = try self.opened(with: &secret) }
    let found = candidate.mark
    guard let objection = rollback.objection(to: found, at: markedPath) else {
      let last = rollback.stored(at: markedPath) ?? rollback.remembered
      guard rollback.problem != .busy else {
        throw KeychainError(
          .io,
          message: "the keychain was not accepted, since another process keeps the record of the "
            + "last save locked. Try again.")
      }
      guard rollback.problem != .unreadable else {
        throw KeychainError(
          .io,
          message: "the keychain was not accepted, since the record of the last save cannot be "
            + "read, so that it is not known what was seen here before. Mend the database first.")
      }
      remember(found)
      adopt(candidate)
      return KeychainAcceptance(
        reason: .known, remembered: last?.version, found: found.version,
        generation: found.generation)
    }
    let isOlder = objection.relation == .older
    if isOlder {
      try saveAnew(candidate, above: max(found.generation, objection.mark.generation))
    } else {
      try setMark(found)
      adopt(candidate)
    }
    return KeychainAcceptance(
      reason: isOlder ? .rolledBack : .replaced, remembered: objection.mark.version,
      found: found.version, generation: unlocked?.header.generation ?? found.generation)
  }

  /// Replaces the mark. If it throws, the remembered mark is unchanged.
  private func setMark(_ mark: RollbackMark) throws(KeychainError) {
    try storeMark(mark) {
      "the keychain was not accepted, since the record of it cannot be written: \($0)"
    }
    rollback.remembered = mark
  }

  /// Stores a mark in place of the previous one, if marks are stored.
  ///
  /// - Parameter message: Returns what was not done, for the error if the mark cannot be written.
  func storeMark(
    _ mark: RollbackMark, message: (any Error) -> String
  ) throws(KeychainError) {
    guard let store = rollback.store else { return }
    let path = try file.source().path
    do { try store.replace(mark, forKeychainAt: path) } catch {
      throw KeychainError(.io, message: message(error))
    }
  }
}
