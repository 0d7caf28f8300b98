import SwiftBoardJSON

extension Collection where Element: Encodable {
  /// Returns the first elements that fit: at most `count`, with at most `bytes` as JSON. O(size of
  /// their JSON).
  ///
  /// Responses of services have any size, but the state is bounded.
  func prefix(_ count: Int, bytes: Int) -> [Element] {
    var left = bytes
    return Array(
      prefix(count).prefix { element in
        left -= (try? CanonicalEncoder.encode(element).count) ?? bytes
        return left >= 0
      })
  }
}

extension Encodable {
  /// Returns the value, or `nil` if its JSON has more than `bytes` bytes.
  func upTo(bytes: Int) -> Self? { CollectionOfOne(self).prefix(1, bytes: bytes).first }
}
