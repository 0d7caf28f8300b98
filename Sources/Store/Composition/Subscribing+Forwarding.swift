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
    _ state: ParentState, _ dependencies: Child.Dependencies
  ) -> [Effect<ParentAction>] {
    guard child.declaresSubscriptions else { return [] }
    return scope.adopt(
      child.subscriptions(state[keyPath: self.state], dependencies),
      as: action.embed)
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
    return scope.adopt(
      child.subscriptions(present, dependencies),
      of: ChildPresence(present, identity), as: action.embed) + own
  }
}

extension IfCaseLetReducer {
  @inlinable
  public var declaresSubscriptions: Bool {
    child.declaresSubscriptions || base.declaresSubscriptions
  }

  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions, let present = self.state.extract(state[keyPath: place])
    else { return own }
    return scope.adopt(
      child.subscriptions(present, dependencies),
      of: ChildPresence(present, identity), as: action.embed) + own
  }
}

extension ForEachReducer {
  @inlinable
  public var declaresSubscriptions: Bool {
    child.declaresSubscriptions || base.declaresSubscriptions
  }

  /// O(number of elements) where the child declares any.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions else { return own }
    return scope.adopt(
      state[keyPath: self.state], of: child, dependencies
    ) { [embed = action.embed] in embed(.element(id: $0, action: $1)) } + own
  }
}

extension ForEachStackReducer {
  @inlinable
  public var declaresSubscriptions: Bool {
    child.declaresSubscriptions || base.declaresSubscriptions
  }

  /// O(number of elements) where the child declares any.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions else { return own }
    return scope.adopt(
      state[keyPath: self.state].rows, of: child, dependencies
    ) { [embed = action.embed] in embed(.element(id: $0, action: $1)) } + own
  }
}

extension ChildScope {
  /// What the elements of a list declare, each in its own place.
  @inlinable
  func adopt<ID: Hashable & Sendable, Child: Reducer, Parent>(
    _ elements: IdentifiedArray<ID, Child.State>, of child: Child,
    _ dependencies: Child.Dependencies,
    as embed: @escaping @Sendable (ID, Child.Action) -> Parent
  ) -> [Effect<Parent>] {
    elements.ids.flatMap { id in
      elements[id: id].map { element in
        adopt(
          child.subscriptions(element, dependencies), of: CancelID(id), as: { embed(id, $0) })
      } ?? []
    }
  }
}

extension OnChangeReducer {
  @inlinable
  public var declaresSubscriptions: Bool { base.declaresSubscriptions }

  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension PrintingReducer {
  @inlinable
  public var declaresSubscriptions: Bool { base.declaresSubscriptions }

  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension DependencyReducer {
  @inlinable
  public var declaresSubscriptions: Bool { base.declaresSubscriptions }

  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Whole
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, part(dependencies))
  }
}
