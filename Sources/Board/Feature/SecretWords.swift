import SwiftBoardCommandLine

/// A rule that finds secrets typed into lines of a feature. Such a line is refused, and no
/// recording has its text.
public struct SecretWords: Sendable {
  /// A secret in the words of a command.
  public struct Found: Sendable, Equatable {
    /// What the value, or its position, is called.
    public var name: String
    /// What is to be written there instead.
    public var form: String

    /// A secret, and what is to be written in place of its value.
    public init(name: String, form: String) {
      self.name = name
      self.form = form
    }
  }

  /// The second word of the command that stores a secret, `set` in `keychain set NAME`: no value
  /// follows the name, since the command takes it from elsewhere. Whatever stands behind the words
  /// that this and the feature's other commands take is taken for a secret.
  public let storing: String?
  /// What the user may do instead of typing a value, for messages; without the word `help:`.
  public let advice: String?
  /// Finds a secret in a command's words, of which the first is the command's own.
  public let literal: @Sendable ([Argument]) -> Found?

  /// Rules of one feature; without any, no word of its lines is a secret.
  public init(
    storing: String? = nil, advice: String? = nil,
    literal: @escaping @Sendable ([Argument]) -> Found? = { _ in nil }
  ) {
    self.storing = storing
    self.advice = advice
    self.literal = literal
  }
}
