import SwiftBoardCommandLine

/// What the board itself remembers between lines.
public struct ShellState: Codable, Sendable, Equatable {
  /// Set with `set NAME VALUE`, read as `$NAME`.
  public var variables: [String: String] = [:]
  /// The value of the last command that succeeded with one, as JSON text.
  public var last: String?
  /// The exit code of the last command that ended.
  public var lastStatus: Int32 = 0
  /// Commands that have begun and not ended, oldest first.
  public var running: [CommandContext] = []
  /// The command that the last step ended.
  public var finished: FinishedJob?
  /// Set by `exit`.
  public var exitCode: Int32?

  /// No variable, nothing run.
  public init() {}
}

/// A command that has ended, for the step that ended it.
public struct FinishedJob: Codable, Sendable, Equatable {
  /// The command and its line.
  public var context: CommandContext
  /// Its exit code.
  public var status: Int32
  /// What `state` and `assert` found, where their own end has taken its place.
  public var found: Found?

  /// What the board remembered before that step.
  public struct Found: Codable, Sendable, Equatable {
    /// The exit code of the command before.
    public var lastStatus: Int32
    /// The value of the command before, as JSON text.
    public var last: String?

    /// What was remembered.
    public init(lastStatus: Int32, last: String?) {
      self.lastStatus = lastStatus
      self.last = last
    }
  }

  /// What the command shows, for the step that ended it. Recordings do not have it: it follows from
  /// that step, and is not compared.
  public var outcome: Outcome?

  private enum CodingKeys: CodingKey {
    case context, status, found
  }

  /// A command that ended with this step.
  public init(
    context: CommandContext, status: Int32, found: Found? = nil, outcome: Outcome? = nil
  ) {
    self.context = context
    self.status = status
    self.found = found
    self.outcome = outcome
  }

  /// Whether both are the same end of the same command; what it shows is not compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.context == right.context && left.status == right.status && left.found == right.found
  }
}
