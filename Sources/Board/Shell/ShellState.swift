/// The board's own state between lines.
public struct ShellState: Codable, Sendable, Equatable {
  /// The variables. `set NAME VALUE` sets one, and `$NAME` reads it.
  public var variables: [String: StateText] = [:]
  /// The aliases: what the first word of a command stands for. `nil` if there are none.
  public var aliases: [String: String]?
  /// The lesson of the tutorial, from 0, or `nil` if it is not running.
  public var tutorial: Int?
  /// The last value of a successful command, as JSON text.
  public var last: StateText?
  /// The exit code of the last command that ended.
  public var lastStatus: Int32 = 0
  /// The running commands, oldest first.
  public var running: [CommandContext] = []
  /// The command that the last step ended.
  public var finished: FinishedJob?
  /// The exit code set by `exit`.
  public var exitCode: Int32?
  /// The commands that `watch` repeats, by the order of their jobs; `nil` if there are none.
  public var watches: [RepeatedCommand]?
  /// What the last lines that show the state could not load, by feature; `nil` if there is nothing.
  public var unloaded: [StateLoadFailure]?
}

/// What a feature could not load for a line that shows the state.
public struct StateLoadFailure: Codable, Sendable, Equatable {
  /// The name of the feature.
  public var feature: String
  /// The name of the error: `busy` if the database was locked for as long as a command waits.
  public var error: String
  /// What happened, in at most 500 characters.
  public var message: String

  /// Creates a description of a failure.
  public init(feature: String, error: String, message: String) {
    self.feature = feature
    self.error = error
    self.message = String(message.prefix(500))
  }
}

extension ShellState {
  /// Notes how the loading of a feature has ended.
  mutating func note(_ end: LoadingEnd, of feature: String) {
    var others = (unloaded ?? []).filter { $0.feature != feature }
    if case .failed(let failure) = end {
      others.append(
        StateLoadFailure(feature: feature, error: failure.error, message: failure.message))
    }
    unloaded = others.isEmpty ? nil : others
  }
}

/// A command that has ended, stored for the step that ended it.
public struct FinishedJob: Codable, Sendable, Equatable {
  /// The command and its line.
  public var context: CommandContext
  /// Its exit code.
  public var status: Int32
  /// The values that `state` and `assert` read, before their own end replaced them.
  public var found: Found?

  /// The board's state before that step.
  public struct Found: Codable, Sendable, Equatable {
    /// The exit code of the previous command.
    public var lastStatus: Int32
    /// The value of the previous command, as JSON text.
    public var last: StateText?
  }

  /// The output of the command, stored for the step that ended it. It follows from that step, so it
  /// is neither recorded nor compared.
  public var outcome: Outcome?

  private enum CodingKeys: CodingKey {
    case context, status, found
  }

  /// Returns whether both are the same end of the same command. Ignores the outcome.
  public static func == (left: Self, right: Self) -> Bool {
    left.context == right.context && left.status == right.status && left.found == right.found
  }
}
