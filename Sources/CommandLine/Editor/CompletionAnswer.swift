/// The ways in which the word at the cursor can continue.
package struct CompletionAnswer: Sendable, Hashable, Codable {
  /// A way to continue.
  package struct Candidate: Sendable, Hashable, Codable {
    /// The text that replaces the word, quoted where the line language requires it.
    package var text: String
    /// The text in a list of candidates.
    package var label: String
    /// Whether the word goes on, as a folder does, so that no blank follows it.
    package var isPartial: Bool

    package init(_ text: String, label: String? = nil, isPartial: Bool = false) {
      self.text = text
      self.label = label ?? text
      self.isPartial = isPartial
    }
  }

  /// The number of characters before the cursor that a candidate replaces.
  package var replacedCount: Int
  /// The candidates in the order in which they are listed, without duplicates.
  package var candidates: [Candidate]
  /// The longest text with which all candidates begin, quoted as they are. Quotes do not count: it
  /// also begins those that need none.
  package var commonPrefix: String

  package init(replacedCount: Int, candidates: [Candidate], commonPrefix: String? = nil) {
    self.replacedCount = replacedCount
    self.candidates = candidates
    self.commonPrefix = commonPrefix ?? Self.commonPrefix(of: candidates.map(\.text))
  }

  /// Returns the longest text with which all texts begin.
  static func commonPrefix(of texts: [String]) -> String {
    guard let first = texts.first else { return "" }
    var prefix = Array(first)
    for text in texts.dropFirst() {
      let shared = zip(prefix, text).prefix { $0 == $1 }.count
      prefix.removeLast(prefix.count - shared)
      if prefix.isEmpty { break }
    }
    return String(prefix)
  }
}
