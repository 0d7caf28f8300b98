/// The texts that were cut, the newest last.
package struct KillRing: Sendable, Equatable, Codable {
  private static let limit = 60

  private var texts: [String] = []
  /// The index of the text that a yank inserts.
  private var current = 0

  /// The text that a yank inserts, or `nil` if nothing was cut.
  package var text: String? { texts.isEmpty ? nil : texts[current] }

  /// Adds a text. Empty texts are ignored.
  ///
  /// - Parameter joinsBefore: Whether the text precedes the newest one (`true`), follows it
  ///   (`false`), or is a new one (`nil`). Adjacent cuts become one text.
  package mutating func add(_ text: String, joinsBefore: Bool? = nil) {
    guard !text.isEmpty else { return }
    if let joinsBefore, let last = texts.last {
      texts[texts.count - 1] = joinsBefore ? text + last : last + text
    } else {
      texts.append(text)
      if texts.count > Self.limit { texts.removeFirst() }
    }
    current = texts.count - 1
  }

  /// Selects the next older text, and after the oldest one the newest.
  package mutating func rotate() {
    guard !texts.isEmpty else { return }
    current = current == 0 ? texts.count - 1 : current - 1
  }
}
