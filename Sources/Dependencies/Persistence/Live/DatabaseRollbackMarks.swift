/// The keychain's rollback marks live in the main database.
extension DatabaseKeychainMarks: RollbackMarkStore {
  /// The mark that is kept for this file.
  ///
  /// - Throws: `PersistenceError` where the database cannot be read.
  public func mark(forKeychainAt path: String) throws -> RollbackMark? {
    try mark(at: path).map { stored in
      RollbackMark(
        keyID: stored.keyID, generation: stored.generation, mac: stored.headerMAC,
        successor: stored.successorKeyID, written: stored.written)
    }
  }

  /// Sets the mark unless a newer one of the same keychain is there.
  ///
  /// - Throws: `PersistenceError`; the mark is on the disk when it does not.
  public func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try raise(StoredKeychainMark(mark), at: path)
  }

  /// Sets the mark whatever is there.
  ///
  /// - Throws: `PersistenceError`; the mark is on the disk when it does not.
  public func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try replace(StoredKeychainMark(mark), at: path)
  }

  /// Closes the connection. What fails then is not said: marks are on the disk when they are set.
  public func closeStore() {
    // A mark is on the disk when it is set; a connection that does not close loses nothing.
    try? close()
  }
}

extension StoredKeychainMark {
  fileprivate init(_ mark: RollbackMark) {
    self.init(
      keyID: mark.keyID, generation: mark.generation, headerMAC: mark.mac,
      successorKeyID: mark.successor, written: mark.written)
  }
}
