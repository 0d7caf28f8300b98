import SwiftBoardJSON

/// Collects the segments of a word.
struct SegmentBuilder {
  private(set) var segments: [Word.Segment] = []
  /// The text after the last segment, in UTF-8.
  private var pending: [UInt8] = []

  mutating func append(_ scalar: Unicode.Scalar) { pending.append(scalar: scalar) }

  mutating func append(_ segment: Word.Segment) {
    flush()
    segments.append(segment)
  }

  mutating func finish() -> [Word.Segment] {
    flush()
    return segments
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    segments.append(.text(String(decoding: pending, as: UTF8.self)))
    pending = []
  }
}

extension LineScanner {
  /// Scans the word that starts here. A heredoc is noted with its position and read later.
  mutating func readWord(command: Int, position: Int) throws(OpenConstruct) -> Word {
    let start = index
    var builder = SegmentBuilder()
    var quoting = Word.Quoting.none
    if let tag = heredocTag() {
      open(
        Heredoc(
          tag: tag.name, isLiteral: tag.isLiteral, command: command, word: position, opener: start))
      quoting = tag.isLiteral ? .single : .double
    } else {
      var quotedTo: Int?
      while let scalar = current, !endsWord(at: index) {
        switch scalar {
        case "'":
          try readSingle(&builder)
          if quotedTo == nil, scalars[start] == "'" { quotedTo = index; quoting = .single }
        case "\"":
          try readDouble(&builder)
          if quotedTo == nil, scalars[start] == "\"" { quotedTo = index; quoting = .double }
        case "\\": try readEscape(&builder)
        case "$": readVariable(&builder, in: .text)
        case "{" where peek(1) == "{": readReference(&builder, in: .text)
        case "{", "[": try readBracket(&builder)
        default:
          builder.append(scalar)
          index += 1
        }
      }
      // Only a word that is a single quoted string counts as quoted.
      if quotedTo != index { quoting = .none }
    }
    let location = location(start)
    return Word(
      segments: builder.finish(), quoting: quoting, lineOffset: location.lineOffset,
      column: location.column, length: length(from: start, to: index), raw: text(start..<index))
  }

  // MARK: Quotes and escapes

  private mutating func readSingle(_ builder: inout SegmentBuilder) throws(OpenConstruct) {
    let start = index
    index += 1
    while let scalar = current {
      index += 1
      if scalar == "'" { return }
      builder.append(scalar)
    }
    throw incomplete(.quote("'"), at: start)
  }

  private mutating func readDouble(_ builder: inout SegmentBuilder) throws(OpenConstruct) {
    let start = index
    index += 1
    while let scalar = current {
      switch scalar {
      case "\"":
        index += 1
        return
      case "\\":
        guard peek(1) != nil else { throw incomplete(.quote("\""), at: start) }
        readDoubleEscape(&builder)
      case "$": readVariable(&builder, in: .text)
      case "{" where peek(1) == "{": readReference(&builder, in: .text)
      default:
        builder.append(scalar)
        index += 1
      }
    }
    throw incomplete(.quote("\""), at: start)
  }

  private mutating func readDoubleEscape(_ builder: inout SegmentBuilder) {
    let start = index
    let escaped = peek(1)
    index += 2
    switch escaped {
    case "n": builder.append("\n")
    case "t": builder.append("\t")
    case "r": builder.append("\r")
    case "\n": break
    case "\\", "\"", "'", "$", "{", "}": builder.append(escaped ?? "\\")
    case "u": readUnicodeEscape(from: start, &builder)
    default:
      fail(
        "unknown escape '\(text(start..<index))'",
        help: #"known are \n \t \r \\ \" \' \$ \{ \} \u{...}; write \\ for a backslash"#, at: start,
        to: index)
    }
  }

  private mutating func readUnicodeEscape(from start: Int, _ builder: inout SegmentBuilder) {
    var digits = ""
    if current == "{" {
      index += 1
      while let scalar = current, scalar.properties.isASCIIHexDigit, digits.count < 8 {
        digits.unicodeScalars.append(scalar)
        index += 1
      }
    }
    let value = current == "}" ? UInt32(digits, radix: 16) : nil
    if current == "}" { index += 1 }
    guard value != 0 else {
      fail(
        "'\(text(start..<index))' is NUL, which a line cannot contain", help: "leave it out",
        at: start, to: index)
      return
    }
    if let scalar = value.flatMap(Unicode.Scalar.init) {
      builder.append(scalar)
      return
    }
    fail(
      "'\(text(start..<index))' is not a character",
      help: #"write its code in hexadecimal, for example \u{e9}"#, at: start, to: index)
  }

  private mutating func readEscape(_ builder: inout SegmentBuilder) throws(OpenConstruct) {
    guard let escaped = peek(1) else { throw incomplete(.backslash, at: index) }
    index += 2
    switch escaped {
    case "\n": break
    case " ", "\t", ";", "'", "\"", "$", "{", "}", "[", "]", "&", ">", "<", "|", "#", "!", "-",
      "\\":
      builder.append(escaped)
    default:
      builder.append("\\")
      builder.append(escaped)
    }
  }

  // MARK: Brackets

  private mutating func readBracket(_ builder: inout SegmentBuilder) throws(OpenConstruct) {
    let start = index
    var open: [Unicode.Scalar] = []
    var inString = false
    while let scalar = current {
      switch scalar {
      case "\\" where inString:
        if peek(1) == "$" {
          builder.append("$")
          index += 2
          continue
        }
        builder.append(scalar)
        index += 1
        guard let next = current else { continue }
        builder.append(next)
        index += 1
        continue
      case "$":
        readVariable(&builder, in: inString ? .jsonString : .bracket)
        continue
      case "{" where peek(1) == "{":
        // Without its end, it is two brackets, if not in a string.
        if !readReference(&builder, in: inString ? .jsonString : .bracket), !inString {
          open += ["{", "{"]
        }
        continue
      case "\"": inString.toggle()
      case "{" where !inString, "[" where !inString: open.append(scalar)
      case "}" where !inString, "]" where !inString:
        if open.last == (scalar == "}" ? "{" : "[") {
          open.removeLast()
        } else {
          fail(
            "'\(scalar)' does not close '\(open.last.map(String.init) ?? "")'",
            help: "close the brackets in the order they were opened, or quote the word", at: index)
        }
      default: break
      }
      builder.append(scalar)
      index += 1
      if open.isEmpty { return }
    }
    throw incomplete(
      .bracket(open: open.map(Character.init), inString: inString), at: start)
  }

  // MARK: Variables and references

  /// What surrounds a variable or a reference.
  enum Surroundings {
    case text
    /// A bracket, outside its strings. Each brace counts there.
    case bracket
    /// A JSON string in a bracket.
    case jsonString
  }

  private mutating func readVariable(
    _ builder: inout SegmentBuilder, in surroundings: Surroundings
  ) {
    let start = index
    index += 1
    let isBraced = current == "{" && peek(1) != "{"
    if isBraced { index += 1 }
    let nameStart = index
    if let first = current, Self.isDigit(first) {
      while let scalar = current, Self.isDigit(scalar) { index += 1 }
    } else if let first = current, Self.isNameStart(first) {
      while let scalar = current, Self.isNameStart(scalar) || Self.isDigit(scalar) { index += 1 }
    }
    let name = text(nameStart..<index)
    if isBraced {
      guard !name.isEmpty, current == "}" else {
        fail(
          "expected ${name}", help: #"for example ${name}; write \$ for the character"#,
          at: start, to: min(index + 1, scalars.count))
        if surroundings == .bracket { index = start + 1 }
        return
      }
      index += 1
    } else if name.isEmpty {
      builder.append("$")
      return
    }
    builder.append(.variable(name, inJSONString: surroundings == .jsonString))
  }

  /// Returns the index of the `}}` that closes the reference here, or `nil` if its line has none.
  private mutating func referenceEnd() -> Int? {
    guard index >= unclosedReferenceEnd else { return nil }
    var end = index + 2
    while end < scalars.count, scalars[end] != "\n" {
      if scalars[end] == "}", end + 1 < scalars.count, scalars[end + 1] == "}" { return end }
      end += 1
    }
    unclosedReferenceEnd = end
    return nil
  }

  /// Reads a reference, which may be wrong. Returns false, after its opening braces, if it is not
  /// closed.
  @discardableResult
  private mutating func readReference(
    _ builder: inout SegmentBuilder, in surroundings: Surroundings
  ) -> Bool {
    let start = index
    guard let end = referenceEnd() else {
      fail(
        "'{{' is not closed", help: "close it with '}}'; \(adviceForText)", at: start,
        to: start + 2)
      index += 2
      return false
    }
    var content = scalars[(index + 2)..<end]
    while let first = content.first, Self.isBlank(first) { content.removeFirst() }
    while let last = content.last, Self.isBlank(last) { content.removeLast() }
    index = end + 2
    let name = text(content.startIndex..<content.endIndex)
    if let segment = segment(
      reference: name, inJSONString: surroundings == .jsonString, at: start)
    {
      builder.append(segment)
      return true
    }
    fail(
      "unknown reference '\(text(start..<index))'",
      help: Suggestion.advice(
        for: name.split(separator: ":").first.map(String.init) ?? name, among: ["last", "secret"])
        ?? "known are {{last}}, {{last.path}} and {{secret:name}}; \(adviceForText)",
      at: start, to: index)
    return true
  }

  private mutating func segment(reference name: String, inJSONString: Bool, at start: Int)
    -> Word.Segment?
  {
    if name == "last" { return .last("", inJSONString: inJSONString) }
    if name.hasPrefix("secret:") {
      let secret = String(name.dropFirst("secret:".count))
      return secret.isEmpty ? nil : .secret(secret)
    }
    let path: String
    if name.hasPrefix("last.") {
      path = String(name.dropFirst("last.".count))
    } else if name.hasPrefix("last[") {
      path = String(name.dropFirst("last".count))
    } else {
      return nil
    }
    if let problem = pathProblem(path) {
      fail(
        "'\(path)' is not a path: \(problem)", help: "for example {{last.body[0].id}}", at: start,
        to: index)
    }
    return .last(path, inJSONString: inJSONString)
  }

  private func pathProblem(_ text: String) -> String? {
    do throws(JSONPathError) {
      _ = try JSONPath(parsing: text)
      return text.isEmpty ? "a key is missing" : nil
    } catch {
      return error.message
    }
  }

  // MARK: Literal text

  /// Scans the rest up to `end` as text with references, and with variables if `expandsVariables`.
  ///
  /// In JSON text (text that starts with a bracket, or an item `key:=…`), references inside JSON
  /// strings are marked.
  mutating func literalSegments(
    to end: Int? = nil, expandsVariables: Bool = false, isItem: Bool = false
  ) -> [Word.Segment] {
    let end = end ?? scalars.count
    var builder = SegmentBuilder()
    var isJSON = startsJSON(index, end: end)
    var inString = false
    while index < end, let scalar = current {
      let next = index + 1 < end ? peek(1) : nil
      if scalar == "{", next == "{" {
        readReference(&builder, in: inString ? .jsonString : .text)
        continue
      }
      if expandsVariables, scalar == "$" {
        readVariable(&builder, in: inString ? .jsonString : .text)
        continue
      }
      if expandsVariables, scalar == "\\", next == "$" || next == "{" {
        builder.append(next ?? scalar)
        index += 2
        continue
      }
      if isItem, !isJSON, scalar == ":", next == "=" { isJSON = startsJSON(index + 2, end: end) }
      if inString, scalar == "\\", let next {
        builder.append(scalar)
        builder.append(next)
        index += 2
        continue
      }
      if isJSON, scalar == "\"" { inString.toggle() }
      builder.append(scalar)
      index += 1
    }
    return builder.finish()
  }

  private func startsJSON(_ position: Int, end: Int) -> Bool {
    var position = position
    while position < end, Self.isBlank(scalars[position]) || scalars[position] == "\n" {
      position += 1
    }
    guard position < end else { return false }
    return scalars[position] == "{" || scalars[position] == "["
  }

  // MARK: Heredoc tags

  private mutating func heredocTag() -> (name: String, isLiteral: Bool)? {
    guard current == "<", peek(1) == "<", let first = peek(2) else { return nil }
    // Others are text, or refused with the words behind them.
    guard first != "<", first != "-", !Self.isOperator(first), !endsWord(at: index + 2) else {
      return nil
    }
    let start = index
    let quote = Self.isQuote(first) ? first : nil
    if first == "\\" {
      fail(
        "a tag is \(Self.tagCharacters)", help: "for example <<'END'", at: start, to: start + 3)
      return meantTag()
    }
    guard quote != nil || Self.isNameStart(first) else {
      let meant = meantTag()
      fail(
        first == "$" ? "a tag is not a variable" : "a tag begins with a to z, A to Z or '_'",
        help: Self.helpForTag(meant: text(start..<index)), at: start, to: index)
      return meant
    }
    index += quote == nil ? 2 : 3
    let nameStart = index
    while let scalar = current, Self.isNameStart(scalar) || Self.isDigit(scalar) { index += 1 }
    let name = text(nameStart..<index)
    if let quote {
      if name.isEmpty || current != quote {
        fail("'<<' needs a tag", help: "for example <<'END'", at: start, to: index)
        return meantTag()
      }
      index += 1
    }
    if !endsWord(at: index) {
      fail(
        "a tag is \(Self.tagCharacters)", help: "for example <<END", at: start,
        to: min(index + 1, scalars.count))
      return meantTag()
    }
    return (name, quote != nil)

    func meantTag() -> (name: String, isLiteral: Bool) {
      let meant = self.meantTag(from: start + 2)
      index = meant.end
      return (meant.name, true)
    }
  }

  /// Returns advice for what looks like a heredoc, with the text in quotes if it is one as typed.
  static func helpForTag(meant text: String) -> String {
    let isPlain = !text.unicodeScalars.contains { #"'"$\{"#.unicodeScalars.contains($0) }
    return "for example <<END" + (isPlain ? "; '\(text)' in quotes is the text" : "")
  }

  private static let tagCharacters = "a to z, A to Z, digits and '_'"

  /// Returns the tag that a wrong heredoc has in a shell, so that the end of its text is found.
  func meantTag(from start: Int) -> (name: String, end: Int) {
    var end = wordEnd(from: start)
    if start < scalars.count, Self.isQuote(scalars[start]) {
      let rest = scalars[(start + 1)...].prefix { $0 != "\n" }
      if let quote = rest.firstIndex(of: scalars[start]) { end = max(quote + 1, end) }
    }
    // A shell ends the tag at an operator.
    end = scalars[start..<end].firstIndex(where: Self.isOperator) ?? end
    return (
      String(scalars: scalars[start..<end].filter { !Self.isQuote($0) && $0 != "\\" }), end
    )
  }

  /// Whether a shell reads no tag of a heredoc there.
  static func isOperator(_ scalar: Unicode.Scalar) -> Bool {
    "|&<>();".unicodeScalars.contains(scalar)
  }

  static func isQuote(_ scalar: Unicode.Scalar) -> Bool { scalar == "'" || scalar == "\"" }

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

  static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar >= "a" && scalar <= "z" || scalar >= "A" && scalar <= "Z" || scalar == "_"
  }
}
