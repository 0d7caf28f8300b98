import SwiftBoardCommandLine

/// A scanner that splits a line roughly, for lines that cannot be parsed: spaces separate words,
/// quotes join them, and a semicolon or an operator of a shell ends a command.
///
/// References are parts of their own, also in single quotes, because the line's own error is to be
/// reported unless something else in the line is a secret. So are variables outside of them, in the
/// place of a whole value.
struct RoughLineScanner {
  /// A way to read a line. What is a secret in one of them is refused.
  private enum Reading: CaseIterable {
    /// Variables and last values are parts of their own anywhere.
    case allParts
    /// They are parts only in place of a value. Beside other text they are text, as in `Pa$w0rd`.
    case values
    /// So are they, and a backslash in double quotes is text, as at the end of `"C:\"`.
    case backslashes
  }

  private let reading: Reading
  private var rest: Substring
  /// The quotes that are not closed any more.
  private var openQuotes: Set<Character> = []

  private init(_ line: String, _ reading: Reading) {
    rest = line[...]
    self.reading = reading
  }

  /// Returns the words up to each semicolon without quotes and without the prefixes of the line,
  /// each followed by those of its commands if they have operators, for each way to read the line.
  static func commands(in line: String) -> [[Argument]] {
    Reading.allCases.flatMap { reading in
      var scanner = RoughLineScanner(line, reading)
      var lists: [[Argument]] = []
      while let words = scanner.nextWords() { lists += commands(of: words) }
      return lists
    }
  }

  /// Returns words without the prefixes of the line, followed by those of each command if they have
  /// operators.
  static func commands(of words: [Argument]) -> [[Argument]] {
    let split = words.hasOperators ? words.split(whereSeparator: \.isOperator) : []
    return ([words[...]] + split).map { Array($0.drop { $0.text?.isBeforeCommand == true }) }
  }

  /// Returns a word that a shell has split off. Only references are special in it.
  static func argument(literal word: String) -> Argument {
    var scanner = RoughLineScanner(word, .values)
    var parts: [Argument.Part] = []
    while !scanner.rest.isEmpty { parts.merge(scanner.reference() ?? scanner.character()) }
    return scanner.argument(parts)
  }

  /// Returns the words up to the next semicolon, or `nil` at the end of the line.
  private mutating func nextWords() -> [Argument]? {
    guard !rest.isEmpty else { return nil }
    var words: [Argument] = []
    while let word = word() { words.append(word) }
    rest = rest.dropFirst()
    return words
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
    return argument(parts)
  }

  private func argument(_ parts: [Argument.Part]) -> Argument {
    Argument(
      parts: parts.indices.map { index in
        guard case .secret(let text) = parts[index] else { return parts[index] }
        let isPart = text.isEmpty || reading == .allParts || parts.isValue(at: index)
        return isPart ? .secret("") : .text(text)
      })
  }

  private var startsWithEscapedNewline: Bool {
    rest.first == "\\" && rest.dropFirst().first?.isNewline == true
  }

  /// Returns the parts between quotes, or `nil` before a quote that is never closed.
  private mutating func quoted(_ quote: Character) -> [Argument.Part]? {
    guard !openQuotes.contains(quote) else { return nil }
    let start = rest
    rest.removeFirst()
    var parts: [Argument.Part] = []
    while let character = rest.first {
      if character == quote {
        rest.removeFirst()
        return parts
      }
      let isSingle = quote == "'"
      parts.merge(isSingle ? reference(before: quote) ?? self.character() : part(inQuotes: true))
    }
    rest = start
    openQuotes.insert(quote)
    return nil
  }

  /// Returns the reference, the variable or the character here, without its backslash.
  private mutating func part(inQuotes: Bool = false) -> Argument.Part {
    if let reference = reference() { return reference }
    if let variable = rest.leadingVariable {
      rest = rest[variable.endIndex...]
      return .secret(String(variable))
    }
    if startsWithEscapedNewline {
      rest.removeFirst(2)
      return .text("")
    }
    let character = character()
    let isEscape = character == .text("\\") && !(inQuotes && reading == .backslashes)
    return isEscape && !rest.isEmpty ? self.character() : character
  }

  /// Returns the reference here. That of a secret has no name, and any other its text.
  private mutating func reference(before quote: Character? = nil) -> Argument.Part? {
    guard let reference = rest.leadingReference(before: quote) else { return nil }
    rest = rest[reference.endIndex...]
    return .secret(reference.isOfSecret ? "" : String(reference))
  }

  private mutating func character() -> Argument.Part { .text(String(rest.removeFirst())) }
}

extension [Argument.Part] {
  /// Appends a part. A text becomes a part of the text before it, in constant time.
  fileprivate mutating func merge(_ part: Argument.Part) {
    if part == .text("") { return }
    guard case .text(let next) = part, case .text(var text)? = last else { return append(part) }
    removeLast()
    text += next
    append(.text(text))
  }

  /// Whether the part at an index is all of a value.
  fileprivate func isValue(at index: Int) -> Bool {
    func text(at index: Int) -> String? {
      guard indices.contains(index) else { return "" }
      return if case .text(let text) = self[index] { text } else { nil }
    }
    guard let before = text(at: index - 1), let after = text(at: index + 1) else { return false }
    return before.isBeforeValue(endingBefore: after.first)
  }
}

extension Argument {
  fileprivate var isOperator: Bool { ["&", "|", "&&", "||", ";"].contains(text) }
}

extension [Argument] {
  /// Whether the words are those of more than one command.
  var hasOperators: Bool { contains(where: \.isOperator) }
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
    let text = isOfSecret ? content.dropFirst("secret:".count) : content
    if let end = text.firstRange(of: "}}"), !text[..<end.lowerBound].mayHaveItem {
      let isOfLast = text.hasPrefix("last.") || text.hasPrefix("last[")
      let isLast = text[..<end.lowerBound].split(whereSeparator: \.isWhitespace) == ["last"]
      return isOfSecret || isOfLast || isLast ? self[..<end.upperBound] : nil
    }
    guard isOfSecret else { return nil }
    let name = text.prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    let rest = text[name.endIndex...]
    return self[..<(rest.first == "}" ? rest.dropFirst() : rest).startIndex]
  }

  /// Whether a reference is that of a secret.
  fileprivate var isOfSecret: Bool {
    dropFirst(2).drop(while: \.isWhitespace).hasPrefix("secret:")
  }

  /// Whether the text may be the end of a word, and an item or an option behind it.
  private var mayHaveItem: Bool {
    let words = split(omittingEmptySubsequences: false) { $0.isWhitespace || $0 == ";" }
    let behind = words.dropFirst()
    return !behind.isEmpty && contains { $0 == "=" || $0 == ":" }
      || behind.contains { $0.hasPrefix("--") }
  }
}

extension String {
  /// Whether all of a value follows: that of an item, also behind a scheme such as `Bearer`, or the
  /// user, the password or the value of an item in an address.
  ///
  /// - Parameter next: The character behind the value, or `nil` at the end of the word.
  fileprivate func isBeforeValue(endingBefore next: Character?) -> Bool {
    if let start = firstRange(of: "://"), self[..<start.lowerBound].allSatisfy(\.isLetter) {
      let address = self[start.upperBound...]
      guard let mark = address.lastIndex(where: { "?&/#".contains($0) }) else {
        return next == "@" && (address.isEmpty || address.hasSuffix(":"))
      }
      let item = address[mark...].dropFirst()
      return address.contains("?") && next.map { "&#".contains($0) } ?? true
        && item.firstIndex(of: "=").map { item[$0...] == "=" } ?? false
    }
    let name = prefix { !"=:@".contains($0) }
    let value =
      name.endIndex == endIndex ? name : self[name.endIndex...].drop { "=:@".contains($0) }
    let words = value.split(whereSeparator: \.isWhitespace)
    let isScheme =
      words.count == 1 && value.last?.isWhitespace == true
      && ["bearer", "basic", "token", "digest"].contains(words[0].lowercased())
    return next == nil && (words.isEmpty || isScheme)
  }

  /// Whether a command may follow: the text is a prefix, an option of the program, or the end of
  /// another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }
}
