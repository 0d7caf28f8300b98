/// Returns the identity of a child without an `identity:` argument: its `id`, if its state is
/// `Identifiable`.
///
/// The conformance is looked up at run time. An overload for `Identifiable` would resolve it at
/// compile time, but one more overload of each operator makes chains of operators too slow to
/// type-check.
///
/// - Complexity: One look-up of a conformance. The optimizer removes it if the type of the state is
///   known.
@inlinable
func ownIdentity<State: Sendable>(of state: State) -> any Hashable & Sendable {
  guard let type = State.self as? any Identifiable.Type else { return NoIdentity() }
  return identity(of: state, as: type)
}

@inlinable
func identity<State, Child: Identifiable>(
  of state: State, as type: Child.Type
) -> any Hashable & Sendable {
  guard let child = state as? Child else { return NoIdentity() }
  let id = child.id
  if let number = id as? Int, Child.ID.self == Int.self { return number }
  if let text = id as? String, Child.ID.self == String.self { return text }
  return OwnIdentity(id: id)
}

/// The absence of an identity.
@usableFromInline
struct NoIdentity: Hashable, Sendable {
  @inlinable
  init() {}
}

/// The `id` of a child's state as an identity.
@usableFromInline
struct OwnIdentity<ID: Hashable>: Hashable, @unchecked Sendable, CustomStringConvertible {
  // Unchecked because the type of an id need not be declared Sendable. The id comes from a state,
  // which is Sendable.
  @usableFromInline let id: ID

  @inlinable
  init(id: ID) {
    self.id = id
  }

  @usableFromInline var description: String { "\(id)" }
}
