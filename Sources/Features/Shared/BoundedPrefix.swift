import SwiftBoardJSON

extension Collection where Element: Encodable {
  /// Returns the first elements that fit: at most `count`, with at most `bytes` as JSON. O(size of
  /// their JSON).
  ///
  /// Responses of services have any size, but the state is bounded.
  ///
  /// - Parameter least: The number of elements that are returned whatever their size is.
  func prefix(_ count: Int, bytes: Int, atLeast least: Int = 0) -> [Element] {
    var left = bytes
    return prefix(count).enumerated().prefix { index, element in
      left -= (try? CanonicalEncoder.encode(element).count) ?? bytes
      return left >= 0 || index < least
    }
    .map(\.element)
  }
}

extension Encodable {
  /// Returns the value, or `nil` if its JSON has more than `bytes` bytes.
  func upTo(bytes: Int) -> Self? { CollectionOfOne(self).prefix(1, bytes: bytes).first }
}
