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
      let isDone =
        text.hasPrefix("--")
        ? try readLong(word, &options) : try readShort(word, &options)
      if isDone { return }
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
  private mutating func readLong(_ word: Argument, _ options: inout ProgramOptions)
    throws(UsageError) -> Bool
  {
    let text = String(word.leadingText.dropFirst(2))
    let parts = text.cutAtEquals()
    let name = parts?.name ?? text
    let attached = parts.map { word.droppingLeading($0.name.unicodeScalars.count + 3) }
    if name == ProgramOption.lines.name || name == ProgramOption.script.name {
      let value = try value(attached, of: "--\(name)", word)
      return try choose(name, value, &options)
    }
    if let option = ProgramOption.all.first(where: { $0.spec.name == name }) {
      if option.spec.isFlag {
        if attached != nil { throw UsageError("--\(name) takes no value", at: word) }
        try option.apply(.flag(true), &options)
      } else {
        try apply(option, try value(attached, of: "--\(name)", word), &options)
      }
      return false
    }
    if name.hasPrefix("no-"),
      let option = ProgramOption.all.first(where: {
        $0.spec.isNegatable && $0.spec.name == name.dropFirst(3)
      })
    {
      if attached != nil { throw UsageError("--\(name) takes no value", at: word) }
      try option.apply(.flag(false), &options)
      return false
    }
    throw unknown("--\(name)", word)
  }

  private mutating func readShort(_ word: Argument, _ options: inout ProgramOptions)
    throws(UsageError) -> Bool
  {
    let letters = word.leadingText.unicodeScalars.dropFirst().map(Character.init)
    for (offset, letter) in letters.enumerated() {
      let rest = offset + 1 < letters.count ? word.droppingLeading(offset + 2) : nil
      if letter == ProgramOption.lines.short || letter == ProgramOption.script.short {
        let name = letter == "c" ? ProgramOption.lines.name : ProgramOption.script.name
        return try choose(name, try value(rest, of: "-\(letter)", word), &options)
      }
      guard let option = ProgramOption.all.first(where: { $0.spec.short == letter }) else {
        throw unknown(offset == 0 && letters.count > 1 ? word.leadingText : "-\(letter)", word)
      }
      if option.spec.isFlag {
        try option.apply(.flag(true), &options)
      } else {
        try apply(option, try value(rest, of: "-\(letter)", word), &options)
        return false
      }
    }
    return false
  }

  private mutating func choose(_ name: String, _ value: Argument, _ options: inout ProgramOptions)
    throws(UsageError) -> Bool
  {
    if name == ProgramOption.lines.name {
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

  private func apply(_ option: ProgramOption, _ value: Argument, _ options: inout ProgramOptions)
    throws(UsageError)
  {
    try option.spec.kind.check(value, named: "--\(option.spec.name)")
    try option.apply(.value(value), &options)
  }

  /// Returns the attached value of the option, or else the next word.
  private mutating func value(_ attached: Argument?, of name: String, _ word: Argument)
    throws(UsageError) -> Argument
  {
    if let attached { return attached }
    guard index < words.count else { throw UsageError("missing value for \(name)", at: word) }
    index += 1
    return words[index - 1]
  }

  private func unknown(_ name: String, _ word: Argument) -> UsageError {
    let known =
      ProgramOption.all.flatMap(\.spec.spellings)
      + [ProgramOption.lines, ProgramOption.script].flatMap(\.spellings)
    let help =
      known.contains("-" + name)
      ? "did you mean '-\(name)'?" : Suggestion.advice(for: name, among: known)
    return UsageError(
      "unknown option '\(name)'", help: help, at: word)
  }
}
