import SwiftBoardDependencies

extension Failure {
  /// Returns the failure with the position of the option whose input was unavailable, if the line
  /// contains the option exactly once.
  package func blaming(_ option: String?, in line: String?) -> Failure {
    guard let option, let line else { return self }
    let places = line.ranges(of: option)
    guard error == TerminalError.Kind.unavailable.rawValue, let place = places.first,
      places.count == 1
    else { return self }
    let before = line[..<place.lowerBound].split(
      separator: "\n", omittingEmptySubsequences: false)
    var failure = self
    failure.column = (before.last?.count ?? 0) + 1
    failure.length = option.count
    failure.lineOffset = before.count > 1 ? before.count - 1 : nil
    return failure
  }
}
