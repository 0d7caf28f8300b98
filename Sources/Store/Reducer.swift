/// A type that describes a feature: how an action changes the state, and which effects follow.
///
/// `reduce` runs inside the store's critical section, one action at a time, and changes the state
/// in place. It must read nothing but its three parameters. Then the same actions always lead to
/// the same states, which replay of recordings requires.
public protocol Reducer<State, Action, Dependencies>: Sendable {
  /// The state that the store holds and `reduce` changes in place.
  associatedtype State: Sendable
  /// An event, from outside the store or from an effect.
  associatedtype Action: Sendable
  /// Other values that the reducer receives with every action, such as services and a clock. `Void`
  /// if there are none.
  associatedtype Dependencies: Sendable

  /// Changes `state` for `action` and returns the effects to start, in that order. An empty array
  /// costs nothing. Report misuse with `Effect.issue`, never with a trap.
  ///
  /// - Complexity: Determined by the implementation. Every sender waits for it, so it must neither
  ///   block nor wait.
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Dependencies) -> [Effect<
    Action
  >]

  /// Returns whether `subscriptions` may return any effect. Called once for each store. A reducer
  /// made of others asks these and passes `path` on. O(number of reducers that it is made of).
  func declaresSubscriptions(in path: CompositionPath) -> Bool

  /// Returns the effects that run while the state declares them. Each is started when it is first
  /// declared, cancelled by the step after which it is no longer declared, and identified by its id
  /// (`cancellable(id:)`). An effect that ends by itself, or that a `.cancel(id:)` ends, is not
  /// started again while it stays declared. Effects that its actions have caused continue when it
  /// ends.
  ///
  /// Called for the initial state and after every step, under the lock. Build the list from the
  /// state and nothing else. Attach it with `subscribing`. A reducer made of others collects the
  /// subscriptions of its children; operators do, and so does a `WrappingReducer`.
  ///
  /// - Complexity: Determined by the implementation, in every step of a store with a reducer that
  ///   declares any. The store adds O(number declared).
  /// - Returns: Effects with ids. An effect without an id, and the second of two with equal ids, is
  ///   not started and is an issue at the line that made it, once for as long as it is declared.
  func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>]

  /// Finds the children that are missing from `state` while their effects run. The store cancels
  /// these effects if a child was removed without the operator that composes it. Operators check
  /// their children. A reducer made of others passes `search` to these.
  ///
  /// Called under the lock after a step, only while effects of children run.
  ///
  /// - Complexity: O(number of reducers on the way to the children whose effects run, and of their
  ///   siblings). Lists are compared by their ids, which is O(1) if none was added or removed.
  func findAbsentChildren(in state: State, _ search: inout ChildSearch)
}

/// A reducer with the same state, action and dependencies as `R`.
///
/// Use it for `var body: some ReducerOf<Self>` in a type that declares all three
/// (`typealias Dependencies = Void` if there are none).
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action, R.Dependencies>

extension Reducer {
  /// Returns `false`.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { false }

  /// Returns an empty array, without an allocation.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] { [] }

  /// Finds no children.
  @inlinable
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {}
}

/// The features between the root and a reducer. It ends the recursion into a feature that contains
/// itself.
public struct CompositionPath: Sendable {
  @usableFromInline let types: [ObjectIdentifier]

  /// Creates the path of the root. Allocates nothing.
  @inlinable
  public init() { types = [] }

  @inlinable
  init(types: [ObjectIdentifier]) { self.types = types }

  /// Returns the path inside a feature of this type, or `nil` if the path already contains it.
  /// O(length of the path).
  @inlinable
  public func entering<Feature>(_ feature: Feature.Type) -> CompositionPath? {
    let type = ObjectIdentifier(feature)
    return types.contains(type) ? nil : CompositionPath(types: types + [type])
  }
}
