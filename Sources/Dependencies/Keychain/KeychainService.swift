#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Named secrets. `docs/adr/003` has the first three requirements; they are non-mutating because a `mutating`
/// requirement on a service that is reached through a copied struct loses the write.
///
/// Keys are 1…1024 bytes of UTF-8 and are compared byte by byte; values are 0…1 048 576 bytes. Every call may unlock by
/// itself when the implementation was given an unlock source; otherwise a locked keychain throws `.locked`.
public protocol KeychainService: Sendable {
  /// Inserts or replaces. Durable on return.
  func save(_ data: Data, forKey key: String) async throws(KeychainError)
  /// `nil` only where the key is absent.
  func load(forKey key: String) async throws(KeychainError) -> Data?
  /// An absent key is no error.
  func delete(forKey key: String) async throws(KeychainError)
  /// Moves the value in one save. Throws `.missingKey` or `.duplicateKey`.
  func rename(_ key: String, to newKey: String) async throws(KeychainError)
  /// All keys, in the order of their bytes.
  func keys() async throws(KeychainError) -> [String]

  /// Makes a new, empty keychain; never over an existing one (`.exists`). `secret` `nil`: the unlock source's.
  func create(with secret: KeychainSecret?) async throws(KeychainError)
  /// `secret` `nil`: the unlock source's.
  func unlock(with secret: KeychainSecret?) async throws(KeychainError)
  /// Frees keys and entries at once. Locking a locked keychain is no error.
  func lock() async
  /// What can be said without a secret, marked as unverified unless unlocked.
  func status() async throws(KeychainError) -> KeychainStatus
}

/// What opens a keychain. The bytes live in guarded memory and are zeroed with the last reference.
public enum KeychainSecret: Sendable {
  case passphrase(GuardedBytes)
  case keyFile(GuardedBytes)
}

/// What a keychain says of itself.
public struct KeychainStatus: Sendable, Equatable, Codable {
  public struct Slot: Sendable, Equatable, Codable {
    /// `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String
    /// Passes and bytes of the key derivation; 0 for a key file.
    public var ops: UInt32
    public var memory: UInt64

    public init(kind: String, ops: UInt32, memory: UInt64) {
      self.kind = kind
      self.ops = ops
      self.memory = memory
    }
  }

  public var path: String
  public var exists: Bool
  public var unlocked: Bool
  /// Entries; `nil` while locked.
  public var count: Int?
  public var generation: UInt64?
  public var bytes: Int?
  public var slots: [Slot]
  /// False when the system refused to keep a guarded region out of swap; `nil` while locked.
  public var memoryLocked: Bool?
  /// Things the user should know, for example that rollback was not checked or that others can read the file.
  public var warnings: [String]

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

/// Why a keychain refused. Carries path, category and numbers; never keys, values or passphrases.
public struct KeychainError: Error, Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case missing, exists, insecurePath, io, tooLarge, notAKeychain, damaged, unsupportedVersion
    case malformedHeader, malformedSlot, malformedPayload, unsupportedFlags, kdfParametersRefused
    case noMatchingSlot, wrongSecret, kdfFailed
    case tamperedSlot, tamperedHeader, tamperedPayload
    case differentKeychain, rolledBack
    case locked, missingKey, duplicateKey, invalidKey, limitExceeded
    case invalidPassphrase, invalidKeyFile, insecurePermissions, unlockSourceAmbiguous
    case lockTimeout, notOwner, changedUnderneath, durabilityUnknown
    case slotSecretNeeded
  }

  public var kind: Kind
  /// The format's own name where the kind groups several, for example `malformed(header)`; else the kind's name.
  public var category: String
  public var path: String
  public var message: String

  public init(_ kind: Kind, category: String? = nil, path: String = "", message: String) {
    self.kind = kind
    self.category = category ?? kind.rawValue
    self.path = path
    self.message = message
  }
}
