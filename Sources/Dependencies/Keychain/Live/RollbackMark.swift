/// Identifies the last verified file of a keychain, so that an older or different file is detected.
package struct RollbackMark: Sendable, Equatable, Codable {
  /// The key id: 16 bytes, generated together with the data key.
  package var keyID: [UInt8]
  /// The number of saves.
  package var generation: UInt64
  /// The header's MAC, 32 bytes. It distinguishes two files of the same generation.
  package var mac: [UInt8]
  /// The key id that a running rekey will set.
  package var successor: [UInt8]?
  /// The time when the file was written, in microseconds since 1970, or `nil` if unknown. For
  /// display only.
  package var written: Int64?

  /// Creates a mark from stored values. Does not check lengths.
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

  /// The part of the mark that is shown to users.
  var version: KeychainAcceptance.Version {
    KeychainAcceptance.Version(generation: generation, written: written)
  }

  /// The relation of a file to a mark.
  enum Relation: Equatable {
    /// The file of the mark.
    case same
    /// A later save with the same key.
    case newer
    /// A file with the key that a rekey of the mark's file has set.
    case successor
    /// A file with another key.
    case different
    /// An earlier save with the same key, or another file of the same generation.
    case older
  }

  /// Returns the relation of a verified file to this mark.
  func relation(of found: RollbackMark) -> Relation {
    guard KeychainCrypto.equal(found.keyID, keyID) else {
      guard let successor, KeychainCrypto.equal(found.keyID, successor) else { return .different }
      return .successor
    }
    if found.generation > generation { return .newer }
    if found.generation < generation { return .older }
    return KeychainCrypto.equal(found.mac, mac) ? .same : .older
  }
}

/// A store for one mark per keychain path, outside the keychain's file.
///
/// It is called on the keychain's own thread, so it may block. If it throws, the store is
/// unavailable: the keychain continues, and its status says that rollback was not checked.
package protocol RollbackMarkStore: Sendable {
  /// Returns the mark, or `nil` if there is none yet.
  func mark(forKeychainAt path: String) throws -> RollbackMark?
  /// Returns the mark without changing or creating any file of the store.
  func look(forKeychainAt path: String) throws -> RollbackMark?
  /// Sets the mark in one transaction that never lowers it. If the key id is the recorded one, the
  /// generation must be higher. If it is the recorded successor, any generation is accepted. If
  /// there is no mark, it is set.
  func raise(_ mark: RollbackMark, forKeychainAt path: String) throws
  /// Sets the mark unconditionally, because a keychain was created or the user accepted another
  /// one.
  func replace(_ mark: RollbackMark, forKeychainAt path: String) throws
  /// Closes the store. A later call opens it again.
  func closeStore()
}

extension RollbackMarkStore {
  /// Returns the mark, for a store whose reading changes nothing.
  package func look(forKeychainAt path: String) throws -> RollbackMark? {
    try mark(forKeychainAt: path)
  }

  /// Does nothing: the store has nothing to close.
  package func closeStore() {}
}
