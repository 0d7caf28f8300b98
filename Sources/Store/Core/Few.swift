/// An array whose first element lies in place.
@usableFromInline
struct Few<Element: Sendable>: Sendable {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element] = []

  @inlinable
  init() {}

  @inlinable
  init(_ first: Element?) {
    self.first = first
  }

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

  @inlinable
  func map<Other>(_ transform: (Element) -> Other) -> Few<Other> {
    var others = Few<Other>()
    forEach { others.append(transform($0)) }
    return others
  }
}
