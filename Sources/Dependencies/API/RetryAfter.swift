import SwiftBoardJSON

extension [HTTPHeader] {
  /// Returns the wait that `Retry-After` asks for in seconds, or `nil` without one. The header has
  /// a number of seconds or a date.
  ///
  /// - Parameter now: The time in microseconds since 1970.
  package func retryAfter(now: Int64) -> Int64? {
    guard let value = value(of: "Retry-After") else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy(isDigit) { return Int64(value) ?? .max }
    return HTTPDate.seconds(value).map { $0 - now / 1_000_000 }
  }
}
