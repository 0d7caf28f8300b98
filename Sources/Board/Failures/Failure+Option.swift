import SwiftBoardDependencies

extension Failure {
  /// Returns the failure with advice if the input of an option, such as `--new-from-stdin`, was
  /// unavailable.
  package func advising(on option: String?) -> Failure {
    guard let option, error == TerminalError.Kind.unavailable.rawValue else { return self }
    var failure = self
    failure.help =
      "write the value to standard input, or use \(StandardInput.fileOption(besides: option))"
    return failure
  }

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
