import SwiftBoardJSON

extension Failure {
  /// Creates the failure of an assertion: the condition, and what was found in place of it.
  ///
  /// - Parameters:
  ///   - unmet: The comparisons that are false.
  ///   - step: The step that was looked at, or `nil` for the present state.
  static func assertion(
    _ condition: String, _ unmet: [JSONCondition.Unmet], at step: Int? = nil
  ) -> Failure {
    let found = unmet.map { comparison in
      guard let value = comparison.found else { return "there is nothing at \(comparison.path)" }
      return "\(comparison.path) is \(shortened(value.description))"
    }
    let place = step.map { " at step \($0)" } ?? ""
    return Failure(
      code: ExitCode.no, error: "assertionFailed",
      message: (["assertion failed\(place): \(condition)"] + found).joined(separator: "; "),
      help: "'state' shows the state the paths lead into")
  }

  private static func shortened(_ text: String) -> String {
    text.count <= 80 ? text : text.prefix(77) + "..."
  }
}
