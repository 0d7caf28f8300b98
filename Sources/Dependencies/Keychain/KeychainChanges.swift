/// A source from which a secret of a keychain is read, besides a prompt.
public enum KeychainSecretSource: Sendable, Equatable, Codable {
  /// A file with a passphrase; one final line end is no part of it.
  case passphraseFile(path: String)
  /// A file with exactly 32 bytes.
  case keyFile(path: String)
  /// The same; where there is no file, one with random bytes is made, for its owner alone.
  case newKeyFile(path: String)
}

/// A change of the ways to open a keychain, which draws a new data key: what opened the keychain
/// before, and is not kept, opens no later save, not even with an old copy of the file.
///
/// The secret of every slot that stays has to be there, since its copy of the data key is made
/// anew.
public struct KeychainRekey: Sendable {
  /// The slots that go, by their numbers in the status, from 1.
  public var removing: Set<Int>
  /// The secret whose slots take another secret; without it the unlock source's.
  public var replaced: KeychainSecret?
  /// What takes the place of `replaced`; `nil` replaces none.
  public var replacement: KeychainSecret?
  /// The secrets of slots that stay. The unlock source's is used as well, without being given.
  public var secrets: [KeychainSecret]

  /// A change; without any argument only the data key is drawn anew.
  public init(
    removing: Set<Int> = [], replaced: KeychainSecret? = nil, replacement: KeychainSecret? = nil,
    secrets: [KeychainSecret] = []
  ) {
    self.removing = removing
    self.replaced = replaced
    self.replacement = replacement
    self.secrets = secrets
  }
}

/// What an import did; numbers of entries.
public struct KeychainImport: Sendable, Equatable, Codable {
  /// Entries under names that were free.
  public var added: Int
  /// Entries that replaced one of their name.
  public var replaced: Int
  /// Entries that were left out, since their names were taken.
  public var kept: Int

  /// The numbers of an import.
  public init(added: Int, replaced: Int, kept: Int) {
    self.added = added
    self.replaced = replaced
    self.kept = kept
  }
}

/// What became of an unlocked keychain that may have been left alone.
public enum KeychainIdleness: Sendable, Equatable {
  /// It was locked before.
  case wasLocked
  /// It was not used for the whole time, and is locked now.
  case locked
  /// It is in use, and can be locked in so long at the earliest.
  case inUse(left: Duration)
}
