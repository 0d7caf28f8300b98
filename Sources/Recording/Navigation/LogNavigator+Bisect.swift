import SwiftBoardJSON
import SwiftBoardStore

/// The result of a search over the states of a recording.
public struct LogBisection: Sendable, Hashable {
  /// The first step after which the predicate is true, or `nil` if it never is.
  public let step: Int?
  /// The number of times the predicate was evaluated.
  public let evaluations: Int
}

/// A method of searching the states of a recording.
public enum LogSearch: Sendable, Hashable {
  /// Binary search with at most log₂ n + 1 evaluations. Correct only if the predicate stays true
  /// once it is true; otherwise it finds some step at which the predicate becomes true.
  case halving
  /// Linear search in one pass with up to n evaluations, for any predicate.
  case linear
}

extension LogNavigator {
  /// Returns the first step after which `predicate` is true.
  ///
  /// The state before the first step is not evaluated. A predicate that is true from the beginning
  /// gives step 1.
  ///
  /// - Parameter last: The last step to examine, by default that of the recording.
  /// - Complexity: O(log n) evaluations and visits, or one pass with `.linear`.
  public func bisect(
    _ search: LogSearch = .halving, through last: Int? = nil,
    where predicate: (R.State) throws -> Bool
  ) throws -> LogBisection {
    let last = min(last ?? stepCount, stepCount)
    guard last > firstStep else { return LogBisection(step: nil, evaluations: 0) }
    var evaluations = 0
    func holds(_ state: R.State) throws -> Bool {
      evaluations += 1
      return try predicate(state)
    }
    switch search {
    case .halving:
      // The result is in low...high, where last + 1 means never.
      var (low, high) = (firstStep + 1, last + 1)
      while low < high {
        let middle = (low + high) / 2
        if try holds(try state(at: middle)) { high = middle } else { low = middle + 1 }
      }
      return LogBisection(step: low <= last ? low : nil, evaluations: evaluations)
    case .linear:
      var found: Int?
      try forEachState(in: (firstStep + 1)...last) { n, state in
        guard try holds(state) else { return true }
        found = n
        return false
      }
      return LogBisection(step: found, evaluations: evaluations)
    }
  }

  /// Returns the first step after which a condition on the JSON of the state is true.
  ///
  /// Costs as much as with a closure, plus encoding the state as JSON at each evaluation.
  public func bisect(
    _ search: LogSearch = .halving, through last: Int? = nil, where condition: JSONCondition
  ) throws -> LogBisection {
    try bisect(search, through: last) { state in
      condition.holds(for: try JSON(parsing: try CanonicalEncoder.encode(state)))
    }
  }
}
