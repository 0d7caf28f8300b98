import SwiftBoardSystem

/// A service for named secrets.
///
/// `docs/adr/003` specifies the first three requirements. They are non-mutating, because a
/// `mutating` call through a copied struct would lose the write.
///
/// Keys are 1…1024 bytes of UTF-8 and are compared byte by byte. Values are 0…1 048 576 bytes. If
/// the implementation has an unlock source, every call may unlock the keychain. Otherwise, a locked
/// keychain throws `.locked`.
public protocol KeychainService: Service {
  /// Inserts or replaces an entry. The change is durable on return.
  func save(_ data: Data, forKey key: String) async throws(KeychainError)
  /// Returns the value of a key, or `nil` only if the key is absent.
  func load(forKey key: String) async throws(KeychainError) -> Data?
  /// Removes an entry, if it exists.
  func delete(forKey key: String) async throws(KeychainError)
  /// Renames an entry in one save. Throws `.missingKey` or `.duplicateKey`.
  func rename(_ key: String, to newKey: String) async throws(KeychainError)
  /// Returns all keys in byte order.
  func keys() async throws(KeychainError) -> [String]

  /// Creates a new, empty keychain. Never replaces an existing one (`.exists`). If `secret` is
  /// `nil`, uses the unlock source.
  func create(with secret: KeychainSecret?) async throws(KeychainError)
  /// Unlocks the keychain. If `secret` is `nil`, uses the unlock source.
  func unlock(with secret: KeychainSecret?) async throws(KeychainError)
  /// Locks the keychain and immediately frees its keys and entries. Does nothing if it is locked.
  func lock() async
  /// Returns the status without a secret. It is marked as unverified unless the keychain is
  /// unlocked.
  func status() async throws(KeychainError) -> KeychainStatus
  /// Reads and verifies the whole file, even if it was verified before. Uses the keys if the
  /// keychain is unlocked, and otherwise verifies what is possible without a secret. Throws
  /// `.missing` if there is no keychain.
  func verify() async throws(KeychainError) -> KeychainStatus
  /// Reads another keychain file, such as an export, and verifies what is possible without a
  /// secret. Throws `.missing` if there is no file.
  func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus
  /// Opens and remembers the current keychain file, even if it is older than the last one seen or
  /// another keychain, which every other call refuses. If `secret` is `nil`, uses the current keys
  /// or the unlock source.
  func accept(with secret: KeychainSecret?) async throws(KeychainError) -> KeychainAcceptance
  /// Reads a secret from a source given by the user. As for unlock sources, a file must be regular,
  /// belong to this user or root, and be inaccessible to others. The errors are the same.
  func secret(from source: KeychainSecretSource) async throws(KeychainError) -> KeychainSecret
  /// Adds a slot, up to eight in all. Throws `.duplicateKey` if a slot already has the secret, and
  /// `.limitExceeded` if no slot is free.
  func addSlot(_ secret: KeychainSecret) async throws(KeychainError)
  /// Generates a new data key and changes the secrets of the slots. Throws `.slotSecretNeeded` with
  /// the slot whose secret is missing, `.wrongSecret` for a secret that opens no slot,
  /// `.duplicateKey` if the replacement is that of another slot, and `.limitExceeded` if no slot
  /// would remain. On error, nothing is changed.
  func rekey(_ change: KeychainRekey) async throws(KeychainError)
  /// Writes all entries into a new keychain file that `secret` opens. Never replaces an existing
  /// file (`.exists`). Returns the number of entries.
  func export(to path: String, secret: KeychainSecret) async throws(KeychainError) -> Int
  /// Imports the entries of another keychain file in one save, all or none. Does not change the
  /// other file. Throws `.duplicateKey` if names exist and `existing` is `refuse`.
  func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport
  /// Locks the keychain if no call has used its entries for `duration`.
  func lock(unusedFor duration: Duration) async -> IdleLockResult

  /// Returns a one-line warning for the user about the opened file, for example that others can
  /// read it. Returns `nil` if there is none or it was returned before. Does not open the file.
  func takeWarning() async -> String?

  /// Reads the file of an unlocked keychain again if another process has saved it. Does nothing
  /// while locked. The next call that needs the entries throws its error.
  func refresh() async

  /// Does the same, but does not wait for another call, which may itself wait for another process
  /// or for the person at the terminal. Every line calls this, also the one that cancels that call.
  ///
  /// - Returns: Whether it has looked.
  func refreshUnlessBusy() async -> Bool

  /// Calls `body` with every entry of an unlocked keychain, as last verified. Does not unlock the
  /// keychain or read the file. Does nothing if `revision` is still the current one. The bytes are
  /// only valid during the call.
  ///
  /// - Returns: The revision that was visited, for the next call, or `nil` while locked.
  func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision?
}

extension KeychainService {
  /// Does nothing, because no other process changes the keychain.
  public func refresh() async {}

  /// Calls `refresh()`.
  public func refreshUnlessBusy() async -> Bool {
    await refresh()
    return true
  }
}
