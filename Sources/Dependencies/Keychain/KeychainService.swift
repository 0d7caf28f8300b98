import SwiftBoardSystem

/// Named secrets. `docs/adr/003` has the first three requirements; they are non-mutating because a
/// `mutating` requirement on a service that is reached through a copied struct loses the write.
///
/// Keys are 1…1024 bytes of UTF-8 and are compared byte by byte; values are 0…1 048 576 bytes.
/// Every call may unlock by itself when the implementation was given an unlock source; otherwise a
/// locked keychain throws `.locked`.
public protocol KeychainService: Service {
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

  /// Creates a new, empty keychain; never over an existing one (`.exists`). `secret` `nil`: the
  /// unlock source's.
  func create(with secret: KeychainSecret?) async throws(KeychainError)
  /// `secret` `nil`: the unlock source's.
  func unlock(with secret: KeychainSecret?) async throws(KeychainError)
  /// Frees keys and entries at once. Locking a locked keychain is no error.
  func lock() async
  /// What can be said without a secret, marked as unverified unless unlocked.
  func status() async throws(KeychainError) -> KeychainStatus
  /// Reads all there is and verifies it, also what was verified before; with the keys where it is
  /// unlocked, else as far as that goes without a secret. Throws `.missing` if there is no
  /// keychain.
  func verify() async throws(KeychainError) -> KeychainStatus
  /// Reads another keychain file, such as an export, and verifies it as far as that goes without a
  /// secret. Throws `.missing` if there is no file.
  func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus
  /// Opens the keychain that is there and remembers it, also where it is older than the one that
  /// was seen last or another one, which every other call refuses. `secret` `nil`: the held keys',
  /// else the unlock source's.
  func accept(with secret: KeychainSecret?) async throws(KeychainError) -> KeychainAcceptance
  /// Reads a secret from a source that a user names. Files must be regular, of this user or root
  /// and closed to others, as for an unlock source, and have the same errors.
  func secret(from source: KeychainSecretSource) async throws(KeychainError) -> KeychainSecret
  /// Adds a way to open the keychain, at most eight in all. Throws `.duplicateKey` where a slot
  /// takes the secret already and `.limitExceeded` where no slot is free.
  func addSlot(_ secret: KeychainSecret) async throws(KeychainError)
  /// Draws a new data key and changes which secrets open it. Throws `.slotSecretNeeded` with the
  /// slot whose secret is not there, `.wrongSecret` for one that opens no slot, and
  /// `.limitExceeded` where no slot would be left; then nothing was changed.
  func rekey(_ change: KeychainRekey) async throws(KeychainError)
  /// Writes all entries into a new keychain file, which `secret` opens; never over an existing file
  /// (`.exists`). Returns the number of entries.
  func export(to path: String, secret: KeychainSecret) async throws(KeychainError) -> Int
  /// Takes over the entries of another keychain file in one save, all or none. The other file is
  /// not changed. Throws `.duplicateKey` where names are taken and `existing` refuses that.
  func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport
  /// Locks the keychain if no call has needed its entries for `duration`.
  func lock(unusedFor duration: Duration) async -> KeychainIdleness

  /// Returns a warning for the user about the opened file, in one line, for example that others may
  /// read it; `nil` if there is none, and after it was returned once. Opens nothing.
  func takeWarning() async -> String?

  /// Checks whether another process has saved the file of an unlocked keychain, and if so reads it
  /// again. Does nothing while locked. An error is thrown by the next call that needs the entries.
  func refresh() async

  /// Calls `body` with every entry of an unlocked keychain, as it was verified last; unlocks
  /// nothing and reads no file. Does nothing where `revision` is still the current one. The bytes
  /// are valid during the call only.
  ///
  /// - Returns: The version that was visited, to be passed to the next call; `nil` while locked.
  func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision?
}

extension KeychainService {
  /// Nothing changes behind the keychain's back.
  public func refresh() async {}
}

/// Which keychain, after which save.
public struct KeychainRevision: Sendable, Hashable {
  /// Changes with the keychain's keys.
  let keyID: [UInt8]
  /// Counts the saves.
  let generation: UInt64

  /// The revision of a keychain.
  ///
  /// - Parameter keyID: Identifies the keychain; not secret.
  public init(keyID: [UInt8], generation: UInt64) {
    self.keyID = keyID
    self.generation = generation
  }
}

/// What opens a keychain. The bytes live in guarded memory and are zeroed with the last reference.
public enum KeychainSecret: Sendable {
  /// 1…1024 bytes of UTF-8; each attempt costs a key derivation, half a second by default.
  case passphrase(GuardedBytes)
  /// The contents of a key file; costs no derivation worth mentioning.
  case keyFile(GuardedBytes)
}

/// What a keychain says of itself.
public struct KeychainStatus: Sendable, Equatable, Codable {
  /// A way to open the keychain, as described in the file's header, without its key.
  public struct Slot: Sendable, Equatable, Codable {
    /// `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String
    /// Passes and bytes of the key derivation; 0 for a key file.
    public var ops: UInt32
    /// Bytes of memory that the derivation takes; 0 for a key file.
    public var memory: UInt64

    /// A slot as `status()` reports it.
    public init(kind: String, ops: UInt32, memory: UInt64) {
      self.kind = kind
      self.ops = ops
      self.memory = memory
    }
  }

  /// The file; a mock's is a name only.
  public var path: String
  /// Whether there is a file.
  public var exists: Bool
  /// Whether calls need no secret at the moment.
  public var unlocked: Bool
  /// Entries; `nil` while locked.
  public var count: Int?
  /// Counts the saves, from 1; `nil` if there is no file that can be read.
  public var generation: UInt64?
  /// The file's size; `nil` if there is none.
  public var bytes: Int?
  /// In the order of the file.
  public var slots: [Slot]
  /// False when the system refused to keep a guarded region out of swap; `nil` while locked.
  public var memoryLocked: Bool?
  /// Things the user should know, for example that rollback was not checked or that others can read
  /// the file.
  public var warnings: [String]

  /// A status; what is left out is not known.
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

/// What `accept(with:)` found.
public struct KeychainAcceptance: Sendable, Equatable, Codable {
  /// Why the file was refused before.
  public enum Reason: String, Sendable, Codable {
    /// It was not refused: the keychain that was seen last, or a later state of it.
    case known
    /// An older copy, or another one of the same age.
    case rolledBack
    /// Another keychain.
    case replaced
  }

  /// A state of the keychain's file.
  public struct Version: Sendable, Equatable, Codable {
    /// Counts the saves.
    public var generation: UInt64
    /// When the file was written, microseconds since 1970; `nil` if that was not kept.
    public var written: Int64?

    /// A state as the file or the mark describes it.
    public init(generation: UInt64, written: Int64? = nil) {
      self.generation = generation
      self.written = written
    }
  }

  /// Why the file was refused before.
  public var reason: Reason
  /// What was seen last; `nil` if nothing was.
  public var remembered: Version?
  /// The file that was there.
  public var found: Version
  /// The file's generation now. An older copy is saved anew, so that what was newer is older than
  /// it.
  public var generation: UInt64

  /// An acceptance, as the implementations report it.
  public init(reason: Reason, remembered: Version?, found: Version, generation: UInt64) {
    self.reason = reason
    self.remembered = remembered
    self.found = found
    self.generation = generation
  }
}

/// Why a keychain refused. Carries path, category and numbers; never keys, values or passphrases.
public struct KeychainError: Error, Sendable, Equatable, Codable {
  /// What was refused, and at which stage of reading. `docs/adr` and the format's specification
  /// name the same stages.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// No file; one where none may be; a name or link that is not accepted; an error of the system;
    /// more bytes than the largest keychain has; no keychain at all; a sum that does not fit; a
    /// later version.
    case missing, exists, insecurePath, io, tooLarge, notAKeychain, damaged, unsupportedVersion
    /// Parts that no writer makes; flags that are not known; a key derivation that is too weak or
    /// too costly to try.
    case malformedHeader, malformedSlot, malformedPayload, unsupportedFlags, kdfParametersRefused
    /// No slot for this kind of secret; the secret is wrong, or the file was replaced; the
    /// derivation could not run, and nothing was judged.
    case noMatchingSlot, wrongSecret, kdfFailed
    /// Parts that were changed and given new, valid checksums.
    case tamperedSlot, tamperedHeader, tamperedPayload
    /// Another keychain is in its place; an older copy of it is.
    case differentKeychain, rolledBack
    /// No secret at hand; no such entry; an entry of that name; a key of no byte or too many; too
    /// many entries or bytes.
    case locked, missingKey, duplicateKey, invalidKey, limitExceeded
    /// A new secret that is not accepted; one that others may read; two unlock sources at once.
    case invalidPassphrase, invalidKeyFile, insecurePermissions, unlockSourceAmbiguous
    /// An unlock source whose file is not there.
    case missingUnlockSource
    /// Another process kept the lock; the file is another user's; it changed while it was being
    /// written; the disk did not confirm the save.
    case lockTimeout, notOwner, changedUnderneath, durabilityUnknown
    /// A slot that stays needs its secret, and it was not given.
    case slotSecretNeeded
  }

  /// A slot as errors name it.
  public struct Slot: Sendable, Equatable, Codable {
    /// From 1, in the order of the status.
    public var number: Int
    /// `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String

    /// The slot of a number.
    public init(number: Int, kind: String) {
      self.number = number
      self.kind = kind
    }
  }

  /// What the user can do about it, where the program has to say in its own words how.
  public enum Remedy: String, Sendable, Codable, CaseIterable {
    /// Create a keychain.
    case create
    /// Give a new keychain a passphrase or a key file.
    case provideSecret
    /// Unlock the keychain, or give it an unlock source.
    case unlock
    /// Restore the newest file, or accept the older one that is there.
    case acceptOlder
    /// Restore the right file, or accept the other keychain that is there.
    case acceptOther
  }

  /// The kind of refusal, for code.
  public var kind: Kind
  /// The format's own name where the kind groups several, for example `malformed(header)`; else the
  /// kind's name.
  public var category: String
  /// The keychain's file; empty in a mock's errors until the mock throws them.
  public var path: String
  /// What happened and what to do, for people; never a key, value or passphrase.
  public var message: String
  /// Advice, if the message does not say it.
  public var remedy: Remedy?
  /// The slot whose secret is needed.
  public var slot: Slot?

  /// An error; without a category it has its kind's name.
  public init(
    _ kind: Kind, category: String? = nil, path: String = "", message: String,
    remedy: Remedy? = nil
  ) {
    self.kind = kind
    self.category = category ?? kind.rawValue
    self.path = path
    self.message = message
    self.remedy = remedy
  }
}
