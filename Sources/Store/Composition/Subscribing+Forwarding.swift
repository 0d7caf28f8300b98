// Reducers made of others declare what these declare, in their place of the composition.

extension ComposedReducer {
  /// A feature that contains itself is asked once on the way down: deeper levels are made of the same.
  /// Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    path.entering(Self.self).map { body.declaresSubscriptions(in: $0) } ?? false
  }

  /// What the body declares; the body is made anew for it. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    body.subscriptions(state, dependencies)
  }
}

extension CombineReducers {
  /// Whether one of the listed does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// What the listed declare, in order. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension ReducerPair {
  /// Whether one of the two does; the second is asked only where the first does not. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    first.declaresSubscriptions(in: path) || second.declaresSubscriptions(in: path)
  }

  /// What the first declares, then the second. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: R0.State, _ dependencies: R0.Dependencies
  ) -> [Effect<R0.Action>] {
    first.subscriptions(state, dependencies) + second.subscriptions(state, dependencies)
  }
}

extension OptionalReducer {
  /// Whether the reducer, where there is one, does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    reducer?.declaresSubscriptions(in: path) ?? false
  }

  /// What the reducer, where there is one, declares. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: R.State, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducer?.subscriptions(state, dependencies) ?? []
  }
}

extension EitherReducer {
  /// Whether the branch that was taken does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    switch self {
    case .first(let reducer): reducer.declaresSubscriptions(in: path)
    case .second(let reducer): reducer.declaresSubscriptions(in: path)
    }
  }

  /// What the branch that was taken declares. Costs what the parts' own lists do.
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
  /// Whether one of the list does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    reducers.contains { $0.declaresSubscriptions(in: path) }
  }

  /// What those of the list declare, in order. O(number of reducers).
  @inlinable
  public func subscriptions(
    _ state: R.State, _ dependencies: R.Dependencies
  ) -> [Effect<R.Action>] {
    reducers.flatMap { $0.subscriptions(state, dependencies) }
  }
}

extension Scope {
  /// Whether the child does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path)
  }

  /// What the child declares, in the child's place. Copies the child's state out: a retain for what is shared.
  @inlinable
  public func subscriptions(
    _ state: ParentState, _ dependencies: Child.Dependencies
  ) -> [Effect<ParentAction>] {
    return scope.adopt(
      child.subscriptions(state[keyPath: self.state], dependencies),
      as: action.embed)
  }
}

extension IfLetReducer {
  /// Whether the child or the base does, whether the child is there or not. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path) || base.declaresSubscriptions(in: path)
  }

  /// What the child declares, in its place, while it is there; then what the base does. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard let present = state[keyPath: self.state] else { return own }
    return scope.adopt(
      child.subscriptions(present, dependencies),
      of: ChildPresence(present, identity), as: action.embed) + own
  }
}

extension IfCaseLetReducer {
  /// Whether the child or the base does, whatever case the state is in. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path) || base.declaresSubscriptions(in: path)
  }

  /// What the child declares, in its place, while the state is in its case; then what the base does. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard let present = self.state.extract(state[keyPath: place])
    else { return own }
    return scope.adopt(
      child.subscriptions(present, dependencies),
      of: ChildPresence(present, identity), as: action.embed) + own
  }
}

extension ForEachReducer {
  /// Whether the child or the base does, whether there are elements or not. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path) || base.declaresSubscriptions(in: path)
  }

  /// O(number of elements) where the child declares any.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions(in: CompositionPath()) else { return own }
    return scope.adopt(
      state[keyPath: self.state], of: child, dependencies
    ) { [embed = action.embed] in embed(.element(id: $0, action: $1)) } + own
  }
}

extension ForEachStackReducer {
  /// Whether the child or the base does, whether there are elements or not. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    child.declaresSubscriptions(in: path) || base.declaresSubscriptions(in: path)
  }

  /// O(number of elements) where the child declares any.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    let own = base.subscriptions(state, dependencies)
    guard child.declaresSubscriptions(in: CompositionPath()) else { return own }
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
  /// Whether the base does; the reaction declares nothing.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// What the base declares. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension PrintingReducer {
  /// Whether the base does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// What the base declares; nothing is printed of it.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, dependencies)
  }
}

extension DependencyReducer {
  /// Whether the base does. Costs what the parts' own answers do.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// What the base declares, made from its part of the dependencies. Costs what the parts' own lists do.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Whole
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, part(dependencies))
  }
}
