import SwiftBoardCommandLine

/// Parses the program's arguments before the command.
struct ProgramArgumentParser {
  private let words: [Argument]
  private var index = 0
  private var lines: [String] = []

  init(arguments: [String]) {
    var column = 1
    words = arguments.map { text in
      defer { column += text.count + 1 }
      return Argument(text, column: column)
    }
  }

  /// Whether `-h` or `--help` appears before the command.
  var asksForHelp: Bool {
    for word in words {
      let text = word.leadingText
      if text == "--help" || text == "-h" { return true }
      if text == "--" || text == "-f" { return false }
    }
    return false
  }

  mutating func run(_ options: inout ProgramOptions) throws(UsageError) {
    while index < words.count {
      let word = words[index]
      let text = word.leadingText
      if text == "--" {
        index += 1
        options.hasEndedOptions = true
        break
      }
      guard text.hasPrefix("-"), text != "-" else { break }
      index += 1
      if try readOptions(of: word, &options) { return }
    }
    try finish(&options)
  }

  private mutating func finish(_ options: inout ProgramOptions) throws(UsageError) {
    if options.mode == .help || options.mode == .version { return }
    let rest = words[index...]
    if let first = rest.first {
      guard lines.isEmpty else {
        throw UsageError(
          "-c and a command exclude each other", help: "put the command into a -c of its own",
          at: first)
      }
      options.mode = .oneShot(rest.map(\.leadingText))
    } else if !lines.isEmpty {
      options.mode = .lines(lines)
    }
  }

  /// Returns true if nothing further is to be parsed.
  private mutating func readOptions(
    of word: Argument, _ options: inout ProgramOptions
  ) throws(UsageError) -> Bool {
    for use in try word.options(among: ProgramOption.allSpecs, unknown: { unknown($0, word) }) {
      let given = try given(use, word)
      if let value = given.argument,
        [ProgramOption.lines, ProgramOption.script].contains(use.option)
      {
        return try choose(use.option, value, &options)
      }
      let option = ProgramOption.all.first { $0.spec == use.option }
      if let value = given.argument { try use.option.kind.check(value, named: given.name) }
      try option?.apply(given, &options)
    }
    return false
  }

  private mutating func given(
    _ use: OptionUse, _ word: Argument
  ) throws(UsageError) -> ProgramOption.Given {
    let name = "--\(use.option.name)"
    switch use.value {
    case .flag(let flag): return .flag(flag)
    case .attached(let value): return .value(value, named: name)
    case .next:
      guard index < words.count else {
        throw UsageError("missing value for \(use.spelling)", at: word)
      }
      index += 1
      return .value(words[index - 1], named: name)
    }
  }

  private mutating func choose(
    _ option: OptionSpec, _ value: Argument, _ options: inout ProgramOptions
  ) throws(UsageError) -> Bool {
    if option == ProgramOption.lines {
      lines.append(value.leadingText)
      return false
    }
    if options.mode == .help || options.mode == .version { return true }
    guard lines.isEmpty else {
      throw UsageError("-c and -f exclude each other", at: value)
    }
    guard !value.leadingText.isEmpty else {
      throw UsageError("a file is missing after -f", at: value)
    }
    options.mode = .script(
      path: value.leadingText, arguments: words[index...].map(\.leadingText))
    return true
  }

  private func unknown(_ name: String, _ word: Argument) -> UsageError {
    let known = ProgramOption.allSpecs.flatMap(\.spellings)
    let help =
      known.contains("-" + name)
      ? "did you mean '-\(name)'?" : Suggestion.advice(for: name, among: known)
    return UsageError(
      "unknown option '\(name)'", help: help, at: word)
  }
}
