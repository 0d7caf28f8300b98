import SwiftBoardCommandLine

/// A rule that finds secrets typed into lines of a feature. Such a line is refused, and its text is
/// not recorded.
public struct SecretWords: Sendable {
  /// A secret in the words of a command.
  public struct Found: Sendable, Equatable {
    /// The name of the value or of its position.
    public var name: String
    /// The form to write instead of the value.
    public var form: String
    /// What to do instead, if the place takes no reference to a secret.
    public var help: String?

    /// Creates a finding with the form to write instead of the value.
    public init(name: String, form: String) {
      self.name = name
      self.form = form
    }

    /// Creates a finding at a place that takes no reference to a secret.
    public init(name: String, help: String) {
      self.name = name
      form = ""
      self.help = help
    }
  }

  /// The second word of the command that stores a secret, for example `set` in `keychain set NAME`.
  /// The command reads the value from another source, so additional words are treated as a secret.
  public let storing: String?
  /// Advice for messages on what to do instead of typing a value, without the word `help:`.
  public let advice: String?
  /// Finds a secret in a command's words. The first word is the command.
  public let literal: @Sendable ([Argument]) -> Found?

  /// Creates the rules of a feature. By default, no word is a secret.
  public init(
    storing: String? = nil, advice: String? = nil,
    literal: @escaping @Sendable ([Argument]) -> Found? = { _ in nil }
  ) {
    self.storing = storing
    self.advice = advice
    self.literal = literal
  }
}
