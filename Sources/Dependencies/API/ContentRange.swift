import SwiftBoardJSON

/// `Content-Range: bytes 5-9/10`, or `bytes */10` if the range was refused (RFC 9110, 14.4).
package struct ContentRange {
  /// The position of the first byte, or `nil` if the range was refused.
  package private(set) var first: Int64?
  /// The position of the last byte, or `nil` if the range was refused.
  package private(set) var last: Int64?
  /// The size of the complete content, or `nil` if the service does not know it.
  package private(set) var total: Int64?

  /// Returns `nil` if the header is missing or invalid.
  package init?(_ response: APIResponse) {
    guard let value = response.headers.value(of: "Content-Range"),
      value.lowercased().hasPrefix("bytes ")
    else { return nil }
    let parts = value.dropFirst("bytes ".count)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let size = Self.number(parts[1]) else { return nil }
      total = size
    }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, total.map({ last < $0 }) ?? true
    else { return nil }
    self.first = first
    self.last = last
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
  }
}
