import SwiftBoardCommandLine

/// A scanner that splits a line roughly, for lines that cannot be parsed: spaces separate words,
/// quotes join them, and a semicolon or an operator of a shell ends a command.
struct RoughLineScanner {
  private let line: String
  private var index: String.Index
  private var isFirst = true

  init(_ line: String) {
    self.line = line
    index = line.startIndex
  }

  /// Returns the words of the next command without quotes and without the prefixes of the line, or
  /// `nil` at the end of the line.
  mutating func nextWords() -> [Argument]? {
    guard nextCommand() else { return nil }
    var words: [Argument] = []
    while let word = word() { words.append(Argument(word.withoutQuotes)) }
    while let first = words.first?.text, first.isBeforeCommand { words.removeFirst() }
    return words
  }

  /// The start of the next word of this command, or `nil` at its end.
  private var nextStart: String.Index? {
    let start = line[index...].firstIndex { !$0.isWhitespace } ?? line.endIndex
    return start < line.endIndex && line[start] != ";" ? start : nil
  }

  /// Skips to the next command. Returns false at the end.
  private mutating func nextCommand() -> Bool {
    if isFirst {
      isFirst = false
      return true
    }
    while let word = word() {
      if ["&", "|", "&&", "||"].contains(word) { return true }
    }
    index = line[index...].firstIndex(of: ";").map(line.index(after:)) ?? line.endIndex
    return index < line.endIndex
  }

  private mutating func word() -> String? {
    guard let start = nextStart else { return nil }
    index = start
    var quote: Character?
    while index < line.endIndex {
      let character = line[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character.isWhitespace || character == ";" {
        break
      }
      index = line.index(after: index)
    }
    return String(line[start..<index])
  }
}

extension String {
  /// Whether a command may follow: the text is a prefix, an option of the program, or the end of
  /// another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }

  fileprivate var withoutQuotes: String { String(filter { !"\"'\\".contains($0) }) }
}
