/// The text of a line or a link in the origin of a step. The step's action contains the same text,
/// so a long text is not stored twice.
enum OriginText {
  /// The largest number of bytes that are recorded whole.
  private static let limit = 1 << 20
  /// The number of bytes that are recorded of a longer text.
  private static let beginning = 1 << 10

  /// Returns the text, or, if it has more than 1 MiB, its first KiB, its length and its digest.
  static func recorded(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    let scalars = text.unicodeScalars
    var end = text.utf8.index(text.startIndex, offsetBy: beginning)
    while end.samePosition(in: scalars) == nil { end = text.utf8.index(before: end) }
    return "\(text[..<end])... (\(text.utf8.count) bytes, \(Digest(of: Array(text.utf8))))"
  }
}
