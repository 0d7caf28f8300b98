/// A list that is nearly always empty or of one: no allocation up to one.
@usableFromInline
struct Few<Element> {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element] = []

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ element: Element) {
    if first == nil { first = element } else { rest.append(element) }
  }

  @inlinable
  var isEmpty: Bool { first == nil }

  @inlinable
  func forEach(_ body: (Element) -> Void) {
    guard let first else { return }
    body(first)
    for element in rest { body(element) }
  }
}

extension Few: Sendable where Element: Sendable {}
