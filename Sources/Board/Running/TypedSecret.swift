import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A secret in a line that may not contain one. The line is rejected, and no step contains its
/// text.
struct TypedSecret {
  /// The name of the secret in the keychain, or a name for its position.
  let name: String
  /// The error. It quotes no word, because the line is not shown.
  let error: UsageError

  /// The text that replaces the line.
  var text: String { Self.text(for: name) }

  /// Returns the text that replaces a line, or a part of one, with a secret.
  static func text(for name: String) -> String {
    "[refused: secret \(RedactionMark.encoded(name))]"
  }
}

extension TypedSecret {
  /// Creates the rejection of the value of a known secret.
  init(known name: String) {
    self.init(
      name: name,
      error: UsageError(
        "this is the value of the secret '\(name)'"
          + (SecretReference.text(for: name).map { ": write \($0)" } ?? ""),
        help: "a line is kept in recordings, so it names secrets and holds none"))
  }

  /// Creates the rejection of a value in a command's words.
  ///
  /// - Parameter isQuoted: Whether a word contains a reference to a secret as text.
  init(_ found: SecretWords.Found, isQuoted: Bool = false) {
    self.init(
      name: found.name,
      error: isQuoted
        ? UsageError(
          "in single quotes {{secret:...}} is plain text",
          help: "leave the quotes off, or use double quotes")
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
