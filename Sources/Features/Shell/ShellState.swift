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

  public init() {}
}

/// A command that has ended, for the step that ended it.
public struct FinishedJob: Codable, Sendable, Equatable {
  public var context: CommandContext
  public var status: Int32
  /// What `state` and `assert` found, where their own end has taken its place.
  public var found: Found?

  public struct Found: Codable, Sendable, Equatable {
    public var lastStatus: Int32
    public var last: String?

    public init(lastStatus: Int32, last: String?) {
      self.lastStatus = lastStatus
      self.last = last
    }
  }

  public init(context: CommandContext, status: Int32, found: Found? = nil) {
    self.context = context
    self.status = status
    self.found = found
  }
}
