import SwiftBoardCommandLine

/// Commands of the board itself, and the handling of a line before it reaches a feature.
public enum ShellAction: Codable, Sendable, Equatable {
  /// A line asks for something.
  case run(context: CommandContext, command: ShellCommand)
  /// A line that was not understood: a step like any other, so that a recording has it.
  case reject(context: CommandContext, failure: Failure)
  /// Ctrl-C or `cancel` ended the command; `by` describes any other cause.
  case cancelled(job: Int, by: String? = nil)
  /// A command's effect threw an error that was not caught, or its effects ended without its
  /// result.
  case failed(job: Int, failure: Failure)
  /// What the board remembered held secrets that became known since: these are the same texts with
  /// marks.
  ///
  /// `lastLength` is the length in bytes of the last value that was searched: a command that ends
  /// meanwhile replaces that value.
  case masked(variables: [String: String], last: String?, lastLength: Int?)
}

/// The commands of the board itself.
public enum ShellCommand: Codable, Sendable, Equatable {
  /// Prints the words, a blank between them.
  case echo(words: [String])
  /// Sets a variable.
  case set(name: String, value: String)
  /// Removes a variable; one that does not exist is no failure.
  case unset(name: String)
  /// Asks whether a condition holds of the state: see `JSONCondition`.
  case assert(condition: String)
  /// The state, or the part at a path, as JSON.
  case state(path: String?)
  /// Help for these words; the whole list without any.
  case help(words: [String])
  /// The commands that run.
  case jobs
  /// Waiting is done before the step; the step says for which.
  case wait(job: Int?)
  /// Cancels a job; all that run where none is named.
  case cancel(job: Int?)
  /// What ran when the line was read.
  case effects(effects: [EffectLine])
  /// Follows a link `swiftboard://…`: the line that it stands for runs after this step.
  case open(link: String)
  /// A file whose lines are run next.
  case source(file: String)
  /// Ends the board with this exit code.
  case exit(code: Int32)
}

/// A running effect, as `effects` shows it.
public struct EffectLine: Codable, Sendable, Equatable {
  /// The effect's name; its kind's where it has none.
  public var name: String
  /// Its first cancel id with its position, `/` between the parts.
  public var id: String?
  /// All of its cancel ids, where it has more than one.
  public var ids: [String]?
  /// `pending`, `running` or `cancelled`.
  public var phase: String
  /// The step that returned it.
  public var step: Int

  /// An effect as one line.
  public init(name: String, id: String?, ids: [String]? = nil, phase: String, step: Int) {
    self.name = name
    self.id = id
    self.ids = ids
    self.phase = phase
    self.step = step
  }
}
