/// The text ended inside a construct.
struct OpenConstruct: Error {
  var line: IncompleteLine
}

/// The scanner of `LineParser`. This file scans commands; `LineScanner+Words` scans words.
///
/// It works on Unicode scalars, because a `Character` would combine a quote with a following
/// combining mark.
///
/// It continues after an error, because a line ends where its quotes, brackets and heredocs end. A
/// part of their text must never be taken for a line.
struct LineScanner {
  let scalars: [Unicode.Scalar]
  var index = 0
  private let locations: TextLocations
  /// The first error.
  private(set) var problem: LineSyntaxError?
  /// What to do if a reference is meant as text.
  var adviceForText = "single quotes make it text"
  /// The end of a line in which no `}}` follows a place that was searched from. Without it, a line
  /// of many `{{` would be searched for each of them.
  var unclosedReferenceEnd = 0
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
    /// Whether tabs may precede the tag at the end, as for the `<<-` of a shell.
    var allowsTabs = false
  }

  /// - Parameter keepsReturns: Whether CR LF stays, as in a word that a shell has split. In lines,
  ///   it counts as a newline.
  init(_ text: String, keepsReturns: Bool = false) {
    // "\r\n" is one Character but two scalars. It is normalized first, so that columns agree.
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(text.utf8.count)
    var hadReturn = false
    for scalar in text.unicodeScalars {
      if scalar == "\n", hadReturn, !keepsReturns { scalars.removeLast() }
      hadReturn = scalar == "\r"
      scalars.append(scalar)
    }
    self.scalars = scalars
    locations = TextLocations(scalars)
  }

  // MARK: The whole line

  mutating func parse() -> ParsedLine {
    if let zero = scalars.firstIndex(of: "\0") {
      fail(
        "a NUL character", help: "a line is text; is this a binary file?", at: zero,
        kind: .malformedData)
    }
    skipBlankLines()
    do throws(OpenConstruct) {
      if !isAtEnd {
        try readPrefix()
        try readCommands()
      }
    } catch {
      var open = error.line
      open.problem = problem
      return .incomplete(open)
    }
    if let problem { return .invalid(problem) }
    // The text may consist of escaped newlines only.
    return commands.isEmpty ? .empty : .commands(CommandList(prefix: prefix, commands: commands))
  }

  private mutating func readPrefix() throws(OpenConstruct) {
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
      let example = "\(word)\(prefix == .time ? " " : "")db stats"
      // A prefix of nothing does not say how the error counts.
      prefix = nil
      fail(
        "a command is missing after '\(word)'", help: "for example: \(example)", at: start, to: end)
    }
  }

  private mutating func readCommands() throws(OpenConstruct) {
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
        if !isAfterCommand {
          fail("a command is missing before ';'", help: "remove the ';' or quote it", at: index)
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
    if !heredocs.isEmpty { throw incomplete(heredocs[...]) }
  }

  // MARK: One command

  private mutating func readCommand() throws(OpenConstruct) -> ParsedCommand {
    var words: [Word] = []
    var isBackground = false
    var redirect: ParsedCommand.Redirect?
    while true {
      try skipBlanks()
      guard let scalar = current, scalar != "\n", scalar != ";" else { break }
      let start = index
      if scalar == "&", !isBackground, endsWord(at: index + 1) {
        if words.isEmpty { fail("a command is missing before '&'", at: start) }
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
        fail(
          "nothing may follow '\(mark)'", help: "write ';' before the next command", at: start,
          to: wordEnd(from: start))
      }
      words.append(try readWord(command: commands.count, position: words.count))
      refuseShellOperator(words[words.count - 1], position: words.count - 1, at: start)
    }
    return ParsedCommand(words: words, isBackground: isBackground, redirect: redirect)
  }

  private func isRedirect(after words: [Word]) -> Bool {
    if peek(1) == "=" { return false }
    guard var name = words.first?.literal else { return true }
    if name == "watch" {
      // The repeated command follows the interval, and options with numbers.
      let repeated = words.dropFirst().first { word in
        guard let first = word.raw.unicodeScalars.first else { return true }
        return first != "-" && !Self.isDigit(first)
      }
      name = repeated?.literal ?? name
    }
    return !LineParser.comparing.contains(name)
  }

  private mutating func readRedirect(
    after words: [Word]
  ) throws(OpenConstruct) -> ParsedCommand.Redirect? {
    let start = index
    let appends = peek(1) == ">"
    index += appends ? 2 : 1
    let mark = appends ? ">>" : ">"
    if words.isEmpty { fail("a command is missing before '\(mark)'", at: start, to: index) }
    let end = index
    try skipBlanks()
    guard let scalar = current, scalar != "\n", scalar != ";", scalar != ">" else {
      fail(
        "a file is missing after '\(mark)'", help: "for example: \(mark) out.json", at: start,
        to: end)
      return nil
    }
    let open = heredocs.count
    if scalar == "&" {
      fail(
        "'\(mark)&' redirects to no stream here",
        help: "'\(mark) FILE' takes the results; a name that begins with '&' needs quotes",
        at: start, to: wordEnd(from: index))
    }
    let file = try readWord(command: commands.count, position: words.count)
    if heredocs.count > open { fail("a heredoc is not a file name", at: end, to: index) }
    return ParsedCommand.Redirect(file: file, appends: appends)
  }

  private mutating func refuseShellOperator(_ word: Word, position: Int, at start: Int) {
    guard !word.isQuoted else { return }
    if word.raw == "<<" || word.raw.hasPrefix("<<-") {
      openHeredoc(behind: word.raw, position: position, at: start)
    }
    guard ["|", "||", "&&"].contains(word.raw) else { return }
    let help =
      word.raw == "&&"
      ? "write ';': a line stops at its first failing command"
      : "there are no pipes: '> FILE' takes the output, and '\(word.raw)' in quotes is the text"
    fail("'\(word.raw)' joins no commands here", help: help, at: start, to: index)
  }

  // MARK: Heredocs

  mutating func open(_ heredoc: Heredoc) { heredocs.append(heredoc) }

  /// Refuses the `<< TAG` and `<<-TAG` of a shell. The lines up to the tag are its text.
  private mutating func openHeredoc(behind operatorText: String, position: Int, at start: Int) {
    let allowsTabs = operatorText != "<<"
    var tagStart = start + (allowsTabs ? 3 : 2)
    while tagStart < scalars.count, Self.isBlank(scalars[tagStart]) { tagStart += 1 }
    guard tagStart < scalars.count, !Self.isOperator(scalars[tagStart]) else { return }
    // Behind a blank, what is no tag may be data, as in '<< 3'.
    guard
      operatorText.count > 3 || Self.isNameStart(scalars[tagStart])
        || Self.isQuote(scalars[tagStart])
    else { return }
    fail(
      "a tag follows '<<' without a blank or '-'", help: Self.helpForTag(meant: operatorText),
      at: start, to: index)
    open(
      Heredoc(
        tag: meantTag(from: tagStart).name, isLiteral: true, command: commands.count,
        word: position, opener: start, allowsTabs: allowsTabs))
  }

  private mutating func readHeredocs() throws(OpenConstruct) {
    let pending = heredocs
    for (position, heredoc) in pending.enumerated() {
      let start = index
      var lineStart = index
      while true {
        var lineEnd = lineStart
        while lineEnd < scalars.count, scalars[lineEnd] != "\n" { lineEnd += 1 }
        var line = scalars[lineStart..<lineEnd]
        if heredoc.allowsTabs { line = line.drop { $0 == "\t" } }
        if line.elementsEqual(heredoc.tag.unicodeScalars) {
          let segments = segments(
            of: start..<max(start, lineStart - 1), isLiteral: heredoc.isLiteral)
          // A heredoc in the place of a file's name is no word of the command.
          if commands[heredoc.command].words.indices.contains(heredoc.word) {
            commands[heredoc.command].words[heredoc.word].segments = segments
          }
          // The index is at the newline, so that the next heredoc starts after it and the list
          // continues after the last one.
          index = min(lineEnd + 1, scalars.count)
          break
        }
        guard lineEnd < scalars.count else {
          throw incomplete(pending[position...])
        }
        lineStart = lineEnd + 1
      }
    }
    heredocs = []
  }

  private mutating func segments(of body: Range<Int>, isLiteral: Bool) -> [Word.Segment] {
    if isLiteral { return body.isEmpty ? [] : [.text(text(body))] }
    let end = index
    defer { index = end }
    index = body.lowerBound
    return literalSegments(to: body.upperBound, expandsVariables: true)
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
  private mutating func skipBlanks() throws(OpenConstruct) {
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

  func wordEnd(from start: Int) -> Int {
    var end = start
    while !endsWord(at: end) { end += 1 }
    return end
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

  /// Notes an error, unless there is one already.
  mutating func fail(
    _ message: String, help: String? = nil, at start: Int, to end: Int? = nil,
    kind: UsageError.Kind = .usage
  ) {
    guard problem == nil else { return }
    let location = locations.location(start)
    problem = LineSyntaxError(
      message, help: help, lineOffset: location.lineOffset, column: location.column,
      length: end.map { length(from: start, to: $0) } ?? 1, kind: kind, prefix: prefix)
  }

  func incomplete(_ reason: IncompleteLine.Reason, at start: Int) -> OpenConstruct {
    let location = locations.location(start)
    return OpenConstruct(
      line: IncompleteLine(
        reason: reason, lineOffset: location.lineOffset, column: location.column,
        lastLine: locations.location(scalars.count).lineOffset,
        mayBeginComment: reason == .backslash && mayBeginCommand(at: start)))
  }

  /// Returns the error of heredocs whose texts do not end, of which there is at least one.
  private func incomplete(_ heredocs: ArraySlice<Heredoc>) -> OpenConstruct {
    let first = heredocs[heredocs.startIndex]
    var open = incomplete(.heredoc(first.tag), at: first.opener)
    let remaining = heredocs.map { heredoc in
      let location = location(heredoc.opener)
      return OpenHeredoc(
        tag: heredoc.tag, allowsTabs: heredoc.allowsTabs, lineOffset: location.lineOffset,
        column: location.column)
    }
    open.line.heredocs = remaining[...]
    return open
  }

  /// Returns whether a command may begin at a place, by what is before it in its physical line.
  private func mayBeginCommand(at position: Int) -> Bool {
    let before = scalars[..<position].last { !Self.isBlank($0) }
    return before == nil || before == ";" || before == "\n"
  }
}
