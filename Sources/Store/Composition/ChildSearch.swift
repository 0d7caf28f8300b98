/// A search for absent children whose effects still run. The store passes it to
/// `Reducer.findAbsentChildren`.
///
/// It has no public members. A reducer that is made of others passes it to these.
public struct ChildSearch {
  /// The place of the search, with the effects that run in the children of the current reducer.
  @usableFromInline var place: EffectIndex.Place
  /// Whether to search for present children instead of absent ones.
  @usableFromInline let forPresent: Bool
  /// The places of the children that were found.
  @usableFromInline var found: [ReversedPlace] = []
  /// The lists that were visited, their ids, and the absent elements whose effects run.
  @usableFromInline var lists: [VisitedList] = []

  /// A place, innermost child first. In this order, a place is only built for a result.
  @usableFromInline typealias ReversedPlace = [ChildKey]
  @usableFromInline
  typealias VisitedList = (
    place: ReversedPlace, ids: any AnyObject & Sendable, absent: [ChildKey]
  )

  @inlinable
  init(_ root: EffectIndex.Place, forPresent: Bool = false) {
    place = root
    self.forPresent = forPresent
  }
}

/// The ids of a list at the end of a step.
@usableFromInline
final class ListIDs<ID: Hashable & Sendable>: Sendable {
  @usableFromInline let ids: [ID]

  @inlinable
  init(_ ids: [ID]) {
    self.ids = ids
  }
}

extension ChildSearch {
  /// Visits a child that always exists.
  @inlinable @inline(__always)
  mutating func visit<Child: Reducer>(
    _ child: Child, at childPlace: @autoclosure () -> ChildPlace, _ state: () -> Child.State
  ) {
    if hasNothingToFind(isThere: true) { return }
    guard let (key, inside) = inside(childPlace()) else { return }
    note(key, inside, isThere: true)
    visit(child, at: key, inside, state)
  }

  /// Visits a child that always exists, whose effects are returned by `Array.scoped` with this id.
  package mutating func visit<Child: Reducer>(
    _ child: Child, id: String, _ state: () -> Child.State
  ) {
    visit(child, at: ChildPlace { (id, nil, SourceLocation(), false) }, state)
  }

  /// Visits a child that may be absent, and that may have an identity.
  @inlinable @inline(__always)
  mutating func visit<Child: Reducer>(
    _ child: Child, at childPlace: @autoclosure () -> ChildPlace,
    by identity: (@Sendable (Child.State) -> any Hashable & Sendable)?,
    _ state: () -> Child.State?
  ) {
    if hasNothingToFind(isThere: state() != nil) { return }
    guard let (key, inside) = inside(childPlace()) else { return }
    visit(child, at: key, inside, by: identity, state())
  }

  /// Visits the elements of a list. O(number of elements in which effects of children run that may
  /// be absent, or whose first effects began in this step, and of absent elements whose effects
  /// outlive them) if none was added or removed, otherwise
  /// O(number of elements whose effects run).
  @inlinable @inline(__always)
  mutating func visit<ID: Hashable & Sendable, Child: Reducer>(
    each child: Child, at childPlace: @autoclosure () -> ChildPlace,
    _ elements: () -> IdentifiedArray<ID, Child.State>
  ) {
    if hasNothingToFind(isThere: !elements().isEmpty) { return }
    guard let (key, inside) = inside(childPlace()) else { return }
    // Arrays with the same storage are equal, which makes this O(1).
    let areIDsEqual = !forPresent && (inside.ids as? ListIDs<ID>)?.ids == elements().ids
    if areIDsEqual, inside.deep.isEmpty, inside.unsure.isEmpty { return }
    visit(each: child, at: key, inside, elements(), areIDsEqual: areIDsEqual)
  }

  @inlinable @inline(never)
  mutating func visit<Child: Reducer>(
    _ child: Child, at key: ChildKey, _ inside: EffectIndex.Place,
    by identity: (@Sendable (Child.State) -> any Hashable & Sendable)?, _ state: Child.State?
  ) {
    note(key, inside, isThere: state != nil)
    guard let state, !inside.inner.isEmpty else { return }
    guard case .one(let present) = ChildPresence(state, identity) else {
      return visit(child, at: key, inside) { state }
    }
    within(key, inside) { search in
      for (key, inside) in inside.inner {
        search.note(key, inside, isThere: key.identity == present)
        if key.identity == present { search.visit(child, at: key, inside) { state } }
      }
    }
  }

  @inlinable @inline(never)
  mutating func visit<ID: Hashable & Sendable, Child: Reducer>(
    each child: Child, at key: ChildKey, _ inside: EffectIndex.Place,
    _ elements: IdentifiedArray<ID, Child.State>, areIDsEqual: Bool
  ) {
    note(key, inside, isThere: !elements.isEmpty)
    if elements.isEmpty { return }
    within(key, inside) { search in
      var absent: [ChildKey] = []
      if areIDsEqual {
        // The other elements exist, and in them no effects run of children that may be absent.
        for key in inside.deep.union(inside.unsure) {
          guard let inside = inside.inner[key] else { continue }
          if search.visit(element: child, at: key, inside, elements) { absent.append(key) }
        }
        if absent == inside.unsure { return }
      } else {
        for (key, inside) in inside.inner
        where search.visit(element: child, at: key, inside, elements) { absent.append(key) }
      }
      search.lists.append(([], ListIDs(elements.ids), absent))
    }
  }

  /// Visits an element of a list.
  ///
  /// - Returns: Whether it is absent.
  @inlinable
  mutating func visit<ID: Hashable & Sendable, Child: Reducer>(
    element child: Child, at key: ChildKey, _ inside: EffectIndex.Place,
    _ elements: IdentifiedArray<ID, Child.State>
  ) -> Bool {
    // An id of another type belongs to another operator with the same key.
    guard let id = key.identity.base(as: ID.self) else { return false }
    let position = elements.position(of: id)
    note(key, inside, isThere: position != nil)
    if let position { visit(child, at: key, inside) { elements[position] } }
    return position == nil
  }

  /// Returns whether the search can skip a child without its key, which is expensive to create.
  @inlinable @inline(__always)
  func hasNothingToFind(isThere: Bool) -> Bool {
    place.inner.isEmpty || (isThere ? !forPresent && place.deep.isEmpty : forPresent)
  }

  /// Returns the key and the place of a child, or `nil` if no effects run there.
  @inlinable
  func inside(_ childPlace: ChildPlace) -> (ChildKey, EffectIndex.Place)? {
    let key = childPlace.key
    return place.inner[key].map { (key, $0) }
  }

  /// Adds a child to the result, if it is one that is searched for.
  @inlinable
  mutating func note(_ key: ChildKey, _ inside: EffectIndex.Place, isThere: Bool) {
    // A child whose remaining effects outlive it is not found again after each step.
    if isThere == forPresent, inside.hasEndingEffects { found.append([key]) }
  }

  /// Passes the search to a present child for its own children.
  @inlinable
  mutating func visit<Child: Reducer>(
    _ child: Child, at key: ChildKey, _ inside: EffectIndex.Place, _ state: () -> Child.State
  ) {
    if forPresent ? inside.inner.isEmpty : !inside.searchesInside { return }
    within(key, inside) { child.findAbsentChildren(in: state(), &$0) }
  }

  /// Searches inside a place.
  @inlinable
  mutating func within(
    _ key: ChildKey, _ inside: EffectIndex.Place, _ search: (inout ChildSearch) -> Void
  ) {
    let before = (place: place, found: found.count, lists: lists.count)
    place = inside
    search(&self)
    place = before.place
    for index in found.indices[before.found...] { found[index].append(key) }
    for index in lists.indices[before.lists...] { lists[index].place.append(key) }
  }
}

extension CancelID {
  /// Returns the value that the id was created from, if it is of this type.
  @inlinable
  func base<Base: Hashable & Sendable>(as type: Base.Type) -> Base? {
    if type == CancelID.self { return self as? Base }
    return switch value {
    case .number(let number): type == Int.self ? number as? Base : nil
    case .text(let text): type == String.self ? text as? Base : nil
    case .other(let box): (box as? TypedCancelID<Base>)?.base
    }
  }
}

extension EffectIndex.Place {
  /// Whether effects that end with the child run here or inside. O(number of places inside, until
  /// one is found).
  @usableFromInline
  var hasEndingEffects: Bool {
    effects[CancelID?.none] != nil || inner.values.contains { $0.hasEndingEffects }
  }
}
