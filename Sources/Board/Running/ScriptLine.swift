import SwiftBoardCommandLine

/// A complete line to run: continuation lines joined, and parsed.
public struct ScriptLine: Sendable, Hashable {
  /// The text as typed, with physical lines joined by line feeds.
  public var text: String
  /// The location of its first physical line.
  public var location: LineLocation
  /// The parsed line, never `.empty` or `.incomplete`. Blank lines are skipped, and a line that is
  /// open at the end is `.invalid`.
  public var parsed: ParsedLine
  /// The words of a command that a shell has split, or `nil` for a typed line.
  var words: [String]?

  /// Creates a line.
  public init(text: String, location: LineLocation, parsed: ParsedLine) {
    self.text = text
    self.location = location
    self.parsed = parsed
  }
}
