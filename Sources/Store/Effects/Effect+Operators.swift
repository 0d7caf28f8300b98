extension EffectProtocol {
  /// Gives the effect an id with which `cancel(id:)` finds it. Several effects may have the same
  /// id.
  ///
  /// - Parameter cancelInFlight: Whether to cancel earlier effects with the id first, in this
  ///   reducer and in its children. Effects before it in the same list are earlier, but members of
  ///   one `merge` or `concatenate` do not cancel each other.
  /// - Complexity: One small object here, and one more for an id that is neither `Int` nor
  ///   `String`. In the store, O(depth of the place in the composition) table entries for each
  ///   id.
  @inlinable
  public consuming func cancellable(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Self {
    changed { $0.with(key: CancelKey(id: CancelID(id)), cancelInFlight: cancelInFlight) }
  }

  /// Lets the effect continue when the child that returned it ends because its optional state
  /// becomes `nil`, or its element or case is removed. An action that it sends to a child that no
  /// longer exists is still an issue.
  ///
  /// - Complexity: One small object.
  @inlinable
  public consuming func outlives() -> Self {
    changed { $0.with(outlives: true) }
  }

  /// Turns errors of the effect into actions. Cancellation is not an error and is not passed to the
  /// handler. `.send`, `.cancel` and `.issue` throw nothing and do not change. In a group, the
  /// handler applies to each member.
  ///
  /// - Parameter handler: Called in the effect's task, once for each error.
  /// - Complexity: One closure for each member, no task.
  @inlinable
  public func `catch`(
    _ handler: @escaping @Sendable (_ error: any Error) -> Action
  ) -> Self {
    changed {
      $0.replacingWork(
        task: { _, work in
          .task {
            do { return try await work() } catch let error where !(error is CancellationError) {
              return handler(error)
            }
          }
        },
        run: { _, work in
          .run { send in
            do { try await work(send) } catch let error where !(error is CancellationError) {
              send(handler(error))
            }
          }
        })
    }
  }
}

extension Effect {
  /// Returns the same effect with every action embedded in another type, like a child's action in
  /// its parent's.
  ///
  /// - Complexity: One closure for each member, and one call of `transform` for each action. The
  ///   name, ids and place are shared with the original.
  @inlinable
  public func map<NewAction>(
    _ transform: @escaping @Sendable (Action) -> NewAction
  ) -> Effect<NewAction> {
    folded { $0.mapped(transform, members: $1) }
  }

  @inlinable
  func mapped<NewAction>(
    _ transform: @escaping @Sendable (Action) -> NewAction, members: [Effect<NewAction>]
  ) -> Effect<NewAction> {
    let mapped: Effect<NewAction>.Operation
    switch operation {
    case .none: mapped = .none
    case .send(let action): mapped = .send(transform(action))
    case .task(let operation): mapped = .task { try await transform(operation()) }
    case .run(let operation): mapped = .run { send in try await operation(send.map(transform)) }
    case .cancel(let key): mapped = .cancel(key)
    case .issue(let message): mapped = .issue(message)
    case .merge: mapped = .merge(members)
    case .concatenate: mapped = .concatenate(members)
    }
    return Effect<NewAction>(mapped, name: name, location: location, traits: traits)
  }

  /// Returns a child's effect as an effect of the parent.
  @inlinable
  func adopted<Parent>(
    _ embed: @escaping @Sendable (Action) -> Parent, under child: ChildKey
  ) -> Effect<Parent> {
    // `mapped` puts the members into a group.
    folded { $0.nested(under: child, members: []).mapped(embed, members: $1) }
  }

  /// Returns the same effect with its place and ids moved into a child.
  @inlinable
  func nested(under child: ChildKey) -> Effect {
    folded { $0.nested(under: child, members: $1) }
  }

  @inlinable
  func nested(under child: ChildKey, members: [Effect]) -> Effect {
    var copy = self
    copy.traits = (traits ?? EffectTraits()).nested(under: child)
    switch operation {
    case .cancel(var key):
      key.place.insert(child, at: 0)
      copy.operation = .cancel(key)
    case .merge:
      copy.operation = .merge(members)
    case .concatenate:
      copy.operation = .concatenate(members)
    case .none, .send, .task, .run, .issue:
      break
    }
    return copy
  }
}
