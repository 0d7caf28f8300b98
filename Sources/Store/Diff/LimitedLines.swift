/// The lines of a message, of which only the first ones are kept.
package struct LimitedLines {
  private let limit: Int
  private var kept: [String] = []
  private var count = 0

  /// Creates an empty message.
  ///
  /// - Parameter limit: The maximum number of lines, at least 1.
  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Appends a line. Its text is not created if it is certainly left out.
  package mutating func append(_ line: @autoclosure () -> String) {
    count += 1
    if kept.count < limit { kept.append(line()) }
  }

  /// The lines. If there are more than the limit, the last one says how many are left out.
  package var text: String {
    guard count > limit else { return kept.joined(separator: "\n") }
    let shown = kept.dropLast()
    let note = "… and \(count - shown.count) more lines"
    return (shown + [note]).joined(separator: "\n")
  }
}
