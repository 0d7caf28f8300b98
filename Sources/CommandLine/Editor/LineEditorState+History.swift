import SwiftBoardJSON

/// An incremental search in the history.
package struct HistorySearch: Sendable, Equatable, Codable {
  package internal(set) var query = ""
  /// The index of the found line.
  var index: Int?
  /// Whether no further line has the query.
  package internal(set) var hasFailed = false
  /// The direction: -1 towards older lines.
  var step: Int
  /// The text before the search.
  var original: EditedText
  /// What was found before each key, the newest last.
  var earlier: [Step] = []

  /// What a key has found.
  struct Step: Sendable, Equatable, Codable {
    var query: String
    var index: Int?
    var hasFailed: Bool
    var step: Int
  }

  /// Notes what is found before a key changes it.
  mutating func noteStep() {
    earlier.append(Step(query: query, index: index, hasFailed: hasFailed, step: step))
  }

  /// Returns to what was found before the last key.
  ///
  /// - Returns: Whether there was a key.
  mutating func takeStep() -> Bool {
    guard let last = earlier.popLast() else { return false }
    (query, index, hasFailed, step) = (last.query, last.index, last.hasFailed, last.step)
    return true
  }
}

extension LineEditorState {
  // MARK: Arrows

  /// Moves to the line above or below, or to an older or newer line of the history.
  mutating func walk(by key: Key) -> Bool {
    switch key {
    case .up:
      if !text.moveLine(by: -1) { walk(by: -1) }
    case .down:
      if !text.moveLine(by: 1) { walk(by: 1) }
    case .control("p"), .meta("p"): walk(by: -1)
    case .control("n"), .meta("n"): walk(by: 1)
    default: return false
    }
    return true
  }

  private mutating func walk(by step: Int) {
    let count = history.entries.count
    var walk = self.walk ?? Walk(index: count, prefix: text.string, edited: [:])
    walk.index = min(walk.index, count)
    let shown = text.string
    guard
      let next = history.next(
        from: walk.index, by: step, prefix: walk.prefix, differingFrom: shown)
        ?? (step > 0 && walk.index < count ? count : nil)
    else { return ring() }
    let original = walk.index < count ? history.entries[walk.index].text : nil
    walk.edited[walk.index] = shown == original ? nil : shown
    walk.index = next
    let text = walk.edited[next] ?? (next < count ? history.entries[next].text : "")
    self.walk = walk
    undo.note(self.text, before: .other)
    self.text = EditedText(text)
  }

  // MARK: Search

  mutating func beginSearch(step: Int) {
    search = HistorySearch(step: step, original: text)
  }

  /// Applies a key to the search.
  ///
  /// - Returns: Whether the search has ended, and the key is to be applied to the line.
  mutating func searches(with key: Key) -> Bool {
    guard var search else { return true }
    switch key {
    case .text(let typed):
      for character in typed {
        search.noteStep()
        search.query.append(character)
        find(&search, from: search.index)
      }
    case .paste(let pasted):
      search.noteStep()
      search.query += pasted
      find(&search, from: search.index)
    case .backspace, .control("h"):
      guard search.takeStep() else {
        ring()
        break
      }
      text = search.original
      if let index = search.index { show(index, of: search) }
    case .control("r"), .control("s"):
      search.noteStep()
      search.step = key == .control("r") ? -1 : 1
      if search.query.isEmpty { search.query = lastQuery }
      findNext(&search)
    case .control("g"):
      text = search.original
      self.search = nil
      return false
    default:
      if !search.query.isEmpty { lastQuery = search.query }
      if text != search.original { undo.note(search.original, before: .other) }
      if let index = search.index {
        walk = Walk(
          index: index, prefix: "", edited: [history.entries.count: search.original.string])
      }
      self.search = nil
      return key != .escape
    }
    if !search.query.isEmpty { lastQuery = search.query }
    self.search = search
    return false
  }

  /// Finds the query in the line at `index` or the ones after it in the direction of the search.
  private mutating func find(_ search: inout HistorySearch, from index: Int?) {
    search.hasFailed = false
    guard !search.query.isEmpty else { return }
    let start = index ?? (search.step < 0 ? history.entries.count - 1 : 0)
    show(history.search(search.query, from: start, by: search.step), &search)
  }

  /// Finds the next line that differs from the found one.
  private mutating func findNext(_ search: inout HistorySearch) {
    guard let index = search.index else { return find(&search, from: nil) }
    var next = history.search(search.query, from: index + search.step, by: search.step)
    while let found = next, history.entries[found].text == text.string {
      next = history.search(search.query, from: found + search.step, by: search.step)
    }
    show(next, &search)
  }

  private mutating func show(_ index: Int?, _ search: inout HistorySearch) {
    guard let index else {
      search.hasFailed = true
      return ring()
    }
    search.hasFailed = false
    search.index = index
    show(index, of: search)
  }

  /// Shows a line of the history with the cursor at the query.
  private mutating func show(_ index: Int, of search: HistorySearch) {
    let line = history.entries[index].text
    let end = line.end(ofFirst: search.query) ?? line.startIndex
    let before = line.utf8[..<end].dropLast(search.query.utf8.count)
    text = EditedText(line, cursor: String(decoding: before, as: UTF8.self).count)
  }
}
