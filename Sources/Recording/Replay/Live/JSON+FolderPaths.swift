import SwiftBoardJSON

extension JSON {
  /// Returns the value with the recorded text in place of each text that differs from it only in
  /// the path of a folder.
  ///
  /// Cost: O(size).
  func naming(_ folder: String, as recorded: JSON?) -> JSON {
    switch (self, recorded) {
    case (.string(let text), .string(let other)?):
      return text.isSame(as: other, besides: folder) ? .string(other) : self
    case (.array(let elements), .array(let others)?):
      return .array(
        elements.enumerated().map { index, element in
          element.naming(folder, as: index < others.count ? others[index] : nil)
        })
    case (.object(let members), .object?):
      return .object(
        members.map { .init($0.key, $0.value.naming(folder, as: recorded?[$0.key])) })
    default: return self
    }
  }
}

extension String {
  /// Whether `recorded` is this text with another path in each place of `folder`.
  fileprivate func isSame(as recorded: String, besides folder: String) -> Bool {
    let parts = split(separator: folder, omittingEmptySubsequences: false)
    let places = parts.count - 1
    guard places > 0, recorded.hasPrefix(parts[0]) else { return false }
    let kept = parts.reduce(0) { $0 + $1.utf8.count }
    let (length, rest) = (recorded.utf8.count - kept).quotientAndRemainder(dividingBy: places)
    guard length > 0, rest == 0 else { return false }
    let bytes = recorded.utf8.dropFirst(parts[0].utf8.count).prefix(length)
    let path = String(decoding: bytes, as: UTF8.self)
    guard path.hasPrefix("/"), !path.contains(where: \.isNewline) else { return false }
    return parts.joined(separator: path) == recorded
  }
}
