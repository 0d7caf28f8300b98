extension Reducer {
  /// Attaches a child that is there only while its state is not `nil`.
  ///
  /// The child sees an action before this reducer does. When its state becomes `nil` its effects are cancelled with the same step. An
  /// action for a child that is not there leaves the state unchanged and is an issue at this line.
  ///
  /// - Parameter id: Tells children apart whose effects may bear equal ids; without one it is this line of source.
  @inlinable
  public func ifLet<Child: Reducer>(
    _ state: WritableKeyPath<State, Child.State?> & Sendable,
    action: CasePath<Action, Child.Action>, id: (any Hashable & Sendable)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line, child: () -> Child
  ) -> IfLetReducer<Self, Child> where Child.Dependencies == Dependencies {
    IfLetReducer(
      base: self, child: child(), state: state, action: action, id: id,
      location: SourceLocation(fileID: fileID, line: line))
  }
}

/// A reducer with an optional child. Made by `ifLet`.
public struct IfLetReducer<Base: Reducer, Child: Reducer>: Reducer
where Base.Dependencies == Child.Dependencies {
  @usableFromInline let base: Base
  @usableFromInline let child: Child
  @usableFromInline let state: WritableKeyPath<Base.State, Child.State?> & Sendable
  @usableFromInline let action: CasePath<Base.Action, Child.Action>
  @usableFromInline let key: ScopeKey
  @usableFromInline let location: SourceLocation

  @inlinable
  init(
    base: Base, child: Child, state: WritableKeyPath<Base.State, Child.State?> & Sendable,
    action: CasePath<Base.Action, Child.Action>, id: (any Hashable & Sendable)?,
    location: SourceLocation
  ) {
    self.base = base
    self.child = child
    self.state = state
    self.action = action
    self.key = ScopeKey(id: id, location: location)
    self.location = location
  }

  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    var effects: [Effect<Base.Action>] = []
    let wasThere = state[keyPath: self.state].isThere
    if let childAction = self.action.extract(action) {
      if wasThere {
        // Writing through the optional chain changes the child in place.
        let childEffects =
          state[keyPath: self.state].withValue {
            child.reduce(&$0, childAction, dependencies)
          } ?? []
        if !childEffects.isEmpty {
          effects = childEffects.map { $0.map(self.action.embed).nested(under: key) }
        }
      } else {
        return [missing(childAction)]
      }
    }
    effects += base.reduce(&state, action, dependencies)
    if wasThere, !state[keyPath: self.state].isThere {
      effects.append(.cancelScope(path: [key], location: location))
    }
    return effects
  }

  @usableFromInline
  func missing(_ action: Child.Action) -> Effect<Base.Action> {
    .issue(
      """
      An action came for a child whose state is nil, and was dropped: \(brief(action)).
      Likely causes: the parent set the state to nil before the child's action arrived (an effect that outlives its child, \
      or two actions sent at once); or the state was never set. Send it only while the child is there, or set the state first.
      """, fileID: location.fileID, line: location.line)
  }
}

extension Optional {
  /// Changes the wrapped value in place.
  @inlinable
  mutating func withValue<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
    guard case .some = self else { return nil }
    // Unwrapped just above; binding it to a name instead would copy it.
    return body(&self!)
  }
}

extension Optional {
  /// Whether there is a value, without asking for equality.
  @inlinable
  var isThere: Bool {
    if case .some = self { true } else { false }
  }
}
