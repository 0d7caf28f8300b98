/// The reason why scanning stopped.
enum LineStop: Error {
  case incomplete(IncompleteLine)
  case invalid(LineSyntaxError)
}

/// The scanner of `LineParser`. This file scans commands; `LineScanner+Words` scans words.
///
/// It works on Unicode scalars, because a `Character` would combine a quote with a following
/// combining mark.
struct LineScanner {
  let scalars: [Unicode.Scalar]
  var index = 0
  private let locations: TextLocations
  private(set) var prefix: LinePrefix?
  private var commands: [ParsedCommand] = []
  private var heredocs: [Heredoc] = []

  /// A `<<TAG` whose text has not been read yet.
  struct Heredoc {
    var tag: String
    var isLiteral: Bool
    /// The index of its command, and the position of its word in it.
    var command: Int
    var word: Int
    var opener: Int
  }

  init(_ text: String) {
    // "\r\n" is one Character but two scalars. It is normalized first, so that columns agree.
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(text.utf8.count)
    var hadReturn = false
    for scalar in text.unicodeScalars {
      if scalar == "\n", hadReturn { scalars.removeLast() }
      hadReturn = scalar == "\r"
      scalars.append(scalar)
    }
    self.scalars = scalars
    locations = TextLocations(scalars)
  }

  // MARK: The whole line

  mutating func parse() -> ParsedLine {
    do throws(LineStop) {
      if let zero = scalars.firstIndex(of: "\0") {
        throw fail(
          "a NUL character", help: "a line is text; is this a binary file?", at: zero,
          kind: .malformedData)
      }
      skipBlankLines()
      guard !isAtEnd else { return .empty }
      try readPrefix()
      try readCommands()
      // The text consists of escaped newlines only.
      if commands.isEmpty { return .empty }
      return .commands(CommandList(prefix: prefix, commands: commands))
    } catch {
      switch error {
      case .incomplete(let incomplete): return .incomplete(incomplete)
      case .invalid(let problem): return .invalid(problem)
      }
    }
  }

  private mutating func readPrefix() throws(LineStop) {
    let start = index
    switch current {
    case "!":
      prefix = .mustFail
      index += 1
    case "-" where peek(1) != "-":
      prefix = .mayFail
      index += 1
    case "t":
      let end = start + 4
      guard scalars[start...].starts(with: "time".unicodeScalars),
        end == scalars.count || Self.isBlank(scalars[end]) || scalars[end] == "\n"
      else { return }
      prefix = .time
      index = end
    default: return
    }
    let end = index
    try skipBlanks()
    if isAtEnd || current == ";" || current == "\n" || current == "#" {
      let word = text(start..<end)
      throw fail(
        "a command is missing after '\(word)'",
        help: "for example: \(word)\(prefix == .time ? " " : "")db stats",
        at: start, to: end)
    }
  }

  private mutating func readCommands() throws(LineStop) {
    var isAfterCommand = false
    while true {
      try skipBlanks()
      guard let scalar = current else { break }
      if scalar == "\n" {
        index += 1
        try readHeredocs()
        skipBlankLines()
        isAfterCommand = false
      } else if scalar == ";" {
        guard isAfterCommand else {
          throw fail(
            "a command is missing before ';'", help: "remove the ';' or quote it", at: index)
        }
        isAfterCommand = false
        index += 1
      } else if scalar == "#", !isAfterCommand, !commands.isEmpty {
        skipToLineEnd()
      } else {
        commands.append(try readCommand())
        isAfterCommand = true
      }
    }
    if let open = heredocs.first { throw incomplete(.heredoc(open.tag), at: open.opener) }
  }

  // MARK: One command

  private mutating func readCommand() throws(LineStop) -> ParsedCommand {
    var words: [Word] = []
    var isBackground = false
    var redirect: ParsedCommand.Redirect?
    while true {
      try skipBlanks()
      guard let scalar = current, scalar != "\n", scalar != ";" else { break }
      let start = index
      if scalar == "&", !isBackground, endsWord(at: index + 1) {
        guard !words.isEmpty else {
          throw fail("a command is missing before '&'", at: start)
        }
        isBackground = true
        index += 1
        continue
      }
      if scalar == ">", redirect == nil, isRedirect(after: words) {
        redirect = try readRedirect(after: words)
        continue
      }
      if redirect != nil || isBackground {
        let mark = redirect == nil ? "&" : "> FILE"
        skipWord()
        throw fail(
          "nothing may follow '\(mark)'", help: "write ';' before the next command", at: start,
          to: index)
      }
      words.append(try readWord(command: commands.count, position: words.count))
      try refuseShellOperator(words[words.count - 1], at: start)
    }
    return ParsedCommand(words: words, isBackground: isBackground, redirect: redirect)
  }

  private func isRedirect(after words: [Word]) -> Bool {
    if peek(1) == "=" { return false }
    guard let name = words.first?.literal else { return true }
    return !LineParser.comparing.contains(name)
  }

  private mutating func readRedirect(after words: [Word]) throws(LineStop) -> ParsedCommand.Redirect
  {
    let start = index
    let appends = peek(1) == ">"
    index += appends ? 2 : 1
    let mark = appends ? ">>" : ">"
    guard !words.isEmpty else {
      throw fail("a command is missing before '\(mark)'", at: start, to: index)
    }
    let end = index
    try skipBlanks()
    guard let scalar = current, scalar != "\n", scalar != ";", scalar != ">" else {
      throw fail(
        "a file is missing after '\(mark)'", help: "for example: \(mark) out.json", at: start,
        to: end)
    }
    let open = heredocs.count
    let file = try readWord(command: commands.count, position: words.count)
    guard heredocs.count == open else {
      throw fail("a heredoc is not a file name", at: end, to: index)
    }
    return ParsedCommand.Redirect(file: file, appends: appends)
  }

  /// Whether a tag is meant after an operator, so that the lines of a text follow.
  private func isTag(behind operatorText: String) -> Bool {
    var next = scalars[index...].drop(while: Self.isBlank).first
    if operatorText != "<<" { next = operatorText.unicodeScalars.dropFirst(3).first ?? next }
    return next.map { Self.isNameStart($0) || $0 == "'" || $0 == "\"" } ?? false
  }

  private mutating func refuseShellOperator(_ word: Word, at start: Int) throws(LineStop) {
    if !word.isQuoted, word.raw == "<<" || word.raw.hasPrefix("<<-"), isTag(behind: word.raw) {
      // No prefix applies, because the lines of the text would follow as commands.
      prefix = nil
      throw fail(
        "a tag follows '<<' without a blank or '-'",
        help: "for example <<END; '\(word.raw)' in quotes is the text", at: start, to: index)
    }
    guard !word.isQuoted, ["|", "||", "&&"].contains(word.raw) else { return }
    let help =
      word.raw == "&&"
      ? "write ';': a line stops at its first failing command"
      : "there are no pipes: '> FILE' takes the output, and '\(word.raw)' in quotes is the text"
    throw fail("'\(word.raw)' joins no commands here", help: help, at: start, to: index)
  }

  // MARK: Heredocs

  mutating func open(_ heredoc: Heredoc) { heredocs.append(heredoc) }

  private mutating func readHeredocs() throws(LineStop) {
    let pending = heredocs
    for heredoc in pending {
      let start = index
      var lineStart = index
      while true {
        var lineEnd = lineStart
        while lineEnd < scalars.count, scalars[lineEnd] != "\n" { lineEnd += 1 }
        if scalars[lineStart..<lineEnd].elementsEqual(heredoc.tag.unicodeScalars) {
          let body = start..<max(start, lineStart - 1)
          commands[heredoc.command].words[heredoc.word].segments = try segments(
            of: body, isLiteral: heredoc.isLiteral)
          // The index is at the newline, so that the next heredoc starts after it and the list
          // continues after the last one.
          index = min(lineEnd + 1, scalars.count)
          break
        }
        guard lineEnd < scalars.count else {
          throw incomplete(.heredoc(heredoc.tag), at: heredoc.opener)
        }
        lineStart = lineEnd + 1
      }
    }
    heredocs = []
  }

  private func segments(of body: Range<Int>, isLiteral: Bool) throws(LineStop) -> [Word.Segment] {
    if isLiteral { return body.isEmpty ? [] : [.text(text(body))] }
    var part = self
    part.index = body.lowerBound
    return try part.literalSegments(to: body.upperBound, expandsVariables: true)
  }

  // MARK: Characters

  var isAtEnd: Bool { index >= scalars.count }
  var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  func peek(_ offset: Int) -> Unicode.Scalar? {
    index + offset < scalars.count ? scalars[index + offset] : nil
  }

  func text(_ range: Range<Int>) -> String { String(scalars: scalars[range]) }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\u{B}" || scalar == "\u{C}"
  }

  func endsWord(at position: Int) -> Bool {
    guard position < scalars.count else { return true }
    let scalar = scalars[position]
    return Self.isBlank(scalar) || scalar == "\n" || scalar == ";"
  }

  /// Skips blanks and escaped newlines.
  private mutating func skipBlanks() throws(LineStop) {
    while let scalar = current {
      if Self.isBlank(scalar) {
        index += 1
      } else if scalar == "\\", peek(1) == "\n" {
        index += 2
      } else if scalar == "\\", peek(1) == nil {
        throw incomplete(.backslash, at: index)
      } else {
        return
      }
    }
  }

  private mutating func skipToLineEnd() {
    while !isAtEnd, current != "\n" { index += 1 }
  }

  /// Skips blank lines and comments at the start of a line.
  private mutating func skipBlankLines() {
    while let scalar = current {
      if scalar == "#" {
        skipToLineEnd()
      } else if Self.isBlank(scalar) || scalar == "\n" {
        index += 1
      } else {
        return
      }
    }
  }

  private mutating func skipWord() {
    while !endsWord(at: index) { index += 1 }
  }

  // MARK: Positions and errors

  func location(_ position: Int) -> (lineOffset: Int, column: Int) { locations.location(position) }

  /// Returns the number of characters from `start` to `end`, or to the end of the line that `start`
  /// is in.
  func length(from start: Int, to end: Int) -> Int {
    let first = locations.location(start)
    let last = locations.location(end)
    if first.lineOffset == last.lineOffset { return max(1, last.column - first.column) }
    return max(1, locations.lineEndColumn(first.lineOffset) - first.column)
  }

  func fail(
    _ message: String, help: String? = nil, at start: Int, to end: Int? = nil,
    kind: UsageError.Kind = .usage
  ) -> LineStop {
    let location = locations.location(start)
    return .invalid(
      LineSyntaxError(
        message, help: help, lineOffset: location.lineOffset, column: location.column,
        length: end.map { length(from: start, to: $0) } ?? 1, kind: kind, prefix: prefix))
  }

  func incomplete(_ reason: IncompleteLine.Reason, at start: Int) -> LineStop {
    let location = locations.location(start)
    return .incomplete(
      IncompleteLine(
        reason: reason, lineOffset: location.lineOffset, column: location.column))
  }
}
