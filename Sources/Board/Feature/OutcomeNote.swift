import SwiftBoardCommandLine

extension Outcome {
  /// A line about an outcome, for standard error.
  public struct Note: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The purpose of a line.
    public enum Kind: Sendable, Equatable {
      /// The line reports what was done. It is not printed with `-q`.
      case note
      /// The line changes the meaning of the output. It is always printed, with the label
      /// `warning:`.
      case warning
    }

    /// The purpose of the line.
    public var kind: Kind
    /// The line without a label.
    public var text: StyledText

    /// Creates a line.
    public init(_ text: StyledText, kind: Kind = .note) {
      self.text = text
      self.kind = kind
    }

    /// Creates a note.
    public init(_ text: String) { self.init(StyledText(text)) }

    /// Creates a note.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates a warning.
    public static func warning(_ text: String) -> Note { Note(StyledText(text), kind: .warning) }

    /// The line with its label.
    var line: StyledText {
      kind == .warning ? StyledText(warning: "") + text : text
    }
  }
}
