/// Whether elements know their ids: says which are found under another one than their own.
///
/// A type and not a closure, so that it costs nothing on an action's way.
public protocol ElementIDs<ID, Element>: Sendable {
  associatedtype ID: Hashable & Sendable
  associatedtype Element: Sendable

  /// The element's own id, where it is not the one it is found under. O(1).
  static func misfiled(_ id: ID, in elements: IdentifiedArray<ID, Element>) -> ID?
}

/// Elements that know nothing of their ids.
public enum AnyIDs<ID: Hashable & Sendable, Element: Sendable>: ElementIDs {
  @inlinable
  @inline(__always)
  public static func misfiled(_ id: ID, in elements: IdentifiedArray<ID, Element>) -> ID? { nil }
}

/// Elements that bring their ids with them.
public enum OwnIDs<Element: Identifiable & Sendable>: ElementIDs where Element.ID: Sendable {
  @inlinable
  public static func misfiled(
    _ id: Element.ID, in elements: IdentifiedArrayOf<Element>
  ) -> Element.ID? {
    guard let position = elements.positions[id] else { return nil }
    let own = elements.storage[position].id
    return own == id ? nil : own
  }
}
