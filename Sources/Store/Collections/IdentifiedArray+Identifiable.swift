// For elements that bring their ids with them.

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// The elements in order.
  ///
  /// - Parameter combine: Makes one element of two with the same id; it takes the position of the
  ///   first. The later one wins by default.
  /// - Complexity: O(n).
  @inlinable
  public init(
    _ elements: some Sequence<Element>,
    uniquingIDsWith combine: (_ first: Element, _ second: Element) -> Element = { $1 }
  ) {
    self.init(elements, id: { $0.id }, uniquingIDsWith: combine)
  }

  /// Appends an element, unless its id is there already: see `append(_:id:)`. O(1) amortised.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    append(element, id: element.id)
  }

  /// Appends the elements whose ids are not in the array yet. O(n).
  @inlinable
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Puts an element before the one at `position`, unless its id is there already: see
  /// `insert(_:id:at:)`. O(count − position).
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> Bool {
    insert(element, id: element.id, at: position)
  }

  /// Replaces the element with the same id, or puts a new one at the end: see
  /// `updateOrAppend(_:id:)`. O(1) amortised.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    updateOrAppend(element, id: element.id)
  }

  /// The ids of elements that changed their own id since they were put in, in order. O(count).
  public var misfiled: [ID] {
    zip(ids, storage).compactMap { $1.id == $0 ? nil : $0 }
  }
}

/// Of two elements with the same id in a literal the later one wins, in place of the first.
extension IdentifiedArray: ExpressibleByArrayLiteral
where Element: Identifiable, ID == Element.ID {
  public init(arrayLiteral elements: Element...) {
    self.init(elements, id: { $0.id })
  }
}

/// As a plain array of the elements.
///
/// Throws where an element changed its own id since it was put in: it would come back under
/// another.
extension IdentifiedArray: Encodable
where Element: Identifiable & Encodable, ID == Element.ID {
  public func encode(to encoder: any Encoder) throws {
    for (id, element) in zip(ids, storage) where element.id != id {
      throw EncodingError.invalidValue(
        element,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "The element under the id \(id) says that its id is \(element.id)."))
    }
    var container = encoder.unkeyedContainer()
    for element in storage { try container.encode(element) }
  }
}

/// From a plain array of elements. An id that comes twice is a `DecodingError` that names it and
/// its place.
extension IdentifiedArray: Decodable
where Element: Identifiable & Decodable, ID == Element.ID {
  public init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    if let count = container.count { reserveCapacity(Swift.min(count, 4096)) }
    while !container.isAtEnd {
      let position = container.currentIndex
      let element = try container.decode(Element.self)
      guard append(element) else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "The id \(element.id) of element \(position) is there already.")
      }
    }
  }
}
