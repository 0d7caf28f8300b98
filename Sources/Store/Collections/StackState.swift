/// Features on top of one another, the last one on top: a path of screens, a chain of dialogs,
/// nested modes.
///
/// The stack gives every element an id when it is pushed and remembers how many it has given, so
/// that ids are the same wherever the same actions are reduced, and never come twice. That number
/// is part of the value: two stacks with the same elements whose next ids differ are not equal,
/// because they will not behave alike.
///
/// A stack that is made anew begins at 0, until the reducer of a `forEach` puts it in place of
/// another: when this reducer has seen the action, the elements of the new one get the ids that the
/// old one would have given next.
/// ```swift
/// state.path = StackState([Detail.State()])   // Another element, whatever was on the stack: the effects of that end.
/// ```
/// To know an id in the same step write `state.path.removeAll()` and `state.path.append(…)`.
public struct StackState<Element> {
  @usableFromInline var rows: IdentifiedArray<StackElementID, Element>
  /// The id of the next element.
  @inlinable
  public var nextID: StackElementID { next }
  @usableFromInline var next: StackElementID
  /// Whether no `forEach` has had it since it was made, by `init` or by decoding. Not a part of the
  /// value: neither compared nor encoded.
  @usableFromInline var isNew = true

  /// An empty stack whose first id is 0. Allocates nothing.
  @inlinable
  public init() {
    self.init([])
  }

  /// The elements, the first one at the bottom, under the ids 0, 1, 2 … O(n).
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    rows = IdentifiedArray()
    next = StackElementID(generation: 0)
    for element in elements { append(element) }
  }

  /// The ids, the bottom one first. See `IdentifiedArray.ids`.
  @inlinable
  public var ids: [StackElementID] { rows.ids }

  /// The element under an id. Assigning `nil` removes that one alone; assigning to an id that does
  /// not exist is pushing under that id, and does nothing where the id was given before.
  ///
  /// - Complexity: O(1), in place; removing O(number of elements above).
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

  /// Changes the element under the id in place; `nil` if the id does not exist. O(1), nothing is
  /// copied.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    id: StackElementID, _ change: (inout Element) throws -> Result
  ) rethrows -> Result? {
    try rows.update(id: id, change)
  }

  /// Whether there is an element under the id.
  @inlinable
  public func contains(id: StackElementID) -> Bool { rows.contains(id: id) }

  /// Puts an element on top.
  ///
  /// - Returns: Its id.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> StackElementID {
    let id = nextID
    next = StackElementID(generation: id.generation + 1)
    rows.append(element, id: id)
    return id
  }

  /// Appends an element with an id that the caller has chosen.
  ///
  /// - Returns: Whether it was put there: an id below `nextID` has been given before, and is
  ///   refused.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public mutating func push(_ element: Element, id: StackElementID) -> Bool {
    guard id >= nextID, id.generation <= StackElementID.greatest else { return false }
    next = StackElementID(generation: id.generation + 1)
    return rows.append(element, id: id)
  }

  /// Takes the element off the top; `nil` if the stack is empty.
  @inlinable
  @discardableResult
  public mutating func popLast() -> Element? { rows.popLast() }

  /// Takes off the element under the id and all above it.
  ///
  /// - Returns: Whether there is such an element.
  /// - Complexity: O(number taken off).
  @inlinable
  @discardableResult
  public mutating func pop(from id: StackElementID) -> Bool {
    guard let position = rows.position(of: id) else { return false }
    while rows.count > position { rows.popLast() }
    return true
  }

  /// Takes off all above the element under the id, which is on top then.
  ///
  /// - Returns: Whether there is such an element.
  /// - Complexity: O(number taken off).
  @inlinable
  @discardableResult
  public mutating func pop(to id: StackElementID) -> Bool {
    guard let position = rows.position(of: id) else { return false }
    while rows.count > position + 1 { rows.popLast() }
    return true
  }

  /// Takes off everything; `nextID` stays, where a new `StackState()` begins at 0. O(count).
  @inlinable
  public mutating func removeAll() { rows.removeAll() }
}

extension StackState: Sendable where Element: Sendable {}

extension StackState: Equatable where Element: Equatable {
  /// Whether both have equal elements under the same ids, and will give the same ids next.
  /// O(count).
  @inlinable
  public static func == (a: Self, b: Self) -> Bool { a.next == b.next && a.rows == b.rows }
}

extension StackState: Hashable where Element: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rows)
    hasher.combine(next)
  }
}

extension StackState {
  /// Whether it may give ids that were given before by a stack that would have given `next` when
  /// this one was put in its place.
  @inlinable
  func mayRepeatIDs(before next: StackElementID) -> Bool { isNew || self.next < next }

  /// Continues the ids of the stack that this one replaces. Elements of a new stack get new ids,
  /// and elements of a copy keep theirs, as far as numbers reach. O(count).
  @usableFromInline
  mutating func goOn(from next: StackElementID) {
    let sum = next.generation + self.next.generation
    if isNew, sum <= StackElementID.greatest {
      let ids = rows.ids.map { StackElementID(generation: next.generation + $0.generation) }
      rows = IdentifiedArray(order: ids, storage: rows.storage)
      self.next = StackElementID(generation: sum)
    }
    self.next = Swift.max(self.next, next)
    isNew = false
  }
}

extension StackState: RandomAccessCollection {
  /// The bottom of the stack: always 0.
  @inlinable
  public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable
  public var endIndex: Int { rows.endIndex }

  /// The element at a position from the bottom, which must be one of `indices`, as with any
  /// collection.
  @inlinable
  public subscript(position: Int) -> Element { rows[position] }
}

extension StackState: CustomStringConvertible, CustomReflectable {
  public var description: String { rows.description }
  public var customMirror: Mirror { rows.customMirror }
}

extension StackState: PartlyMirrored {
  package var unmirrored: [Mirror.Child] { [("nextID", nextID)] }
}

/// As `{"next": 2, "elements": [{"id": 0, "element": …}]}`.
extension StackState: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: StackKey.self)
    try container.encode(nextID, forKey: .next)
    var list = container.nestedUnkeyedContainer(forKey: .elements)
    for (id, element) in zip(rows.ids, rows) {
      var entry = list.nestedContainer(keyedBy: StackKey.self)
      try entry.encode(id, forKey: .id)
      try entry.encode(element, forKey: .element)
    }
  }
}

/// Throws where an id comes twice, or is one that the stack has not given yet.
extension StackState: Decodable where Element: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: StackKey.self)
    self.init()
    next = try container.decode(StackElementID.self, forKey: .next)
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
  case next, elements, id, element
}
