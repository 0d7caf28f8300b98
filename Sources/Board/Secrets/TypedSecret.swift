import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A secret in a line that may not contain one. The line is rejected, and no step contains its
/// text.
struct TypedSecret {
  /// The name of the secret in the keychain, or a name for its position.
  let name: String
  /// The error. It quotes no word, because the line is not shown.
  private(set) var error: UsageError

  /// The text that replaces the line.
  var text: String { Self.text(for: name) }

  /// Returns the text that replaces a line, or a part of one, with a secret.
  static func text(for name: String) -> String {
    "[refused: secret \(RedactionMark.encoded(name))]"
  }
}

extension TypedSecret {
  /// Creates the rejection of the value of a known secret.
  ///
  /// - Parameter isStored: Whether the secret is there, and not removed.
  init(known name: String, isStored: Bool) {
    let reference = isStored ? SecretReference.text(for: name) : nil
    self.init(
      name: name,
      error: UsageError(
        "this is the value of the secret '\(name)'"
          + (isStored ? reference.map { ": write \($0)" } ?? "" : ", which was removed"),
        help: "a line is kept in recordings, so it names secrets and holds none"))
  }

  /// The same rejection of a line of `keychain`, whose commands take names and no references.
  ///
  /// - Parameter program: The name of the program.
  func asKeychainName(in program: String) -> TypedSecret {
    var typed = self
    typed.error = UsageError(
      "this is the value of the secret '\(name)'",
      help: "a value is never typed; for a secret whose name is such a value, run '\(program) "
        + "keychain ...' by itself, while nothing is unlocked")
    return typed
  }

  /// Creates the rejection of a value in a command's words.
  ///
  /// - Parameter isQuoted: Whether a word contains a reference to a secret as text.
  init(_ found: SecretWords.Found, isQuoted: Bool = false) {
    self.init(
      name: found.name,
      error: isQuoted
        ? UsageError(
          "in single quotes and after a backslash, {{secret:...}} is plain text",
          help: "leave the quotes or the backslash off, or use double quotes")
        : UsageError(
          "the value of '\(found.name)' looks like a secret, and recordings store every line",
          help: found.help ?? "store it with 'keychain set NAME' and write \(found.form)"))
  }

  /// Creates a rejection that reports another error of the line, without its position, because the
  /// line is not shown.
  init(name: String, reporting error: UsageError) {
    var error = error
    (error.column, error.length, error.lineOffset) = (nil, nil, 0)
    self.init(name: name, error: error)
  }
}

extension Redactor {
  /// Returns whether the text of a line may contain a known secret, also where quotes or escapes
  /// divide the value. Cheaper than the search of `TypedSecretFinder`, which parses the line.
  func mayBeSecret(inLine text: String) -> Bool {
    hasSecrets
      && ["", "\\", "'\""].contains { removed in
        let bytes = text.utf8.filter { !removed.utf8.contains($0) }
        return !mask(String(decoding: bytes, as: UTF8.self)).names.isEmpty
      }
  }
}
