/// An error of replaying or visiting a recording.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
  /// The log is damaged, missing or unreadable.
  case unreadable(LogReadError)
  /// The log has the actions of another program or feature.
  case foreign(log: LogSchema, program: LogSchema)
  /// A line does not decode. Nothing was run.
  case impossible(LogDecodingFailure)
  /// The grade is risky, and the caller did not accept risk. Nothing was run.
  case risky(LogGrade)
  /// A step differs from the recording. The steps after it were not run.
  case diverged(Divergence)
  /// A state that was replayed has no canonical JSON.
  case encoding(step: Int, String)
  /// There are only the steps `first` to `last`. `first` is above 0 if older files were removed.
  case noStep(Int, first: Int = 0, last: Int)
  /// The step follows the one at which the program diverges from the recording.
  case unreachable(step: Int, Divergence)
  /// No mark in the recording has this name.
  case noMark(String)
  /// The speed is not a finite number above 0.
  case speed(Double)
  /// The limit of pauses is negative.
  case idleLimit(Duration)

  /// A sentence that describes the error.
  public var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .foreign(let log, let program):
      "the log is of another program or schema: it has (\(log)), this program has (\(program))"
    case .impossible(let obstacle): obstacle.description
    case .risky(let grade): grade.description
    case .diverged(let divergence): divergence.description
    case .encoding(let step, let reason):
      "the state after step \(step) cannot be encoded: \(reason)"
    case .noStep(let step, let first, let last): ReplayError.noStep(step, first, last)
    case .unreachable(let step, let divergence):
      "step \(step) cannot be reached: the replay differs from the recording before it; \(divergence)"
    case .noMark(let name): "there is no mark \(describe(.string(name)))"
    case .speed(let speed): "a replay's speed is a number above 0, not \(speed)"
    case .idleLimit(let limit): "a replay's longest pause is not negative, as \(limit) is"
    }
  }

  static func noStep(_ step: Int, _ first: Int, _ last: Int) -> String {
    "there is no step \(step); the recording has the steps \(first) to \(last)"
      + (first > 0 ? ", and the files before them were removed" : "")
  }

  /// Converts an error that occurred at `step`.
  init(_ error: any Error, at step: Int) {
    switch error {
    case let error as ReplayError: self = error
    case let error as LogReadError: self = .unreadable(error)
    default: self = .encoding(step: step, codingReason(error))
    }
  }
}
