import SwiftBoardJSON

/// The lines of the history in memory, the oldest first.
package struct LineHistory: Sendable, Equatable, Codable {
  /// A line, which may have several physical lines.
  package struct Entry: Sendable, Hashable, Codable {
    package var text: String
    /// Whether another process added it since this one started. Searches find such lines; moving up
    /// does not.
    package var isForeign = false
    /// Whether the line may be shown and written to the file. A line with a secret may not.
    package var isKept = true

    package init(_ text: String, isForeign: Bool = false, isKept: Bool = true) {
      self.text = text
      self.isForeign = isForeign
      self.isKept = isKept
    }
  }

  /// The default maximum number of lines.
  package static let limit = 10_000

  package private(set) var entries: [Entry] = []
  private var limit: Int

  package init(_ entries: [Entry] = [], limit: Int = Self.limit) {
    self.limit = limit
    for entry in entries { add(entry) }
  }

  /// Adds a line, unless it equals the newest one. Removes the oldest lines beyond the limit.
  ///
  /// - Returns: The number of lines removed.
  @discardableResult
  package mutating func add(_ entry: Entry) -> Int {
    guard !entry.text.isEmpty else { return 0 }
    if let last = entries.last, last.text == entry.text {
      if !entry.isForeign { entries[entries.count - 1].isForeign = false }
      return 0
    }
    entries.append(entry)
    guard entries.count > limit + limit / 10 else { return 0 }
    let removed = entries.count - limit
    entries.removeFirst(removed)
    return removed
  }

  /// Removes lines, between two lines of the editor.
  package mutating func remove(where isMeant: (String) -> Bool) {
    entries.removeAll { isMeant($0.text) }
  }

  /// Returns the index of the next line before or after `index` that begins with `prefix`, differs
  /// from `text` and is not another process's.
  package func next(
    from index: Int, by step: Int, prefix: String, differingFrom text: String
  ) -> Int? {
    var index = index + step
    while entries.indices.contains(index) {
      let entry = entries[index]
      if !entry.isForeign, entry.text.hasPrefix(prefix), entry.text != text { return index }
      index += step
    }
    return nil
  }

  /// Returns the index of the newest line up to `index`, or of the oldest one from it, that
  /// contains `query`. Equal lines count once.
  package func search(_ query: String, from index: Int, by step: Int) -> Int? {
    guard !query.isEmpty else { return nil }
    var index = index
    while entries.indices.contains(index) {
      if entries[index].text.end(ofFirst: query) != nil { return index }
      index += step
    }
    return nil
  }

  /// Returns the rest of the newest line that begins with `text` and is longer.
  package func hint(for text: String) -> String? {
    guard !text.isEmpty else { return nil }
    // A line that is not kept may contain a secret, which is only shown when it is asked for.
    for entry in entries.reversed() where !entry.isForeign && entry.isKept {
      if entry.text.utf8.count > text.utf8.count, entry.text.hasPrefix(text) {
        let rest = entry.text.utf8.dropFirst(text.utf8.count)
        return String(Substring(rest))
      }
    }
    return nil
  }
}
