import SwiftBoardJSON

extension RoundedValue {
  enum Place: String {
    case action, state
  }

  /// Returns what the value is, what follows from it, and what to do.
  func message(in place: Place) -> String {
    let (what, advice) =
      switch kind {
      case .date:
        (
          "a date of more than microseconds, which the log has rounded",
          "use roundedToMicroseconds() before a date enters an action"
        )
      case .negativeZero: ("-0, which the log has as 0", "add 0 before it enters an action")
      case .relativeURL:
        (
          "a URL with a base, which the log has without it",
          "use absoluteURL before a URL enters an action"
        )
      }
    let subject =
      switch path {
      case .some(let path) where !path.steps.isEmpty: "the \(place.rawValue)'s \(path) is"
      case .some: "the \(place.rawValue) is"
      case nil: "the \(place.rawValue) has"
      }
    return "\(subject) \(what), so that a replay may differ; \(advice)"
  }
}
