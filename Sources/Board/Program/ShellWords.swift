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
      guard let option = Self.valued(word) else { continue }
      if option.name == ProgramOption.script.name { isScript = true }
      guard Self.wantsNext(word) else {
        if isScript { return }
        continue
      }
      guard let value = before.first else {
        open = option
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
    if let open { return LineCompletion(typed: typed, kind: open.kind) }
    if isScript { return LineCompletion(typed: typed, kind: .file) }
    if !hasEnded, typed.hasPrefix("-") {
      return LineCompletion(typed: typed, options: ProgramOption.allSpecs)
    }
    return LineCompletion(command, typed: typed, in: table)
  }

  /// Returns the option of a word that takes a value, attached or as the next word.
  private static func valued(_ word: String) -> OptionSpec? {
    if word.hasPrefix("--") {
      let text = String(word.dropFirst(2))
      let name = text.cutAtEquals()?.name ?? text
      return ProgramOption.allSpecs.first { !$0.isFlag && $0.name == name }
    }
    for letter in word.dropFirst() {
      let option = ProgramOption.allSpecs.first { $0.short == letter }
      if option?.isFlag != true { return option }
    }
    return nil
  }

  /// Returns whether the value of an option is the next word, and not attached.
  private static func wantsNext(_ word: String) -> Bool {
    if word.hasPrefix("--") { return !word.unicodeScalars.contains("=") }
    return word.last == valued(word)?.short
      && word.dropFirst().dropLast().allSatisfy { letter in
        ProgramOption.allSpecs.contains { $0.short == letter && $0.isFlag }
      }
  }
}
