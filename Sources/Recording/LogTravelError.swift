/// Why a place in a recording cannot be visited.
public enum LogTravelError: Error, Sendable, CustomStringConvertible {
  /// There are only the steps `first` to `last`: 0 is the beginning, a larger one where older files were removed.
  case noStep(Int, first: Int = 0, last: Int)
  /// Beyond the step at which the program does not do what was recorded any more.
  case diverged(step: Int, Divergence)
  /// No mark in the recording has this name. Exit status 64.
  case noMark(String)
  /// The log could not be replayed as far as that. Exit status as that error says.
  case replay(ReplayError)

  /// The exit status of a command that ends with this.
  public var exitCode: Int32 {
    switch self {
    case .noStep, .noMark: 64
    case .diverged: 1
    case .replay(let error): error.exitCode
    }
  }

  public var description: String {
    switch self {
    case .noStep(let step, let first, let last):
      LogTravelError.noStep(step, first, last)
    case .diverged(let step, let divergence):
      "step \(step) cannot be reached: the replay differs from the recording before it; \(divergence)"
    case .noMark(let name): "there is no mark \(describe(.string(name)))"
    case .replay(let error): error.description
    }
  }

  static func noStep(_ step: Int, _ first: Int, _ last: Int) -> String {
    "there is no step \(step); the recording has the steps \(first) to \(last)"
      + (first > 0 ? ", and the files before them were removed" : "")
  }
}
