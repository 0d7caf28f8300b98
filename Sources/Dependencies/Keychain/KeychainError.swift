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
    /// The task was cancelled before the file was replaced. Nothing was changed.
    case cancelled
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
    /// Unlock the keychain with a passphrase, and give the secrets of the other slots.
    case unlockWithPassphrase
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
