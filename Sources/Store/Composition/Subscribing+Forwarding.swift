// Reducers made of others declare what these declare, in their place of the composition.

extension ComposedReducer {
  @inlinable
  public var declaresSubscriptions: Bool { body.declaresSubscriptions }

  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    body.subscriptions(state, dependencies)
  }
}

extension CombineReducers {
  @inlinable
  public var declaresSubscriptions: Bool { base.declaresSubscriptions }

  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension ReducerPair {
  @inlinable
  public var declaresSubscriptions: Bool {
    first.declaresSubscriptions || second.declaresSubscriptions
  }

  @inlinable
  public func subscriptions(
    _ state: R0.State, _ dependencies: R0.Dependencies
  ) -> [Effect<R0.Action>] {
    first.subscriptions(state, dependencies) + second.subscriptions(state, dependencies)
  }
}

extension OptionalReducer {
  @inlinable
  public var declaresSubscriptions: Bool { reducer?.declaresSubscriptions ?? false }

  @inlinable
  public func subscriptions(
    _ state: R.State, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducer?.subscriptions(state, dependencies) ?? []
  }
}

extension EitherReducer {
  @inlinable
  public var declaresSubscriptions: Bool {
    switch self {
    case .first(let reducer): reducer.declaresSubscriptions
    case .second(let reducer): reducer.declaresSubscriptions
    }
  }

  @inlinable
  public func subscriptions(
    _ state: First.State, _ dependencies: First.Dependencies
  ) -> [Effect<First.Action>] {
    switch self {
    case .first(let reducer): reducer.subscriptions(state, dependencies)
    case .second(let reducer): reducer.subscriptions(state, dependencies)
    }
  }
}

extension ReducerList {
  @inlinable
  public var declaresSubscriptions: Bool { reducers.contains { $0.declaresSubscriptions } }

  @inlinable
  public func subscriptions(
    _ state: R.State, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducers.flatMap { $0.subscriptions(state, dependencies) }
  }
}

extension Scope {
  @inlinable
  public var declaresSubscriptions: Bool { child.declaresSubscriptions }

  @inlinable
  public func subscriptions(
    _ state: ParentState, _ dependencies: ParentDependencies
  ) -> [Effect<ParentAction>] {
    child.subscriptions(state[keyPath: self.state], self.dependencies(dependencies))
      .placed(action.embed, under: key)
  }
}

extension IfLetReducer {
  @inlinable
  public var declaresSubscriptions: Bool {
    child.declaresSubscriptions || base.declaresSubscriptions
  }

  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions, let present = state[keyPath: self.state] else { return own }
    return child.subscriptions(present, dependencies).placed(action.embed, under: key) + own
  }
}

extension Array {
  /// A child's effects as its parent's.
  @inlinable
  func placed<Child, Parent>(
    _ embed: @escaping @Sendable (Child) -> Parent, under key: ScopeKey
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    isEmpty ? [] : map { $0.map(embed).nested(under: key) }
  }
}
