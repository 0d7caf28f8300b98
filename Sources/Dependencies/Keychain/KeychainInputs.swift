/// The source of a value, which is never the line itself.
public enum KeychainInput: Codable, Sendable, Equatable {
  /// Asks without echo at the terminal, or reads standard input to its end.
  case prompt, standardInput
  /// Reads a file when the command runs.
  case file(path: String)
  /// Generates `bytes` random bytes, written in URL-safe base64.
  case generate(bytes: Int)
}

/// The source of a new secret for a keychain, which is never the line itself.
public enum KeychainNewSecret: Codable, Sendable, Equatable {
  /// Asks twice without echo at the terminal, or reads standard input to its end.
  case prompt, standardInput
  /// Reads a passphrase from a file.
  case file(path: String)
  /// Uses a key file, which is created if it does not exist.
  case keyFile(path: String)
}

/// The source of an existing secret: of another keychain file, or of a remaining slot.
public enum KeychainOtherSecret: Codable, Sendable, Equatable {
  /// Asks without echo at the terminal.
  case prompt
  /// Reads a passphrase from a file, or uses a key file.
  case passphraseFile(path: String), keyFile(path: String)
}

/// There is no terminal to ask for a secret.
package enum SecretInputError: Error, Sendable, Equatable {
  /// A value to store.
  case value
  /// The passphrase of a keychain, which is named for the user.
  case passphrase(of: String)
  /// A new passphrase.
  case newPassphrase
}
