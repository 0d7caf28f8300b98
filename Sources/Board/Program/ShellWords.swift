import SwiftBoardCommandLine

/// The words of a command line that a shell asks to complete, split into the program's options and
/// the words of a command.
package struct ShellWords: Sendable, Equatable {
  /// The program's options before the last word, with their values. The one whose value is typed is
  /// left out.
  package private(set) var options: [String] = []
  /// The words of the command before the last one.
  private var command: [String] = []
  /// The word at the cursor, empty behind a blank.
  private let typed: String
  /// The option whose value the last word is.
  private var open: OptionSpec?
  /// Whether the last word is an argument of a script.
  private var isScript = false
  /// Whether an option gives a line, so that no command and no script can follow.
  private var hasLine = false
  /// Whether the program refuses an option before the last word.
  private var isRefused = false
  /// Whether `--` or a word of the command ended the program's options.
  private var hasEnded = false

  /// - Parameter words: The words behind the program's name up to the cursor, without quotes.
  package init(_ words: [String]) {
    typed = words.last ?? ""
    var before = words.dropLast()[...]
    while let word = before.first, !hasEnded {
      guard word.hasPrefix("-"), word != "-" else {
        hasEnded = true
        break
      }
      before = before.dropFirst()
      if word == "--" {
        hasEnded = true
        break
      }
      options.append(word)
      let uses = try? Argument(word).options(among: ProgramOption.allSpecs) {
        UsageError("unknown option '\($0)'")
      }
      guard let use = uses?.last else {
        isRefused = true
        return
      }
      if use.option == ProgramOption.script { isScript = true }
      if use.option == ProgramOption.lines { hasLine = true }
      guard case .next = use.value else {
        if isScript { return }
        continue
      }
      guard let value = before.first else {
        open = use.option
        options.removeLast()
        return
      }
      options.append(value)
      before = before.dropFirst()
      if isScript { return }
    }
    command = Array(before)
  }

  /// Returns what can stand for the last word, or `nil` if nothing is known.
  package func completion<Output>(in table: CommandTable<Output>) -> LineCompletion? {
    if isRefused || hasLine && isScript { return nil }
    if let open { return LineCompletion(typed: typed, kind: open.kind) }
    if isScript { return LineCompletion(typed: typed, kind: .file) }
    if !hasEnded, typed.hasPrefix("-") {
      return LineCompletion(typed: typed, options: ProgramOption.allSpecs)
    }
    return hasLine ? nil : LineCompletion(command, typed: typed, in: table)
  }
}
