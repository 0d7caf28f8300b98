/// A source of a keychain's secret, other than a prompt.
public enum KeychainSecretSource: Sendable, Equatable, Codable {
  /// A file with a passphrase. One final newline is not part of it.
  case passphraseFile(path: String)
  /// A key file of exactly 32 bytes.
  case keyFile(path: String)
  /// A key file. If it does not exist, it is created with random bytes and readable only by its
  /// owner.
  case newKeyFile(path: String)

  /// Reads the secret from the disk, for implementations of `KeychainService.secret(from:)`.
  /// Blocks.
  ///
  /// - Throws: `.missingUnlockSource`, `.insecurePermissions`, `.invalidPassphrase`,
  ///   `.invalidKeyFile` or `.io`, with the path of the file.
  public func read() throws(KeychainError) -> KeychainSecret {
    try UnlockSources.none.secret(from: self)
  }
}

/// A change of a keychain's slots. It generates a new data key, so a removed secret cannot open
/// later saves, even with an old copy of the file.
///
/// The secret of every remaining slot is needed, because each slot gets a new copy of the data key.
public struct KeychainRekey: Sendable {
  /// The numbers of the slots to remove, as in the status, from 1.
  public var removing: Set<Int>
  /// The secret to replace in its slots, or `nil` for the secret of the unlock source if that has
  /// the kind of the replacement.
  public var replaced: KeychainSecret?
  /// The secret that replaces `replaced`, or `nil` to replace none.
  public var replacement: KeychainSecret?
  /// The secrets of remaining slots. The secret of the unlock source is used in addition.
  public var secrets: [KeychainSecret]

  /// Creates a change. Without arguments, it only generates a new data key.
  public init(
    removing: Set<Int> = [], replaced: KeychainSecret? = nil, replacement: KeychainSecret? = nil,
    secrets: [KeychainSecret] = []
  ) {
    self.removing = removing
    self.replaced = replaced
    self.replacement = replacement
    self.secrets = secrets
  }

  /// Returns the secret to replace, or `nil` if none is replaced. A passphrase never replaces the
  /// key file that opened the keychain.
  ///
  /// - Parameter own: The secret of the unlock source.
  func secretToReplace(_ own: KeychainSecret?) throws(KeychainError) -> KeychainSecret? {
    guard let replacement else { return nil }
    guard let secret = replaced ?? own else { throw .locked }
    guard replaced != nil || secret.slotKind == replacement.slotKind else {
      throw KeychainError(
        .locked,
        message: "a \(secret.name) opens the keychain here, so the old \(replacement.name) is "
          + "needed to replace it. Nothing was changed.",
        remedy: .unlockWithPassphrase)
    }
    return secret
  }
}

/// The result of an import, in numbers of entries.
public struct KeychainImport: Sendable, Equatable, Codable {
  /// The entries with new names.
  public var added: Int
  /// The entries that replaced an existing one.
  public var replaced: Int
  /// The entries that were skipped because their names existed.
  public var kept: Int

  /// Creates the result of an import.
  public init(added: Int, replaced: Int, kept: Int) {
    self.added = added
    self.replaced = replaced
    self.kept = kept
  }
}

/// The result of locking an unused keychain.
public enum IdleLockResult: Sendable, Equatable {
  /// It was already locked.
  case wasLocked
  /// It was unused for the whole duration and has been locked.
  case locked
  /// It is in use. It can be locked after the remaining time at the earliest.
  case inUse(left: Duration)
}
