extension Reducer {
  /// Declares effects that run for as long as the state declares them; see `Reducer.subscriptions`.
  ///
  /// ```swift
  /// Reduce { … }
  ///   .subscribing { state, dependencies in
  ///     state.isWatching
  ///       ? [.stream(dependencies.changes) { .changed($0) }.cancellable(id: "changes")] : []
  ///   }
  /// ```
  /// An effect whose parameters change under the same id continues as it is. Put what it depends on
  /// into the id, such as the interval of a timer, to have it replaced. `declare` must not draw
  /// values that a recording has, such as dates: a replay does not call it.
  ///
  /// - Complexity: Adds a call of `declare` to every step of the store.
  @inlinable
  public func subscribing(
    _ declare: @escaping @Sendable (State, Dependencies) -> [Effect<Action>]
  ) -> SubscribingReducer<Self> {
    SubscribingReducer(base: self, declare: declare)
  }
}

/// A reducer with subscriptions. Created by `subscribing`.
public struct SubscribingReducer<Base: Reducer>: WrappingReducer {
  /// The reducer that the subscriptions belong to.
  public let base: Base
  @usableFromInline let declare: @Sendable (Base.State, Base.Dependencies) -> [Effect<Base.Action>]

  @inlinable
  init(
    base: Base,
    declare: @escaping @Sendable (Base.State, Base.Dependencies) -> [Effect<Base.Action>]
  ) {
    self.base = base
    self.declare = declare
  }

  /// Reduces with the base. The subscriptions are not involved.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.reduce(&state, action, dependencies)
  }
  /// Returns `true`.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { true }

  /// Returns the declared subscriptions, and then those of the base.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    declare(state, dependencies) + base.subscriptions(state, dependencies)
  }
}
