import SwiftBoardJSON
import SwiftBoardStore

/// What a search over a recording's states found.
public struct LogBisection: Sendable, Hashable {
  /// The first step after which the predicate held; nil if it never does.
  public let step: Int?
  /// How often the predicate was asked.
  public let evaluations: Int
}

/// How a recording's states are searched.
public enum LogSearch: Sendable, Hashable {
  /// Halves what is left at each evaluation: at most log₂ n + 1 of them. Right only where the
  /// predicate, once true, stays true; elsewhere it finds some step at which it turns true.
  case halving
  /// One state after the other, for predicates that come and go: one pass, up to n evaluations.
  case linear
}

extension LogNavigator {
  /// The first step after which `predicate` holds.
  ///
  /// The state before the first step is not asked: what is true from the beginning gives 1.
  ///
  /// Cost: an evaluation and a visit for each half of what is left, or one pass with `.linear`.
  public func bisect(
    _ search: LogSearch = .halving, where predicate: (R.State) throws -> Bool
  ) throws -> LogBisection {
    guard stepCount > firstStep else { return LogBisection(step: nil, evaluations: 0) }
    var evaluations = 0
    func holds(_ state: R.State) throws -> Bool {
      evaluations += 1
      return try predicate(state)
    }
    switch search {
    case .halving:
      // The answer is in low...high, where stepCount + 1 stands for never.
      var (low, high) = (firstStep + 1, stepCount + 1)
      while low < high {
        let middle = (low + high) / 2
        if try holds(try state(at: middle)) { high = middle } else { low = middle + 1 }
      }
      return LogBisection(step: low <= stepCount ? low : nil, evaluations: evaluations)
    case .linear:
      var found: Int?
      try forEachState(in: (firstStep + 1)...stepCount) { n, state in
        guard try holds(state) else { return true }
        found = n
        return false
      }
      return LogBisection(step: found, evaluations: evaluations)
    }
  }

  /// The first step after which a condition on the state's JSON holds.
  ///
  /// Cost: as with a closure, and the size of the state as JSON at each evaluation.
  public func bisect(
    _ search: LogSearch = .halving, where condition: JSONCondition
  ) throws -> LogBisection {
    try bisect(search) { state in
      condition.holds(for: try JSON(parsing: try CanonicalEncoder.encode(state)))
    }
  }
}
