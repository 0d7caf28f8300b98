import SwiftBoardJSON

extension Collection where Element: Encodable {
  /// The first elements, as far as they fit: at most `count`, and at most `bytes` as JSON. Takes
  /// time proportional to their JSON.
  ///
  /// What a service answers has no bounds, and what a state keeps of it has.
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
  /// The value, or `nil` if it has more than so many bytes as JSON.
  func upTo(bytes: Int) -> Self? { CollectionOfOne(self).prefix(1, bytes: bytes).first }
}
