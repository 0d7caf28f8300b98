/// A reducer that is made of others. What it declares is what its parts declare, and its children are theirs.
@usableFromInline
protocol ReducerOfParts: Reducer {
  /// The parts, in the order of their subscriptions.
  var parts: [ReducerPart<State, Action, Dependencies>] { get }
}

extension ReducerOfParts {
  /// Whether one of the parts declares subscriptions. O(number of parts).
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    parts.contains { $0.declares(path) }
  }

  /// The subscriptions of all parts. O(number of parts), and what these cost.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    parts.flatMap { $0.subscriptions(state, dependencies) }
  }
}

/// A part of a reducer, as the whole sees its subscriptions and its children.
@usableFromInline
struct ReducerPart<State: Sendable, Action: Sendable, Dependencies: Sendable>: Sendable {
  @usableFromInline let declares: @Sendable (CompositionPath) -> Bool
  @usableFromInline let subscriptions: @Sendable (State, Dependencies) -> [Effect<Action>]
  /// Asks the part for its children at the places where effects run.
  @usableFromInline let search: @Sendable (inout PlaceSearch, State, LivePlaces) -> Void

  /// Subscriptions that are declared by the reducer itself.
  @inlinable
  init(_ subscriptions: @escaping @Sendable (State, Dependencies) -> [Effect<Action>]) {
    declares = { _ in true }
    self.subscriptions = subscriptions
    search = { _, _, _ in }
  }

  /// A part with the state and the actions of the whole.
  @inlinable
  init(_ reducer: some Reducer<State, Action, Dependencies>) {
    declares = { reducer.declaresSubscriptions(in: $0) }
    subscriptions = { reducer.subscriptions($0, $1) }
    search = { $0.visit(reducer, $1, $2) }
  }

  /// A child, whose subscriptions the closure embeds in the actions of the whole.
  @inlinable
  init(
    child: some Reducer,
    search: @escaping @Sendable (inout PlaceSearch, State, LivePlaces) -> Void,
    subscriptions: @escaping @Sendable (State, Dependencies) -> [Effect<Action>]
  ) {
    declares = { child.declaresSubscriptions(in: $0) }
    self.subscriptions = subscriptions
    self.search = search
  }
}
