import SwiftBoardCommandLine

/// A scanner that splits a line roughly, for lines that cannot be parsed: spaces separate words,
/// quotes join them, and a semicolon or an operator of a shell ends a command.
///
/// References are parts of their own, also in single quotes, because the line's own error is to be
/// reported unless something else in the line is a secret. So are variables outside of them.
struct RoughLineScanner {
  private var rest: Substring
  /// The commands between the operators of the words that were returned last.
  private var commands: ArraySlice<ArraySlice<Argument>> = []

  init(_ line: String) { rest = line[...] }

  /// Returns the words up to the next semicolon without quotes and without the prefixes of the
  /// line, then those of each command if they have operators. Returns `nil` at the end of the line.
  mutating func nextWords() -> [Argument]? {
    if let command = commands.popFirst() { return Self.withoutPrefixes(command) }
    guard !rest.isEmpty else { return nil }
    var words: [Argument] = []
    while let word = word() { words.append(word) }
    rest = rest.dropFirst()
    let split = words.split { ["&", "|", "&&", "||"].contains($0.text) }
    if split.count > 1 { commands = split[...] }
    return Self.withoutPrefixes(words[...])
  }

  private static func withoutPrefixes(_ words: ArraySlice<Argument>) -> [Argument] {
    Array(words.drop { $0.text?.isBeforeCommand == true })
  }

  /// Returns a word that a shell has split off. Only references are special in it.
  static func argument(literal word: String) -> Argument {
    var scanner = RoughLineScanner(word)
    var parts: [Argument.Part] = []
    while !scanner.rest.isEmpty { parts.merge(scanner.reference() ?? scanner.character()) }
    return Argument(parts: parts)
  }

  /// Returns the next word, or `nil` at a semicolon and at the end.
  private mutating func word() -> Argument? {
    while rest.first?.isWhitespace == true || startsWithEscapedNewline {
      rest.removeFirst(startsWithEscapedNewline ? 2 : 1)
    }
    guard let first = rest.first, first != ";" else { return nil }
    var parts: [Argument.Part] = []
    while let character = rest.first, !character.isWhitespace, character != ";" {
      if character == "\"" || character == "'" {
        // A quote that is never closed joins nothing.
        if let quoted = quoted(character) {
          quoted.forEach { parts.merge($0) }
        } else {
          rest.removeFirst()
        }
      } else {
        parts.merge(part())
      }
    }
    return Argument(parts: parts)
  }

  private var startsWithEscapedNewline: Bool {
    rest.first == "\\" && rest.dropFirst().first?.isNewline == true
  }

  /// Returns the parts between quotes, or `nil` before a quote that is never closed.
  private mutating func quoted(_ quote: Character) -> [Argument.Part]? {
    let start = rest
    rest.removeFirst()
    var parts: [Argument.Part] = []
    while let character = rest.first {
      if character == quote {
        rest.removeFirst()
        return parts
      }
      parts.merge(quote == "'" ? reference(before: quote) ?? self.character() : part())
    }
    rest = start
    return nil
  }

  /// Returns the reference, the variable or the character here, without its backslash.
  private mutating func part() -> Argument.Part {
    if let reference = reference() { return reference }
    if let variable = rest.leadingVariable {
      rest = rest[variable.endIndex...]
      return .secret("")
    }
    if startsWithEscapedNewline {
      rest.removeFirst(2)
      return .text("")
    }
    let character = character()
    return character == .text("\\") && !rest.isEmpty ? self.character() : character
  }

  private mutating func reference(before quote: Character? = nil) -> Argument.Part? {
    guard let reference = rest.leadingReference(before: quote) else { return nil }
    rest = rest[reference.endIndex...]
    return .secret("")
  }

  private mutating func character() -> Argument.Part { .text(String(rest.removeFirst())) }
}

extension [Argument.Part] {
  /// Appends a part. A text becomes a part of the text before it, in constant time.
  fileprivate mutating func merge(_ part: Argument.Part) {
    guard case .text(let next) = part, case .text(var text)? = last else { return append(part) }
    removeLast()
    text += next
    append(.text(text))
  }
}

extension Substring {
  /// The variable at the start of the text, or `nil` if there is none.
  fileprivate var leadingVariable: Substring? {
    guard first == "$" else { return nil }
    let isBraced = dropFirst().first == "{"
    let content = dropFirst(isBraced ? 2 : 1)
    let name = content.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let rest = content[name.endIndex...]
    guard !name.isEmpty, !isBraced || rest.first == "}" else { return nil }
    return self[..<rest.dropFirst(isBraced ? 1 : 0).startIndex]
  }

  /// Returns the reference to a secret or to the last value at the start of the text, or `nil` if
  /// there is none. If the end of a reference to a secret is missing, it ends where a name would.
  ///
  /// - Parameter quote: The quote that the text is in, which ends it.
  fileprivate func leadingReference(before quote: Character? = nil) -> Substring? {
    guard hasPrefix("{{") else { return nil }
    let row = dropFirst(2).prefix { $0 != "{" && $0 != quote && !$0.isNewline }
    let content = row.drop(while: \.isWhitespace)
    let isOfSecret = content.hasPrefix("secret:")
    let text = isOfSecret ? content.dropFirst("secret:".count) : content
    if let end = text.firstRange(of: "}}"), !text[..<end.lowerBound].mayHaveItem {
      let isOfLast = text.hasPrefix("last.") || text.hasPrefix("last[")
      let isLast = text[..<end.lowerBound].split(whereSeparator: \.isWhitespace) == ["last"]
      return isOfSecret || isOfLast || isLast ? self[..<end.upperBound] : nil
    }
    guard isOfSecret else { return nil }
    let name = text.prefix { $0.isLetter || $0.isNumber || "-_.}".contains($0) }
    return self[..<name.endIndex]
  }

  /// Whether the text may be the end of a word and an item behind it.
  private var mayHaveItem: Bool {
    contains { $0.isWhitespace || $0 == ";" } && contains { $0 == "=" || $0 == ":" }
  }
}

extension String {
  /// Whether a command may follow: the text is a prefix, an option of the program, or the end of
  /// another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }
}
