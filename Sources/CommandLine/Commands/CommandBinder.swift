/// Binds one command's words: finds the command, separates options from arguments, and binds both.
struct CommandBinder<Output> {
  let table: CommandTable<Output>
  let words: [Argument]
  let isLiteral: Bool

  private var path: [String] = []
  /// The last word of the path, for errors without a more specific word.
  private var head: Argument?
  private var candidates: [CommandWords.Entry] = []
  /// The words that are not in the path, in order.
  private var rest: [Argument] = []
  private var own = OptionValues()
  private var globals = OptionValues()
  private var positional: [Argument] = []
  /// The number of words in `positional` before `--`, if the words have one.
  private var countBeforeEnd: Int?

  init(table: CommandTable<Output>, words: [Argument], isLiteral: Bool) {
    self.table = table
    self.words = words
    self.isLiteral = isLiteral
  }

  mutating func bind() throws(UsageError) -> CommandMatch<Output> {
    guard let first = words.first else { throw UsageError("a command is missing") }
    if looksLikeOption(first), first.text != "--" {
      throw UsageError(
        "a command is missing before '\(first.shown)'", help: "options follow their command",
        at: first)
    }
    walk()
    let chosen = try choose()
    candidates = [chosen]
    let spec = table.specs[chosen.index]
    try sort(for: spec)
    let arguments = try bindArguments(of: spec)
    let invocation = Invocation(path: spec.path, head: head, arguments: arguments, options: own)
    do throws(UsageError) {
      return CommandMatch(
        path: spec.path, output: try spec.build(invocation), globals: globals)
    } catch {
      guard error.column == nil, let head else { throw error }
      var placed = error
      placed.column = head.column
      placed.length = head.length
      placed.lineOffset = head.lineOffset
      throw placed
    }
  }

  // MARK: Finding the command

  /// Takes words while they continue a path in the table. Skips options and their values.
  private mutating func walk() {
    let known = table.words
    var index = 0
    while index < words.count {
      let word = words[index]
      if looksLikeOption(word) {
        if word.text == "--" { break }
        rest.append(word)
        index += 1
        if takesNextWord(word), index < words.count {
          rest.append(words[index])
          index += 1
        }
        continue
      }
      guard let text = word.text else { break }
      let narrowed = known.narrowed(candidates, path, text)
      guard !narrowed.isEmpty else { break }
      candidates = narrowed
      path.append(text)
      head = word
      index += 1
    }
    rest += words[index...]
  }

  private func takesNextWord(_ word: Argument) -> Bool {
    table.words.takesNextWord(word, candidates, table.globals)
  }

  private func choose() throws(UsageError) -> CommandWords.Entry {
    let next = nextPositional
    var subwords: [String] { table.words(after: path) }
    if path.isEmpty {
      let word = next ?? words.first
      if let word, let prefix = misplacedPrefix(in: word) { throw prefix }
      throw unknown(word, kind: "command", among: subwords, help: "'help' lists the commands")
    }
    if let exact = candidates.first(where: { $0.path == path }) {
      if let next, table.specs[exact.index].arguments.isEmpty, !subwords.isEmpty {
        throw unknownSubcommand(next, among: subwords)
      }
      return exact
    }
    if let next { throw unknownSubcommand(next, among: subwords) }
    throw UsageError(
      "a sub-command is missing after '\(path.joined(separator: " "))'",
      help: "one of \(subwords.joined(separator: ", "))", at: head)
  }

  /// The first remaining word that is neither an option nor an option's value.
  private var nextPositional: Argument? {
    var index = 0
    while index < rest.count {
      let word = rest[index]
      if looksLikeOption(word) {
        if word.text == "--" { return index + 1 < rest.count ? rest[index + 1] : nil }
        index += takesNextWord(word) ? 2 : 1
      } else {
        return word
      }
    }
    return nil
  }

  private func unknownSubcommand(_ word: Argument, among known: [String]) -> UsageError {
    unknown(
      word, kind: "\(path.joined(separator: " ")) command", among: known,
      help: "one of \(known.joined(separator: ", "))")
  }

  private func unknown(_ word: Argument?, kind: String, among known: [String], help: String)
    -> UsageError
  {
    let text = word?.shown ?? ""
    // A word that is known was not taken because it is behind '--'.
    let isMisplaced = word?.text.map(known.contains) == true
    return UsageError(
      "unknown \(kind) '\(text)'",
      help: isMisplaced
        ? "put it before '--'" : Suggestion.advice(for: text, among: known) ?? help,
      at: word)
  }

  /// Returns the error of a first word that is, or begins with, the prefix of a line.
  private func misplacedPrefix(in word: Argument) -> UsageError? {
    guard !word.isQuoted, !word.isInserted, let text = word.text,
      text.hasPrefix("!") || ["-", "time"].contains(text)
    else { return nil }
    return UsageError(
      "'\(text.hasPrefix("!") ? "!" : text)' is the prefix of a line, and no command",
      help: "a line has one prefix, before its first command", at: word)
  }

  // MARK: Options

  /// Whether a word starts with a dash and is not a negative number. Quoted words and inserted
  /// values are text.
  private func looksLikeOption(_ word: Argument) -> Bool {
    guard isLiteral || !word.isQuoted, isTypedAsOption(word) else { return false }
    let text = word.leadingText
    guard text.hasPrefix("-"), text != "-" || word.parts.count > 1 else { return false }
    let second = text.dropFirst().first
    guard second?.isNumber == true || second == "." else { return true }
    return candidates.contains { $0.options.contains { $0.short == second } }
  }

  /// Whether the dash and the option's name were typed. An inserted value can only be the value of
  /// an option.
  private func isTypedAsOption(_ word: Argument) -> Bool {
    guard word.typedCount != nil else { return true }
    let typed = word.typedText
    return typed.hasPrefix("--")
      ? typed.unicodeScalars.contains("=") : typed.hasPrefix("-") && typed.count > 1
  }

  private mutating func sort(for spec: CommandSpec<Output>) throws(UsageError) {
    var index = 0
    var hasEnded = false
    while index < rest.count {
      let word = rest[index]
      index += 1
      if hasEnded || !looksLikeOption(word) || isPassedOn(word, spec) {
        positional.append(word)
        // A '--' that is passed on ends the options of both commands.
        if word.text == "--", looksLikeOption(word) { hasEnded = true }
      } else if word.text == "--" {
        hasEnded = true
        countBeforeEnd = positional.count
      } else {
        try readOptions(of: word, spec, &index)
      }
    }
  }

  /// Whether an option belongs to the command that is this one's last argument.
  private func isPassedOn(_ word: Argument, _ spec: CommandSpec<Output>) -> Bool {
    guard spec.takesCommand, positional.count >= spec.arguments.count else { return false }
    let text = String(word.leadingText.drop { $0 == "-" })
    let name = text.cutAtEquals()?.name ?? text
    return !spec.options.contains { $0.name == name }
  }

  private mutating func readOptions(
    of word: Argument, _ spec: CommandSpec<Output>, _ index: inout Int
  ) throws(UsageError) {
    let uses = try word.options(among: spec.options + table.globals) {
      unknownOption($0, word, spec)
    }
    for use in uses {
      let isOwn = spec.options.contains(use.option)
      switch use.value {
      case .flag(let flag): set(flag, use.option, isOwn)
      case .attached(let value): try add(value, use, isOwn)
      case .next: try add(try nextValue(of: use, word, &index), use, isOwn)
      }
    }
  }

  private mutating func set(_ flag: Bool, _ option: OptionSpec, _ isOwn: Bool) {
    if isOwn { own.set(flag, for: option) } else { globals.set(flag, for: option) }
  }

  private mutating func add(
    _ value: Argument, _ use: OptionUse, _ isOwn: Bool
  ) throws(UsageError) {
    let option = use.option
    try option.kind.check(value, named: use.spelling)
    let value = option.kind.expanded(value)
    if isOwn { own.add(value, for: option) } else { globals.add(value, for: option) }
  }

  private func nextValue(
    of use: OptionUse, _ word: Argument, _ index: inout Int
  ) throws(UsageError) -> Argument {
    guard index < rest.count,
      isLiteral || rest[index].isQuoted || !rest[index].typedText.hasPrefix("--")
    else {
      let help = "\(use.spelling) \(use.option.placeholder ?? "VALUE")"
      throw UsageError("missing value for \(use.spelling)", help: help, at: word)
    }
    index += 1
    return rest[index - 1]
  }

  private func unknownOption(_ name: String, _ word: Argument, _ spec: CommandSpec<Output>)
    -> UsageError
  {
    let known = (spec.options + table.globals).flatMap(\.spellings)
    // In a line, nothing may precede the command.
    let isLeading =
      isLiteral
      && table.leadingOptions.contains {
        $0.spellings.contains(name) || $0.short.map { "-\($0)" } == name
      }
    let help =
      isLeading
      ? "'\(name)' is an option of the program: \(table.program) \(name) ..."
      : known.contains("-" + name)
        ? "did you mean '-\(name)'?"
        : Suggestion.advice(for: name, among: known)
          ?? "'help \(spec.path.joined(separator: " "))' lists them"
    return UsageError("unknown option '\(name)'", help: help, at: word)
  }

  // MARK: Arguments

  private func bindArguments(of spec: CommandSpec<Output>) throws(UsageError) -> [String:
    [Argument]]
  {
    var usage: String { "usage: \(spec.synopsis)" }
    let required = spec.arguments.filter { !$0.isOptional }
    guard positional.count >= required.count else {
      // Required arguments are bound before optional ones, so this is the first one without a word.
      let missing = required[positional.count]
      throw UsageError(
        "\(missing.name.uppercased()) is missing", help: usage, at: words.last)
    }
    var bound: [String: [Argument]] = [:]
    var spare = positional.count - required.count
    var index = 0
    for argument in spec.arguments {
      var count = argument.isOptional ? min(1, spare) : 1
      if argument.isRepeating { count = spare + (argument.isOptional ? 0 : 1) }
      spare -= argument.isOptional ? count : count - 1
      let taken = positional[index..<(index + count)]
      if argument.kind.isItem, let error = quotedOption(in: taken.indices, spec, isItem: true) {
        throw error
      }
      index += count
      for word in taken { try argument.kind.check(word, named: argument.name) }
      if !taken.isEmpty { bound[argument.name] = taken.map(argument.kind.expanded) }
    }
    guard index == positional.count else {
      if let error = quotedOption(in: positional.indices, spec, isItem: false) { throw error }
      let word = positional[index]
      let isComment = word.shown.hasPrefix("#") && !word.isQuoted
      throw UsageError(
        "unexpected argument '\(word.shown)'",
        help: isComment ? "write ';' before a comment behind a command" : usage, at: word)
    }
    return bound
  }

  /// Returns the error of the first quoted word that would be an option of the command without its
  /// quotes. As an item, a credential of `--auth` would go into the body in place of a header.
  private func quotedOption(
    in indices: Range<Int>, _ spec: CommandSpec<Output>, isItem: Bool
  ) -> UsageError? {
    guard !isLiteral else { return nil }
    for word in positional[indices.clamped(to: 0..<(countBeforeEnd ?? positional.count))]
    where word.quoting == .single || word.quoting == .double {
      let text = word.leadingText
      guard text.hasPrefix("--"), isTypedAsOption(word) else { continue }
      let name = text.cutAtEquals()?.name ?? text
      guard (spec.options + table.globals).contains(where: { $0.spellings.contains(name) }) else {
        continue
      }
      return UsageError(
        "'\(name)' is in quotes, and a quoted word is no option",
        help: "leave the quotes off \(name)" + (isItem ? "; behind '--' it is text" : ""), at: word)
    }
    return nil
  }
}
