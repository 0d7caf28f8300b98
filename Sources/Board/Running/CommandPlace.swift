import SwiftBoardCommandLine

/// The place of a command in its line, for the caret of a failure that has no place of its own.
struct CommandPlace {
  /// The index of the physical line, from 1, or `nil` for the first one.
  private(set) var lineOffset: Int?
  private(set) var column: Int
  private(set) var length: Int

  /// Finds a command in its line by its name. The place is the first physical line if it is not
  /// found.
  ///
  /// - Parameters:
  ///   - count: Which of the commands with its name it is, from 1, or `nil` if that is unknown.
  ///   - aliases: The aliases of the board's state.
  init(
    of context: CommandContext, count: Int?, _ aliases: [String: String]?,
    in table: CommandTable<BoardCommand>
  ) {
    column = 1
    length = context.text.firstPhysicalLine.count
    // The command of a round of `watch` is not one of the line.
    guard context.round == nil, case .commands(let list) = LineParser.parse(context.text),
      let command = Self.command(of: context, count, list.commands, aliases, table),
      let first = command.words.first, let last = command.words.last
    else { return }
    lineOffset = first.lineOffset > 0 ? first.lineOffset : nil
    column = first.column
    let lines = context.text.physicalLines
    let end =
      last.lineOffset == first.lineOffset || !lines.indices.contains(first.lineOffset)
      ? last.column + last.length : lines[first.lineOffset].count + 1
    length = max(1, end - column)
  }

  private static func command(
    of context: CommandContext, _ count: Int?, _ commands: [ParsedCommand],
    _ aliases: [String: String]?, _ table: CommandTable<BoardCommand>
  ) -> ParsedCommand? {
    if commands.count == 1 { return commands[0] }
    let firstWords = Set(table.words(after: []))
    let named = commands.filter { command in
      let words = try? AliasExpansion.words(command.words, aliases, firstWords)
      return name(of: words ?? command.words, in: table) == context.name
    }
    if let count, named.indices.contains(count - 1) { return named[count - 1] }
    return named.count == 1 ? named[0] : nil
  }

  private static func name(of words: [Word], in table: CommandTable<BoardCommand>) -> String {
    var path: [String] = []
    for word in words {
      guard let text = word.literal, table.words(after: path).contains(text) else { break }
      path.append(text)
    }
    return path.joined(separator: ".")
  }
}

/// The commands of the last line that have started, by name. A recording has no place of a command,
/// but its steps tell which of several with one name has failed.
struct StartedCommands: Sendable {
  private struct Line {
    var last: CommandContext
    var counts: [String: Int] = [:]
  }

  /// The last line of each file that is read. A `source` command may have started the next one.
  private var lines: [Line] = []

  /// Notes a command that starts, or that is refused.
  mutating func note(_ context: CommandContext) {
    // A command that has started before may end by a step of its own.
    guard context.round == nil, context.job > lines.last?.last.job ?? 0 else { return }
    if let index = lines.lastIndex(where: { $0.last.source == context.source }) {
      lines.removeSubrange((index + 1)...)
      let last = lines[index].last
      if last.line != context.line || last.text != context.text { lines[index].counts = [:] }
      lines[index].last = context
    } else {
      lines.append(Line(last: context))
    }
    lines[lines.count - 1].counts[context.name, default: 0] += 1
  }

  /// Returns how many commands of its line with its name have started with the last one, or `nil`
  /// if it is not the last one.
  func count(of context: CommandContext) -> Int? {
    guard let line = lines.last, context.job == line.last.job else { return nil }
    return line.counts[context.name]
  }
}
