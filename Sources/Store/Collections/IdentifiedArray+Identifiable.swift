// For elements that provide their ids.

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// Creates an array of elements in order.
  ///
  /// - Parameter combine: Combines two elements with the same id. The result takes the position of
  ///   the first. The default is the second element.
  /// - Complexity: O(n).
  @inlinable
  public init(
    _ elements: some Sequence<Element>,
    uniquingIDsWith combine: (_ first: Element, _ second: Element) -> Element = { $1 }
  ) {
    self.init(elements, id: { $0.id }, uniquingIDsWith: combine)
  }

  /// Appends an element, unless its id already exists. See `append(_:id:)`. O(1) amortized.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    append(element, id: element.id)
  }

  /// Appends the elements whose ids do not exist yet. O(n).
  @inlinable
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts an element before the one at `position`, unless its id already exists. See
  /// `insert(_:id:at:)`. O(count − position).
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> Bool {
    insert(element, id: element.id, at: position)
  }

  /// Replaces the element with the same id, or appends a new one. See `updateOrAppend(_:id:)`. O(1)
  /// amortized.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    updateOrAppend(element, id: element.id)
  }
}

/// If a literal contains two elements with the same id, the later one replaces the first.
extension IdentifiedArray: ExpressibleByArrayLiteral
where Element: Identifiable, ID == Element.ID {
  /// Creates an array from a literal. O(n).
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(elements, id: { $0.id })
  }
}

/// Encoded as a plain array of the elements.
///
/// Encoding throws if the own id of an element has changed since it was added, because decoding
/// would give it another id.
extension IdentifiedArray: Encodable
where Element: Identifiable & Encodable, ID == Element.ID {
  /// Encodes the elements, without their ids.
  ///
  /// - Throws: `EncodingError` if the own id of an element has changed since it was added.
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

/// Decoded from a plain array of elements. An id that occurs twice is a `DecodingError` with the id
/// and its position.
extension IdentifiedArray: Decodable
where Element: Identifiable & Decodable, ID == Element.ID {
  /// Decodes the elements of an array.
  ///
  /// - Throws: `DecodingError` if an id occurs twice.
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
