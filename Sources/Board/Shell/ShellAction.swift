/// The board's own commands, and the handling of a line before it reaches a feature.
public enum ShellAction: Codable, Sendable, Equatable {
  /// Starts a command.
  case run(context: CommandContext, command: ShellCommand)
  /// What `doctor` found.
  case diagnosed(job: Int, findings: [DoctorFinding])
  /// A line was not understood, or the output of its command was lost. It is a step so that
  /// recordings contain it. `earlier` is the last value before a command whose output was lost;
  /// `nil` leaves the value, as in earlier recordings.
  case reject(context: CommandContext, failure: Failure, earlier: EarlierLast? = nil)
  /// Ctrl-C or `cancel` ended the command. `by` describes any other cause.
  case cancelled(job: Int, by: String? = nil)
  /// A command that `watch` repeats has ended; `job` is that of `watch`.
  case watched(job: Int, status: Int32)
  /// It is time for the next round of a `watch`.
  case watchDue(job: Int)
  /// The terminal of standard output has another width, in columns.
  case resized(width: Int)
  /// A command's effect threw an unhandled error, or its effects ended without a result.
  case failed(job: Int, failure: Failure)
  /// The board has taken the state of a fork. The services have not gone back, so that what the
  /// state has of them is forgotten.
  case continued
  /// The board's state contained secrets that have become known.
  case masked(removal: SecretRemoval)
}

/// The last value before that of a command which has failed afterwards.
public struct EarlierLast: Codable, Sendable, Equatable {
  /// The value, or `nil` if there was none.
  public var value: StateText?

  /// Creates what was the last value.
  public init(value: StateText?) { self.value = value }
}

/// The board's own commands.
public enum ShellCommand: Codable, Sendable, Equatable {
  /// Prints the words, separated by spaces.
  case echo(words: [String])
  /// Sets a variable.
  case set(name: String, value: String)
  /// Removes a variable. Does nothing if it does not exist.
  case unset(name: String)
  /// Lets a word stand for the start of a line. Without a line, shows the alias of that name, or
  /// all if there is no name.
  case alias(name: String?, line: String?)
  /// Removes an alias. Does nothing if it does not exist, as in earlier recordings.
  case unalias(name: String)
  /// Prints the completion script for a shell.
  case completions(shell: ShellCompletion.Shell)
  /// Looks at the installation.
  case doctor
  /// Starts the tutorial, or shows its present lesson.
  case tutorial(command: TutorialCommand?)
  /// Prints the manual page.
  case manual
  /// Checks a condition on the state: see `JSONCondition`.
  case assert(condition: String)
  /// Prints the state, or the part at a path, as JSON.
  case state(path: String?)
  /// Prints help for the words, or the list of all commands if there are none.
  case help(words: [String])
  /// Lists the running commands.
  case jobs
  /// Waits for a job, or for all. The wait ends before the step, which records the job. `endless`
  /// are the jobs that run if they all have no end and none is waited for; `nil` otherwise, and in
  /// earlier recordings.
  case wait(job: Int?, endless: [Int]? = nil)
  /// Cancels a job, or all running jobs if `job` is `nil`.
  case cancel(job: Int?)
  /// Lists the effects that were running when the line was read.
  case effects(effects: [EffectLine])
  /// Lists the last lines of the history. `lines` holds them as they were when the line was read,
  /// and `first` the number of the first one, from 1.
  case history(count: Int, first: Int = 1, lines: [String] = [])
  /// Follows a link `swiftboard://…`. The line that it stands for runs after this step. That line
  /// alone has a result if `isSilent`; `nil` in earlier recordings, where this one had a value too.
  case open(link: String, isSilent: Bool? = nil)
  /// Runs the lines of a file next. `arguments` are the values of `$1`, `$2` and so on in them;
  /// `nil` leaves those of the line, as in earlier recordings.
  case source(file: String, arguments: [String]? = nil)
  /// Repeats a command. Each round is a command of its own, which is run between the steps.
  case watch(watch: WatchCommand)
  /// Ends the board with this exit code.
  case exit(code: Int32)
}

/// A command to the running tutorial.
public enum TutorialCommand: String, Codable, Sendable, Equatable, CaseIterable {
  /// Goes to the next lesson.
  case next
  /// Goes to the first lesson.
  case restart
  /// Ends the tutorial.
  case stop
}

/// A running effect in the output of `effects`.
public struct EffectLine: Codable, Sendable, Equatable {
  /// The effect's name, or the name of its kind.
  public var name: String
  /// Its first cancel id with its scope, separated by `/`.
  public var id: String?
  /// All of its cancel ids, if there are several.
  public var ids: [String]?
  /// The phase: `pending`, `running` or `cancelled`.
  public var phase: String
  /// The step that returned the effect.
  public var step: Int
}
