/// What is remembered of a keychain's last verified file, so that an older or another file is
/// noticed.
package struct RollbackMark: Sendable, Equatable, Codable {
  /// 16 bytes, drawn together with the data key.
  package var keyID: [UInt8]
  /// Counts the saves.
  package var generation: UInt64
  /// The header's MAC, 32 bytes: distinguishes two files of one generation.
  package var mac: [UInt8]
  /// The key id that a rekey under way is about to give.
  package var successor: [UInt8]?
  /// When the file was written, microseconds since 1970; `nil` if that is not known. Only to be
  /// shown.
  package var written: Int64?

  /// A mark as a store of marks keeps it; lengths are not checked.
  package init(
    keyID: [UInt8], generation: UInt64, mac: [UInt8], successor: [UInt8]? = nil,
    written: Int64? = nil
  ) {
    self.keyID = keyID
    self.generation = generation
    self.mac = mac
    self.successor = successor
    self.written = written
  }

  init(_ header: KeychainHeader, written: Int64? = nil) {
    self.init(
      keyID: header.keyID, generation: header.generation, mac: header.mac, written: written)
  }

  /// The part that is shown to people.
  var version: KeychainAcceptance.Version {
    KeychainAcceptance.Version(generation: generation, written: written)
  }

  /// What a verified file is to this mark.
  enum Verdict: Equatable {
    case same, newer, successor, different, older
  }

  func judge(_ found: RollbackMark) -> Verdict {
    guard KeychainCrypto.equal(found.keyID, keyID) else {
      guard let successor, KeychainCrypto.equal(found.keyID, successor) else { return .different }
      return .successor
    }
    if found.generation > generation { return .newer }
    if found.generation < generation { return .older }
    return KeychainCrypto.equal(found.mac, mac) ? .same : .older
  }
}

/// Keeps one mark for each keychain location, outside the keychain's file.
///
/// Called on the keychain's own thread, so it may block. A throw means that the store is
/// unavailable: the keychain continues, and its status says that rollback was not checked.
package protocol RollbackMarkStore: Sendable {
  /// The mark, or `nil` if there is none yet.
  func mark(forKeychainAt path: String) throws -> RollbackMark?
  /// Sets the mark in one transaction that never lowers it: with the recorded key id only a higher
  /// generation, with the recorded successor any. Without a mark, `mark` becomes it.
  func raise(_ mark: RollbackMark, forKeychainAt path: String) throws
  /// Sets the mark whatever was there: a new keychain was created, or the user accepted another
  /// one.
  func replace(_ mark: RollbackMark, forKeychainAt path: String) throws
  /// Closes what is open; a later call opens it again.
  func closeStore()
}

extension RollbackMarkStore {
  /// Nothing is open.
  package func closeStore() {}
}
