/// The places of the composition at which effects run, as a tree: what is asked whether it is still there.
@usableFromInline
struct LivePlaces: Sendable {
  @usableFromInline var children: [ScopeKey: LivePlaces]

  @inlinable
  init(children: [ScopeKey: LivePlaces] = [:]) {
    self.children = children
  }

  init(_ paths: [[ScopeKey]]) {
    self.init()
    for path in paths { insert(path[...]) }
  }

  /// Adds a place and those on the way to it. O(length of the path).
  mutating func insert(_ path: ArraySlice<ScopeKey>) {
    guard let first = path.first else { return }
    children[first, default: LivePlaces()].insert(path.dropFirst())
  }
}

/// The places among `live` whose children the state has no longer, each as its path from the root, in no particular order. A place
/// below one that is gone need not be listed.
///
/// Only operators know their children: what is composed by plain calls, or by a reducer that is not made of parts, is never listed. Of
/// several operators with one key at the same place none may have a child there.
///
/// - Complexity: O(1) where `live` is empty; else O(number of places in `live`) and of the reducers on the way to them. Where one is
///   gone, twice that.
@usableFromInline
func absentPlaces<R: Reducer>(_ reducer: R, _ state: R.State, _ live: LivePlaces) -> [[ScopeKey]] {
  if live.children.isEmpty { return [] }
  var absent = PlaceSearch(forPresent: false)
  absent.visit(reducer, state, live)
  if absent.found.isEmpty { return [] }
  var present = PlaceSearch(forPresent: true)
  present.visit(reducer, state, LivePlaces(absent.found))
  var known = Set(present.found)
  return absent.found.filter { known.insert($0).inserted }
}

/// Goes through the operators of a reducer that have a child at a place where effects run, and collects the places of the children that
/// are gone, or of those that are there.
@usableFromInline
struct PlaceSearch {
  @usableFromInline let forPresent: Bool
  @usableFromInline var found: [[ScopeKey]] = []
  @usableFromInline var path: [ScopeKey] = []

  init(forPresent: Bool) {
    self.forPresent = forPresent
  }

  /// Asks a reducer for its children in `state`.
  @usableFromInline
  mutating func visit<R: Reducer>(_ reducer: R, _ state: R.State, _ live: LivePlaces) {
    if live.children.isEmpty { return }
    if let whole = reducer as? any ReducerOfParts {
      visit(parts: whole, state, live)
    } else if let composed = reducer as? any ComposedReducer {
      visit(body: composed, state, live)
    }
  }

  /// Asks for a child that is always there.
  @usableFromInline
  mutating func visit<Child: Reducer>(
    _ child: Child, at scope: ChildScope, _ live: LivePlaces, _ state: () -> Child.State
  ) {
    let key = scope.key
    guard let inside = live.children[key] else { return }
    note(key, isThere: true)
    within(key) { $0.visit(child, state(), inside) }
  }

  /// Asks for a child that may be there, and may be told from others at its place.
  @usableFromInline
  mutating func visit<Child: Reducer>(
    _ child: Child, at scope: ChildScope, _ live: LivePlaces,
    by identity: (@Sendable (Child.State) -> any Hashable & Sendable)?,
    _ state: () -> Child.State?
  ) {
    let key = scope.key
    guard let inside = live.children[key] else { return }
    let state = state()
    note(key, isThere: state != nil)
    guard let state else { return }
    within(key) { search in
      guard case .one(let present) = ChildPresence(state, identity) else {
        return search.visit(child, state, inside)
      }
      for (key, inside) in inside.children {
        search.note(key, isThere: key.identity == present)
        if key.identity == present { search.within(key) { $0.visit(child, state, inside) } }
      }
    }
  }

  /// Asks for the elements of a list. O(number of places in `live`), however many elements there are.
  @inlinable
  mutating func visit<ID: Hashable & Sendable, Child: Reducer>(
    each child: Child, at scope: ChildScope, _ live: LivePlaces,
    _ elements: () -> IdentifiedArray<ID, Child.State>
  ) {
    let key = scope.key
    guard let inside = live.children[key] else { return }
    let elements = elements()
    note(key, isThere: !elements.isEmpty)
    if elements.isEmpty { return }
    within(key) { search in
      for (key, inside) in inside.children {
        // An id of another type is of another operator with the same key.
        guard let id = key.identity.base(as: ID.self) else { continue }
        let position = elements.position(of: id)
        search.note(key, isThere: position != nil)
        guard let position, !inside.children.isEmpty else { continue }
        search.within(key) { $0.visit(child, elements[position], inside) }
      }
    }
  }

  @usableFromInline
  mutating func note(_ key: ScopeKey, isThere: Bool) {
    if isThere == forPresent { found.append(path + [key]) }
  }

  @inlinable
  mutating func within(_ key: ScopeKey, _ body: (inout PlaceSearch) -> Void) {
    path.append(key)
    body(&self)
    path.removeLast()
  }

  private mutating func visit<Whole: ReducerOfParts>(
    parts whole: Whole, _ state: some Any, _ live: LivePlaces
  ) {
    // The whole is the reducer that `state` is of.
    guard let state = state as? Whole.State else { return }
    for part in whole.parts { part.search(&self, state, live) }
  }

  private mutating func visit<Composed: ComposedReducer>(
    body composed: Composed, _ state: some Any, _ live: LivePlaces
  ) {
    guard let state = state as? Composed.State else { return }
    visit(composed.body, state, live)
  }
}

extension CancelID {
  /// The value that the id was made of, where it is of this type. O(1).
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
