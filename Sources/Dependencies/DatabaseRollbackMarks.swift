/// The keychain's rollback marks live in the main database.
extension DatabaseKeychainMarks: RollbackMarkStore {
  public func mark(forKeychainAt path: String) throws -> RollbackMark? {
    try mark(at: path).map { stored in
      RollbackMark(
        keyID: stored.keyID, generation: stored.generation, mac: stored.headerMAC,
        successor: stored.successorKeyID)
    }
  }

  public func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try raise(StoredKeychainMark(mark), at: path)
  }

  public func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try replace(StoredKeychainMark(mark), at: path)
  }

  public func closeStore() {
    // A mark is on the disk when it is set; a connection that does not close loses nothing.
    try? close()
  }
}

extension StoredKeychainMark {
  fileprivate init(_ mark: RollbackMark) {
    self.init(
      keyID: mark.keyID, generation: mark.generation, headerMAC: mark.mac,
      successorKeyID: mark.successor)
  }
}
