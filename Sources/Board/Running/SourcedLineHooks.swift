/// What a program does around each line of a sourced file, as around its own lines.
struct SourcedLineHooks: Sendable {
  /// Shows a line before the executor runs it, in the form that the command which runs it prints.
  /// `nil` shows none.
  var echo: (@Sendable (ScriptLine, LineExecutor, CommandContext) -> Void)?
  /// Reports a failure that no command has printed, with its line and the command that runs it.
  /// `nil` leaves that to the outcome of the line that sources the file.
  var report: (@Sendable (LineOutcome, ScriptLine, CommandContext) -> Void)?
}
