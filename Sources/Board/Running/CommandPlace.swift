import SwiftBoardCommandLine

/// The place of a command in its line, for the caret of a failure that has no place of its own.
struct CommandPlace {
  /// The index of the physical line, from 1, or `nil` for the first one.
  private(set) var lineOffset: Int?
  private(set) var column: Int
  private(set) var length: Int

  /// Finds a command by its name. The place is the first physical line if several commands of the
  /// line have that name, or none has.
  init(of context: CommandContext, in table: CommandTable<BoardCommand>) {
    column = 1
    length = context.text.prefix { !$0.isNewline }.count
    // The command of a round of `watch` is not one of the line.
    guard context.round == nil else { return }
    guard case .commands(let list) = LineParser.parse(context.text), list.commands.count > 1
    else { return }
    let named = list.commands.filter { Self.name(of: $0, in: table) == context.name }
    guard named.count == 1, let first = named[0].words.first, let last = named[0].words.last
    else { return }
    lineOffset = first.lineOffset > 0 ? first.lineOffset : nil
    column = first.column
    let lines = context.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let end =
      last.lineOffset == first.lineOffset || !lines.indices.contains(first.lineOffset)
      ? last.column + last.length : lines[first.lineOffset].count + 1
    length = max(1, end - column)
  }

  private static func name(
    of command: ParsedCommand, in table: CommandTable<BoardCommand>
  ) -> String {
    var path: [String] = []
    for word in command.words {
      guard let text = word.literal, table.words(after: path).contains(text) else { break }
      path.append(text)
    }
    return path.joined(separator: ".")
  }
}
