/// An array whose first element lies in place.
@usableFromInline
struct Few<Element: Sendable>: Sendable {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element] = []

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ element: Element) {
    if first == nil { first = element } else { rest.append(element) }
  }

  @inlinable
  func forEach(_ body: (Element) -> Void) {
    guard let first else { return }
    body(first)
    for element in rest { body(element) }
  }
}
