/// The identity of a child, if it exists. It is compared to determine whether its effects have to
/// end.
@usableFromInline
enum ChildPresence: Equatable, Sendable {
  case absent
  /// The child exists and has no identity.
  case there
  case one(CancelID)

  @inlinable
  init<State>(_ state: State?, _ identity: (@Sendable (State) -> any Hashable & Sendable)?) {
    guard let state else {
      self = .absent
      return
    }
    let identity = identity?(state) ?? NoIdentity()
    self = identity is NoIdentity ? .there : .one(CancelID(identity))
  }

  @inlinable
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.absent, .absent), (.there, .there): true
    case (.one(let a), .one(let b)): a == b
    default: false
    }
  }

  /// Reduces the child's state. Also returns the child's identity before and after, because the
  /// child may have changed it.
  @inlinable
  static func step<State, Effects>(
    _ state: inout State, _ identity: (@Sendable (State) -> any Hashable & Sendable)?,
    _ reduce: (inout State) -> Effects
  ) -> (effects: Effects, before: ChildPresence, after: ChildPresence) {
    let before = ChildPresence(state, identity)
    let effects = reduce(&state)
    return (effects, before, ChildPresence(state, identity))
  }
}

extension ChildPlace {
  @inlinable
  func adopt<Child, Parent>(
    _ effects: [Effect<Child>], of child: ChildPresence,
    as embed: @escaping @Sendable (Child) -> Parent
  ) -> [Effect<Parent>] {
    effects.adopted { effects in
      if case .one(let identity) = child {
        adopt(effects, of: identity, as: embed)
      } else {
        adopt(effects, as: embed)
      }
    }
  }

  /// Returns effects that end the children that existed before or after the child's own step and
  /// have since been removed.
  @usableFromInline
  func end<Action>(
    _ first: ChildPresence, _ second: ChildPresence, now: ChildPresence
  ) -> [Effect<Action>] {
    if first == .absent { return [] }
    if now == .absent { return [end()] }
    var ends: [Effect<Action>] = []
    if case .one(let identity) = first, first != now { ends.append(end(identity)) }
    if case .one(let identity) = second, second != now, second != first {
      ends.append(end(identity))
    }
    return ends
  }
}

extension Optional {
  /// Changes the wrapped value in place.
  @inlinable
  mutating func withValue<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
    guard case .some = self else { return nil }
    // Unwrapped just above. Binding it to a name instead would copy it.
    return body(&self!)
  }
}
