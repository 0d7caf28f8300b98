/// An ordered list of elements with unique ids, with look-up by id in O(1).
///
/// ```swift
/// var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
/// rows[id: 2]?.title = "second"
/// rows.append(Row(id: 3))
/// ```
///
/// Ids, elements and the index are stored separately. Changing an element affects only the storage
/// of the elements, so a retained copy of `ids` causes no copying, and comparing `ids` with it is
/// O(1) as long as no id was added or removed.
///
/// **An element keeps the id with which it was added.** If the property that provided the id
/// changes, the element is still found under the original id, so that no element is lost and ids
/// cannot collide. Encoding throws for such an element, because decoding would give it another id.
/// To change the id of an element, remove it and add it again.
///
/// No operation traps because of data: the result reports an id that already exists, and positions
/// are clamped to the bounds of the array. In addition to the elements, the array stores every id
/// twice, once in `ids` and once in the index, which is a dictionary of positions.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The ids in order.
  ///
  /// Shares its storage with the array. A retained copy costs one retain. It makes the next change
  /// *of ids* copy them, but not a change of an element. Comparing it with a later `ids` is O(1) if
  /// no id was added or removed, otherwise O(count).
  @inlinable
  public var ids: [ID] { order }
  @usableFromInline var order: [ID]
  @usableFromInline var storage: ContiguousArray<Element>
  @usableFromInline var positions: [ID: Int]

  /// Creates an empty array. Allocates nothing.
  @inlinable
  public init() {
    self.init(order: [], storage: [], positions: [:])
  }

  @inlinable
  init(order: [ID], storage: ContiguousArray<Element>, positions: [ID: Int]) {
    self.order = order
    self.storage = storage
    self.positions = positions
  }

  /// Creates an array of elements with the ids that `id` returns, in order.
  ///
  /// - Parameter combine: Combines two elements with the same id. The result takes the position of
  ///   the first. The default is the second element.
  /// - Complexity: O(n).
  @inlinable
  public init(
    _ elements: some Sequence<Element>, id: (Element) throws -> ID,
    uniquingIDsWith combine: (_ first: Element, _ second: Element) -> Element = { $1 }
  ) rethrows {
    self.init()
    reserveCapacity(elements.underestimatedCount)
    for element in elements {
      let id = try id(element)
      if let position = positions[id] {
        storage[position] = combine(storage[position], element)
      } else {
        append(element, id: id)
      }
    }
  }

  /// The elements in order, without their ids. O(1). While a copy exists, the next change of an
  /// element copies all of them.
  @inlinable
  public var elements: ContiguousArray<Element> { storage }

  /// Reserves storage for `count` elements. O(count).
  @inlinable
  public mutating func reserveCapacity(_ count: Int) {
    order.reserveCapacity(count)
    storage.reserveCapacity(count)
    positions.reserveCapacity(count)
  }
}

/// An `IdentifiedArray` of elements that provide their ids.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray: Sendable where ID: Sendable, Element: Sendable {}

// MARK: - Finding

extension IdentifiedArray {
  /// Returns the position of the element, from 0, or `nil` if there is none.
  @inlinable
  public func position(of id: ID) -> Int? { positions[id] }

  /// Returns whether there is an element under the id.
  @inlinable
  public func contains(id: ID) -> Bool { positions[id] != nil }

  /// The element under the id. Assigning `nil` removes it, like `remove(id:)`. Assigning to an id
  /// that does not exist appends the element.
  ///
  /// - Complexity: O(1) to read and to change in place, with nothing copied. O(1) amortized to
  ///   append. O(count) to remove.
  @inlinable
  public subscript(id id: ID) -> Element? {
    get { positions[id].map { storage[$0] } }
    set {
      if let newValue {
        updateOrAppend(newValue, id: id)
      } else {
        remove(id: id)
      }
    }
    _modify {
      guard let position = positions[id] else {
        var element: Element?
        defer { if let element { append(element, id: id) } }
        yield &element
        return
      }
      // Moved and moved back, because a change to a copy would copy the storage of the element.
      let last = storage.count - 1
      storage.swapAt(position, last)
      var element: Element? = storage.removeLast()
      defer {
        if let changed = element.take() {
          storage.append(changed)
          storage.swapAt(position, last)
        } else {
          if position < last {
            // The last element was moved into the gap.
            storage.append(storage.remove(at: position))
          }
          forget(position)
        }
      }
      yield &element
    }
  }

  /// Changes the element under the id in place.
  ///
  /// - Returns: The result of `change`, or `nil` if the id does not exist.
  /// - Complexity: O(1), nothing is copied or moved.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    id: ID, _ change: (inout Element) throws -> Result
  ) rethrows -> Result? {
    guard let position = positions[id] else { return nil }
    return try change(&storage[position])
  }
}
