/// An ordered list in which every element has an id of its own and is found by it in O(1).
///
/// ```swift
/// var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
/// rows[id: 2]?.title = "second"
/// rows.append(Row(id: 3))
/// ```
///
/// Ids, elements and the index are kept apart. Changing an element touches only the elements'
/// storage, so a retained copy of `ids` causes no copying, and comparing `ids` with it is O(1) as
/// long as no id was added or removed.
///
/// **The id is given when the element is put in, and stays.** An element that changes the property
/// its id was taken from is still found under the id it was put in with: nothing is lost and
/// nothing can clash. `misfiled` lists such elements, and encoding refuses them, since they would
/// come back under another id. To give an element another id, remove it and put it in again.
///
/// No operation traps on data: an id that is there already is answered by the result, and positions
/// beyond the end are taken for the end. Memory beside the elements: every id twice, once in `ids`
/// and once in the index, a dictionary of positions.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The ids in order.
  ///
  /// Shares its storage with the array: a kept copy costs a retain, and makes the next change *of
  /// ids* copy them, never one of an element. Comparing it with a later `ids` is O(1) where no id
  /// was added or removed, else O(count).
  @inlinable
  public var ids: [ID] { order }
  @usableFromInline var order: [ID]
  @usableFromInline var storage: ContiguousArray<Element>
  @usableFromInline var positions: [ID: Int]

  /// An empty array. Allocates nothing.
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

  /// The elements under the ids that `id` gives them, in order.
  ///
  /// - Parameter combine: Makes one element of two with the same id; it takes the position of the
  ///   first. The later one wins by default.
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

  /// The elements in order, without their ids. O(1); while you keep it, the next change of an
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

/// An `IdentifiedArray` of elements that bring their ids with them.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray: Sendable where ID: Sendable, Element: Sendable {}

// MARK: - Finding

extension IdentifiedArray {
  /// The position of the element, from 0.
  @inlinable
  public func position(of id: ID) -> Int? { positions[id] }

  /// Whether there is an element under the id.
  @inlinable
  public func contains(id: ID) -> Bool { positions[id] != nil }

  /// The element under the id. Assigning `nil` removes it, as `remove(id:)` does; assigning to an
  /// id that does not exist appends.
  ///
  /// - Complexity: Reading and changing in place O(1), with nothing copied; appending O(1)
  ///   amortised; removing O(count).
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
      // Moved out and back, not copied: a copy would make the change copy what the element refers
      // to.
      let last = storage.count - 1
      storage.swapAt(position, last)
      var element: Element? = storage.removeLast()
      defer {
        if let changed = element.take() {
          storage.append(changed)
          storage.swapAt(position, last)
        } else {
          if position < last {
            // The last one filled the gap meanwhile.
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
  /// - Returns: What `change` returns, `nil` if the id does not exist.
  /// - Complexity: O(1), nothing is copied or moved.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    id: ID, _ change: (inout Element) throws -> Result
  ) rethrows -> Result? {
    guard let position = positions[id] else { return nil }
    return try change(&storage[position])
  }

  /// Changes every element in place, in order. O(count), nothing is copied.
  @inlinable
  public mutating func updateEach(_ change: (_ id: ID, inout Element) throws -> Void) rethrows {
    for position in storage.indices {
      try change(ids[position], &storage[position])
    }
  }
}
