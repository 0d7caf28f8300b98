/// A stack of features, with the last one on top, such as a path of screens, a chain of dialogs, or
/// nested modes.
///
/// The stack assigns an id to every pushed element and keeps the next id. Ids are therefore the
/// same wherever the same actions are reduced, and are never reused. The next id is part of the
/// value: two stacks with the same elements and different next ids are not equal, because they
/// behave differently.
///
/// A new stack begins at 0. If the reducer of a `forEach` replaces a stack with a new one, the
/// elements of the new stack receive the next ids of the old one after this reducer has seen the
/// action. Elements of a copy of the stack keep their ids.
/// ```swift
/// // A different element, whatever was on the stack. The effects of the old elements end.
/// state.path = StackState([Detail.State()])
/// // The elements that the stack had when it was copied.
/// state.path = state.saved
/// ```
/// To use an id in the same step, write `state.path.removeAll()` and `state.path.append(…)`. A
/// reducer outside the `forEach` replaces a stack in the same way: if it assigned a new stack, the
/// elements would have the ids of earlier ones, and their effects. For the same reason, push onto a
/// restored copy only in a later step than the one that restores it.
///
/// A stack is new until a `forEach` has processed it. The encoded form contains this, so a decoded
/// state behaves like the one that was encoded. `==` does not compare it: a test may write
/// `StackState([…])` for a stack that has the same ids and is not new.
public struct StackState<Element> {
  @usableFromInline var rows: IdentifiedArray<StackElementID, Element>
  /// The id of the next element.
  @inlinable
  public var nextID: StackElementID { next }
  @usableFromInline var next: StackElementID
  /// Whether no `forEach` has processed the stack, or the one it is a copy of, since an initializer
  /// created it. Encoded, because it decides ids, but not compared.
  @usableFromInline var isNew = true

  /// Creates an empty stack whose first id is 0. Allocates nothing.
  @inlinable
  public init() {
    self.init([])
  }

  /// Creates a stack of elements, with the first one at the bottom, under the ids 0, 1, 2 and so
  /// on. O(n).
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    rows = IdentifiedArray()
    next = StackElementID(generation: 0)
    for element in elements { append(element) }
  }

  /// The ids, from bottom to top. See `IdentifiedArray.ids`.
  @inlinable
  public var ids: [StackElementID] { rows.ids }

  /// The element under an id. Assigning `nil` removes only that element. Assigning to an id that
  /// does not exist pushes the element under that id, or does nothing if the id was used before.
  ///
  /// - Complexity: O(1), in place. Removing is O(number of elements above).
  @inlinable
  public subscript(id id: StackElementID) -> Element? {
    get { rows[id: id] }
    _modify {
      guard rows.contains(id: id) else {
        var element: Element?
        defer { if let element { push(element, id: id) } }
        yield &element
        return
      }
      yield &rows[id: id]
    }
  }

  /// Changes the element under the id in place. Returns `nil` if the id does not exist. O(1),
  /// nothing is copied.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    id: StackElementID, _ change: (inout Element) throws -> Result
  ) rethrows -> Result? {
    try rows.update(id: id, change)
  }

  /// Returns whether there is an element under the id.
  @inlinable
  public func contains(id: StackElementID) -> Bool { rows.contains(id: id) }

  /// Adds an element on top.
  ///
  /// - Returns: The id of the element.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> StackElementID {
    let id = nextID
    next = StackElementID(generation: id.generation + 1)
    rows.append(element, id: id)
    return id
  }

  /// Adds an element on top with an id chosen by the caller.
  ///
  /// - Returns: Whether the element was added. An id below `nextID` was used before and is
  ///   rejected.
  /// - Complexity: O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func push(_ element: Element, id: StackElementID) -> Bool {
    guard id >= nextID, id.generation <= StackElementID.greatest else { return false }
    next = StackElementID(generation: id.generation + 1)
    return rows.append(element, id: id)
  }

  /// Removes and returns the element on top, or returns `nil` if the stack is empty.
  @inlinable
  @discardableResult
  public mutating func popLast() -> Element? { rows.popLast() }

  /// Unavailable; use `popLast()` or `pop(from:)`, which tell whether there is such an element.
  @available(*, unavailable, message: "Use popLast(), or pop(from:).")
  public mutating func removeLast() {}

  /// Removes the element under the id and all elements above it.
  ///
  /// - Returns: Whether there is such an element.
  /// - Complexity: O(number of removed elements).
  @inlinable
  @discardableResult
  public mutating func pop(from id: StackElementID) -> Bool {
    guard let position = rows.position(of: id) else { return false }
    while rows.count > position { rows.popLast() }
    return true
  }

  /// Removes all elements above the element under the id.
  ///
  /// - Returns: Whether there is such an element.
  /// - Complexity: O(number of removed elements).
  @inlinable
  @discardableResult
  public mutating func pop(to id: StackElementID) -> Bool {
    guard let position = rows.position(of: id) else { return false }
    while rows.count > position + 1 { rows.popLast() }
    return true
  }

  /// Removes all elements. `nextID` does not change, unlike with a new `StackState()`, which begins
  /// at 0. O(count).
  @inlinable
  public mutating func removeAll() { rows.removeAll() }
}

extension StackState: Sendable where Element: Sendable {}

extension StackState: Equatable where Element: Equatable {
  /// Returns whether both have equal elements under the same ids, and the same next id. O(count).
  @inlinable
  public static func == (a: Self, b: Self) -> Bool { a.next == b.next && a.rows == b.rows }
}

extension StackState: Hashable where Element: Hashable {
  /// Hashes the elements, their ids, and the next id. O(count).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rows)
    hasher.combine(next)
  }
}

extension StackState {
  /// What `isNew` is in most states, and therefore not encoded: a stack that has assigned ids was
  /// processed by a `forEach`, and one that has assigned none is as good as new.
  @usableFromInline var isUsuallyNew: Bool { next.generation == 0 }

  /// Begins the processing of an action by the reducer of a `forEach`. Copies that this reducer
  /// takes of the stack are not new.
  @inlinable
  mutating func beginReduction() { isNew = false }

  /// Returns whether `endReduction(after:)` has something to do.
  @inlinable
  func hasUnfinishedReduction(after next: StackElementID) -> Bool {
    isNew != isUsuallyNew || self.next < next
  }

  /// Ends the processing of an action. If this stack replaced another one, which would have
  /// assigned `next`, it continues the ids of that stack. Elements of a new stack receive new ids,
  /// up to the greatest id, and elements of a copy keep theirs. O(count).
  @usableFromInline
  mutating func endReduction(after next: StackElementID) {
    let sum = next.generation + self.next.generation
    if isNew, sum <= StackElementID.greatest {
      let ids = rows.ids.map { StackElementID(generation: next.generation + $0.generation) }
      rows = IdentifiedArray(order: ids, storage: rows.storage)
      self.next = StackElementID(generation: sum)
    }
    self.next = Swift.max(self.next, next)
    isNew = isUsuallyNew
  }
}

extension StackState: RandomAccessCollection {
  /// The bottom of the stack: always 0.
  @inlinable
  public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable
  public var endIndex: Int { rows.endIndex }

  /// The element at a position from the bottom, which must be one of `indices`, like in any
  /// collection.
  @inlinable
  public subscript(position: Int) -> Element { rows[position] }
}

extension StackState: CustomStringConvertible, CustomReflectable {
  /// The description of the elements, without their ids.
  public var description: String { rows.description }
  /// A mirror of the elements, labelled with their ids.
  public var customMirror: Mirror { rows.customMirror }
}

extension StackState: PartlyMirrored {
  /// The next id, which the mirror omits.
  package var unmirrored: [Mirror.Child] { [("nextID", nextID)] }
}

/// Encoded as `{"next": 2, "elements": [{"id": 0, "element": …}]}`, with `"new": true` if the stack
/// has elements or had some, and no `forEach` has processed it.
extension StackState: Encodable where Element: Encodable {
  /// Encodes the elements with their ids, the next id, and whether the stack is new.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: StackKey.self)
    try container.encode(nextID, forKey: .next)
    if isNew != isUsuallyNew { try container.encode(isNew, forKey: .new) }
    var list = container.nestedUnkeyedContainer(forKey: .elements)
    for (id, element) in zip(rows.ids, rows) {
      var entry = list.nestedContainer(keyedBy: StackKey.self)
      try entry.encode(id, forKey: .id)
      try entry.encode(element, forKey: .element)
    }
  }
}

/// Decoding throws if an id occurs twice, or was not assigned by the stack yet.
extension StackState: Decodable where Element: Decodable {
  /// Decodes a stack.
  ///
  /// - Throws: `DecodingError` if an id occurs twice, or was not assigned by the stack yet.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: StackKey.self)
    self.init()
    next = try container.decode(StackElementID.self, forKey: .next)
    isNew = try container.decodeIfPresent(Bool.self, forKey: .new) ?? isUsuallyNew
    var list = try container.nestedUnkeyedContainer(forKey: .elements)
    while !list.isAtEnd {
      let entry = try list.nestedContainer(keyedBy: StackKey.self)
      let id = try entry.decode(StackElementID.self, forKey: .id)
      guard id < nextID else {
        throw DecodingError.dataCorruptedError(
          forKey: .id, in: entry,
          debugDescription: "The id \(id) is not below \(nextID), which is to be given next.")
      }
      guard rows.append(try entry.decode(Element.self, forKey: .element), id: id) else {
        throw DecodingError.dataCorruptedError(
          forKey: .id, in: entry, debugDescription: "The id \(id) is there already.")
      }
    }
  }
}

enum StackKey: String, CodingKey {
  case next, new, elements, id, element
}
