import SwiftBoardCommandLine

extension LineExecutor {
  /// A line with its execution context.
  struct Line {
    /// The text of the line as steps contain it.
    var text: String
    let location: LineLocation
    let isLiteral: Bool
    /// The id for interrupts, which is that of the `source` line for the lines of its file.
    let id: JobControl.LineID
    /// The command that runs the line, if a command does: `source`. Its options apply to the line,
    /// and its file receives the output of commands without a redirection of their own.
    var outer: CommandContext?
    /// The nesting depth of `source`.
    var depth = 0
    /// The number of secrets that were known when the line was read.
    let knownCount: Int
    /// The values of `$1`, `$2` and so on.
    let arguments: [String]
    /// Whether several commands share the line.
    let hasSeveralCommands: Bool

    init(
      _ line: ScriptLine, _ secrets: TypedSecretFinder, _ isLiteral: Bool, _ id: JobControl.LineID,
      knownCount: Int, arguments: [String]
    ) {
      self.id = id
      self.arguments = arguments
      self.knownCount = knownCount
      text = secrets.shown(line)
      location = line.location
      hasSeveralCommands =
        if case .commands(let list) = line.parsed { list.commands.count > 1 } else { false }
      self.isLiteral = isLiteral
    }

    /// Returns the line with the text that contains a secret replaced.
    func refused(_ typed: TypedSecret) -> Line {
      var line = self
      line.text = typed.text
      return line
    }
  }
}
