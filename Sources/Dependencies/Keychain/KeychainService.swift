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
  /// the slot whose secret is missing, `.wrongSecret` for a secret that opens no slot, and
  /// `.limitExceeded` if no slot would remain. On error, nothing is changed.
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
  func lock(unusedFor duration: Duration) async -> KeychainIdleness

  /// Returns a one-line warning for the user about the opened file, for example that others can
  /// read it. Returns `nil` if there is none or it was returned before. Does not open the file.
  func takeWarning() async -> String?

  /// Reads the file of an unlocked keychain again if another process has saved it. Does nothing
  /// while locked. The next call that needs the entries throws its error.
  func refresh() async

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
}

/// The identity and the save count of a keychain.
public struct KeychainRevision: Sendable, Hashable {
  /// An identifier that changes with the keychain's keys.
  let keyID: [UInt8]
  /// The number of saves.
  let generation: UInt64

  /// Creates a revision.
  ///
  /// - Parameter keyID: The identifier of the keychain, which is not secret.
  public init(keyID: [UInt8], generation: UInt64) {
    self.keyID = keyID
    self.generation = generation
  }
}

/// The status of a keychain.
public struct KeychainStatus: Sendable, Equatable, Codable {
  /// A slot as described in the file's header, without its key.
  public struct Slot: Sendable, Equatable, Codable {
    /// The kind: `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String
    /// The number of passes of the key derivation, or 0 for a key file.
    public var ops: UInt32
    /// The memory of the derivation in bytes, or 0 for a key file.
    public var memory: UInt64

    /// Creates a slot.
    public init(kind: String, ops: UInt32, memory: UInt64) {
      self.kind = kind
      self.ops = ops
      self.memory = memory
    }
  }

  /// The path of the file. For a mock, it is only a name.
  public var path: String
  /// Whether the file exists.
  public var exists: Bool
  /// Whether calls currently need no secret.
  public var unlocked: Bool
  /// The number of entries, or `nil` while locked.
  public var count: Int?
  /// The number of saves, from 1, or `nil` if there is no readable file.
  public var generation: UInt64?
  /// The size of the file, or `nil` if there is none.
  public var bytes: Int?
  /// The slots in the order of the file.
  public var slots: [Slot]
  /// Whether all guarded memory is kept out of swap, or `nil` while locked.
  public var memoryLocked: Bool?
  /// Warnings for the user, for example that rollback was not checked or that others can read the
  /// file.
  public var warnings: [String]

  /// Creates a status. Omitted values are unknown.
  public init(
    path: String, exists: Bool, unlocked: Bool, count: Int? = nil, generation: UInt64? = nil,
    bytes: Int? = nil, slots: [Slot] = [], memoryLocked: Bool? = nil, warnings: [String] = []
  ) {
    self.path = path
    self.exists = exists
    self.unlocked = unlocked
    self.count = count
    self.generation = generation
    self.bytes = bytes
    self.slots = slots
    self.memoryLocked = memoryLocked
    self.warnings = warnings
  }
}

/// The result of `accept(with:)`.
public struct KeychainAcceptance: Sendable, Equatable, Codable {
  /// The reason why the file was refused before.
  public enum Reason: String, Sendable, Codable {
    /// It was not refused: it is the last keychain seen, or a later version of it.
    case known
    /// It is an older copy, or another copy of the same age.
    case rolledBack
    /// It is another keychain.
    case replaced
  }

  /// A version of the keychain's file.
  public struct Version: Sendable, Equatable, Codable {
    /// The number of saves.
    public var generation: UInt64
    /// The time when the file was written, in microseconds since 1970, or `nil` if unknown.
    public var written: Int64?

    /// Creates a version as described by the file or the mark.
    public init(generation: UInt64, written: Int64? = nil) {
      self.generation = generation
      self.written = written
    }
  }

  /// The reason why the file was refused before.
  public var reason: Reason
  /// The last version seen, or `nil` if there is none.
  public var remembered: Version?
  /// The version of the current file.
  public var found: Version
  /// The generation of the file now. An older copy is saved again, so that it becomes newer than
  /// all other versions.
  public var generation: UInt64

  /// Creates an acceptance.
  public init(reason: Reason, remembered: Version?, found: Version, generation: UInt64) {
    self.reason = reason
    self.remembered = remembered
    self.found = found
    self.generation = generation
  }
}

/// An error of a keychain. It contains path, category and numbers, but never keys, values or
/// passphrases.
public struct KeychainError: Error, Sendable, Equatable, Codable {
  /// The kind of error, which also tells the stage of reading. `docs/adr` and the format's
  /// specification use the same stages.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// In order: the file does not exist; it must not exist; its name or a link is not accepted; an
    /// error of the system; more bytes than the largest keychain; not a keychain; a wrong checksum;
    /// a later version.
    case missing, exists, insecurePath, io, tooLarge, notAKeychain, damaged, unsupportedVersion
    /// Parts that no writer creates; unknown flags; a key derivation that is too weak or too
    /// expensive.
    case malformedHeader, malformedSlot, malformedPayload, unsupportedFlags, kdfParametersRefused
    /// No slot for this kind of secret; a wrong secret or a replaced file; a failed derivation, so
    /// that the secret was not checked.
    case noMatchingSlot, wrongSecret, kdfFailed
    /// Parts that were changed and given new, valid checksums.
    case tamperedSlot, tamperedHeader, tamperedPayload
    /// Another keychain, or an older copy.
    case differentKeychain, rolledBack
    /// No secret is available; the entry does not exist; the name exists; an empty or too long key;
    /// too many entries or bytes.
    case locked, missingKey, duplicateKey, invalidKey, limitExceeded
    /// A new secret that is not accepted; a key file that is not accepted; a secret that others can
    /// read; two unlock sources.
    case invalidPassphrase, invalidKeyFile, insecurePermissions, unlockSourceAmbiguous
    /// The file of an unlock source does not exist.
    case missingUnlockSource
    /// Another process kept the lock; the file belongs to another user; it changed during the save;
    /// the disk did not confirm the save.
    case lockTimeout, notOwner, changedUnderneath, durabilityUnknown
    /// The secret of a remaining slot was not given.
    case slotSecretNeeded
    /// The system does not let a new file or its folder be made there.
    case cannotCreate
  }

  /// A slot in errors.
  public struct Slot: Sendable, Equatable, Codable {
    /// The number of the slot, from 1, as in the status.
    public var number: Int
    /// The kind: `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String

    /// Creates a slot.
    public init(number: Int, kind: String) {
      self.number = number
      self.kind = kind
    }
  }

  /// A remedy, which the program explains in its own words.
  public enum Remedy: String, Sendable, Codable, CaseIterable {
    /// Create a keychain.
    case create
    /// Give a new keychain a passphrase or a key file.
    case provideSecret
    /// Unlock the keychain, or give it an unlock source.
    case unlock
    /// Restore the newest file, or accept the current, older one.
    case acceptOlder
    /// Restore the right file, or accept the current, other keychain.
    case acceptOther
    /// Import again, with a decision about existing names.
    case chooseExisting
  }

  /// The kind of error, for code.
  public var kind: Kind
  /// The format's own name if the kind groups several, for example `malformed(header)`. Otherwise,
  /// the name of the kind.
  public var category: String
  /// The path of the keychain's file. A mock sets it when it throws the error.
  public var path: String
  /// The problem and advice, for users. It never contains a key, value or passphrase.
  public var message: String
  /// The remedy, if the message does not contain it.
  public var remedy: Remedy?
  /// The slot whose secret is needed.
  public var slot: Slot?

  /// Creates an error. The default category is the name of the kind.
  public init(
    _ kind: Kind, category: String? = nil, path: String = "", message: String,
    remedy: Remedy? = nil, slot: Slot? = nil
  ) {
    self.kind = kind
    self.category = category ?? kind.rawValue
    self.path = path
    self.message = message
    self.remedy = remedy
    self.slot = slot
  }
}
