import SwiftBoardCommandLine

/// A scanner that splits a line roughly, for lines that cannot be parsed: spaces separate words,
/// quotes join them, and a semicolon or an operator of a shell ends a command.
///
/// References are parts of their own, also in single quotes, because the line's own error is to be
/// reported unless something else in the line is a secret.
struct RoughLineScanner {
  private let line: String
  private var index: String.Index
  /// The commands between the operators of the words that were returned last.
  private var commands: ArraySlice<ArraySlice<Argument>> = []

  init(_ line: String) {
    self.line = line
    index = line.startIndex
  }

  /// Returns the words up to the next semicolon without quotes and without the prefixes of the
  /// line, then those of each command if they have operators. Returns `nil` at the end of the line.
  mutating func nextWords() -> [Argument]? {
    if let command = commands.popFirst() { return Self.withoutPrefixes(command) }
    guard index < line.endIndex else { return nil }
    var words: [Argument] = []
    while let word = word() { words.append(Argument(roughly: word)) }
    index = line[index...].firstIndex(of: ";").map(line.index(after:)) ?? line.endIndex
    let split = words.split { ["&", "|", "&&", "||"].contains($0.text) }
    if split.count > 1 { commands = split[...] }
    return Self.withoutPrefixes(words[...])
  }

  private static func withoutPrefixes(_ words: ArraySlice<Argument>) -> [Argument] {
    Array(words.drop { $0.text?.isBeforeCommand == true })
  }

  /// Returns the next word, or `nil` at a semicolon and at the end.
  private mutating func word() -> Substring? {
    let start = line[index...].firstIndex { !$0.isWhitespace } ?? line.endIndex
    guard start < line.endIndex, line[start] != ";" else { return nil }
    index = start
    var quote: Character?
    while index < line.endIndex {
      let character = line[index]
      if character == "{", quote != "'", let reference = line[index...].leadingReference {
        index = reference.endIndex
        continue
      }
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character.isWhitespace || character == ";" {
        break
      }
      index = line.index(after: index)
    }
    return line[start..<index]
  }
}

extension Argument {
  /// Creates an argument from a word as typed, without its quotes.
  fileprivate init(roughly word: Substring) {
    var parts: [Part] = []
    var text = ""
    var rest = word
    while let character = rest.first {
      if character == "{", let reference = rest.leadingReference {
        parts += [.text(text), .secret("")]
        text = ""
        rest = rest[reference.endIndex...]
      } else {
        if !"\"'\\".contains(character) { text.append(character) }
        rest.removeFirst()
      }
    }
    self.init(parts: parts + [.text(text)])
  }
}

extension Substring {
  /// The reference to a secret or to the last value at the start of the text, or `nil` if there is
  /// none. If the end of a reference to a secret is missing, it ends where a name would.
  fileprivate var leadingReference: Substring? {
    guard hasPrefix("{{") else { return nil }
    let row = dropFirst(2).prefix { $0 != "{" && !$0.isNewline }
    let content = row.drop(while: \.isWhitespace)
    let isOfSecret = content.hasPrefix("secret:")
    if let end = content.firstRange(of: "}}") {
      let name = content[..<end.lowerBound]
      let isOfLast = name == "last" || name.hasPrefix("last.") || name.hasPrefix("last[")
      return isOfSecret || isOfLast ? self[..<end.upperBound] : nil
    }
    guard isOfSecret else { return nil }
    let name = content.dropFirst("secret:".count).prefix {
      $0.isLetter || $0.isNumber || "-_.}".contains($0)
    }
    return self[..<name.endIndex]
  }
}

extension String {
  /// Whether a command may follow: the text is a prefix, an option of the program, or the end of
  /// another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }
}
