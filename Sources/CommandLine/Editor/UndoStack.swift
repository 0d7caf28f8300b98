/// The earlier and the undone states of a text.
package struct UndoStack: Sendable, Equatable, Codable {
  /// The kind of a change. Consecutive small changes of one kind are undone together.
  package enum Change: Sendable, Hashable, Codable {
    case typing, erasing, other
  }

  private static let limit = 400
  /// The maximum number of keys in a group.
  private static let groupLimit = 20

  private var earlier: [EditedText] = []
  private var undone: [EditedText] = []
  private var change: Change?
  private var groupCount = 0

  /// Notes the text before a change.
  package mutating func note(_ text: EditedText, before change: Change) {
    undone = []
    if change != .other, change == self.change, groupCount < Self.groupLimit {
      groupCount += 1
      return
    }
    self.change = change
    groupCount = 1
    earlier.append(text)
    if earlier.count > Self.limit { earlier.removeFirst() }
  }

  /// Makes the next change the first of a group.
  package mutating func endGroup() { change = nil }

  /// Returns the text before the last group of changes, if any.
  package mutating func undo(_ text: EditedText) -> EditedText? {
    guard let last = earlier.popLast() else { return nil }
    undone.append(text)
    endGroup()
    return last
  }

  /// Returns the text before the last undo, if nothing has changed since.
  package mutating func redo(_ text: EditedText) -> EditedText? {
    guard let next = undone.popLast() else { return nil }
    earlier.append(text)
    endGroup()
    return next
  }
}
