import SwiftBoardCommandLine

/// Commands of the board itself, and what befalls a line before it reaches a feature.
public enum ShellAction: Codable, Sendable, Equatable {
  case run(CommandContext, ShellCommand)
  /// A line that was not understood: a step like any other, so that a recording has it.
  case reject(CommandContext, Failure)
  /// Somebody pressed Ctrl-C, or said `cancel`.
  case cancelled(job: Int)
}

public enum ShellCommand: Codable, Sendable, Equatable {
  case echo([String])
  case set(name: String, value: String)
  case unset(name: String)
  case assert(String)
  case state(path: String?)
  case help([String])
  case jobs
  /// Waiting is done before the step; the step says for which.
  case wait(job: Int?)
  case cancel(job: Int?)
  /// What ran when the line was read.
  case effects([EffectLine])
  case open(String)
  case source(String)
  case exit(Int32)
}

/// A running effect, as `effects` shows it.
public struct EffectLine: Codable, Sendable, Equatable {
  public var name: String
  public var id: String?
  public var phase: String
  public var step: Int

  public init(name: String, id: String?, phase: String, step: Int) {
    self.name = name
    self.id = id
    self.phase = phase
    self.step = step
  }
}
