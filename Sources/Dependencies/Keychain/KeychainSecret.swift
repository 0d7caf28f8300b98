/// A secret that opens a keychain. Its bytes are in guarded memory and are zeroed with the last
/// reference.
public enum KeychainSecret: Sendable {
  /// A passphrase of 1…1024 bytes of UTF-8. Each attempt requires a key derivation, which takes
  /// half a second by default.
  case passphrase(GuardedBytes)
  /// The contents of a key file, which are 32 bytes. They require no expensive derivation. A new
  /// slot refuses 32 printable characters, which are typed and not random.
  case keyFile(GuardedBytes)
}

/// The checks that every keychain performs on a secret.
extension KeychainSecret {
  /// Returns whether both have the same kind and bytes. Compares the bytes in constant time.
  public func isSame(as other: KeychainSecret) -> Bool {
    switch (self, other) {
    case (.passphrase(let bytes), .passphrase(let others)),
      (.keyFile(let bytes), .keyFile(let others)):
      bytes == others
    default: false
    }
  }

  /// The kind of slots that the secret may open, as in the status: `passphrase` or `keyFile`.
  public var kind: String { slotKind.name }

  var slotKind: KeychainSlot.Kind {
    switch self {
    case .passphrase: .passphrase
    case .keyFile: .keyFile
    }
  }

  /// The words for the secret in messages.
  var name: String {
    switch self {
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    }
  }

  /// Throws `.invalidPassphrase` or `.invalidKeyFile` if the length is wrong.
  public func check() throws(KeychainError) {
    switch self {
    case .passphrase(let bytes):
      guard 1...KeychainFormat.maximumPassphraseLength ~= bytes.count else {
        throw KeychainError(
          .invalidPassphrase,
          message: bytes.count == 0
            ? "the passphrase is empty; it needs 1 to 1024 bytes."
            : "the passphrase is longer than 1024 bytes.")
      }
    case .keyFile(let bytes):
      guard bytes.count == KeychainFormat.keySize else {
        throw KeychainError(
          .invalidKeyFile,
          message: "a key file has exactly 32 bytes, this one has \(bytes.count). "
            + "For text use a passphrase file instead.")
      }
    }
  }

  /// Throws what `check()` throws, and `.invalidKeyFile` if a new key consists of 32 printable
  /// ASCII characters. That is a typed passphrase without a key derivation.
  public func checkNew() throws(KeychainError) {
    try check()
    guard case .keyFile(let bytes) = self else { return }
    let printable = try bytes.withBytes { bytes throws(KeychainError) in
      bytes.allSatisfy { 0x20...0x7E ~= $0 }
    }
    guard !printable else {
      throw KeychainError(
        .invalidKeyFile,
        message:
          "the key file holds 32 printable characters, which looks like a typed passphrase; as a key it could "
          + "be guessed. Make a random key file, or use it as a passphrase.")
    }
  }
}
