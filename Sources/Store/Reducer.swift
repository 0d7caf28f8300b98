/// What a feature does: how an action changes the state, and which effects follow.
///
/// `reduce` runs inside the store's critical section, one action at a time, and changes the state
/// in place. It reads nothing but its three parameters; then the same actions always give the same
/// states, which is what a recording rests on.
public protocol Reducer<State, Action, Dependencies>: Sendable {
  /// What is changed in place; what the store holds.
  associatedtype State: Sendable
  /// What happens: from outside, or from an effect.
  associatedtype Action: Sendable
  /// What the reducer is handed with every action besides: services, a clock. `Void` if there is
  /// none.
  associatedtype Dependencies: Sendable

  /// Changes `state` for `action` and returns the effects to start, in that order. An empty array
  /// costs nothing. Misuse is reported with `Effect.issue`, never with a trap.
  ///
  /// - Complexity: Determined by the implementation. Every sender waits for it: it should neither
  ///   block nor wait.
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Dependencies) -> [Effect<
    Action
  >]

  /// Whether `subscriptions` may give anything. Asked once a store; reducers made of others answer
  /// for these, and hand `path` on. O(number of reducers that it is made of).
  func declaresSubscriptions(in path: CompositionPath) -> Bool

  /// Returns the effects that run while the state declares them: each is started when it is first
  /// declared, cancelled with the step after which it is no longer declared, and identified by its
  /// id (`cancellable(id:)`). One that ends by itself, or that a `.cancel(id:)` ends, is not
  /// started again while it stays declared. What its actions have caused continues when it ends.
  ///
  /// Called for the initial state and after every step, under the lock: build the list from the
  /// state and nothing else. Attach it with `subscribing`; reducers made of others collect their
  /// children's.
  ///
  /// - Complexity: Yours, in every step of a store whose reducer declares any; the store adds
  ///   O(number declared).
  /// - Returns: Effects with ids. One without an id, and the second of two with equal ids, is not
  ///   started and is an issue at the line that made it, once for as long as it is declared.
  func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>]

  /// Finds the children that are missing from `state` while their effects run: the store cancels
  /// these effects if a child was removed without the operator that composes it. Operators check
  /// their children; reducers made of others pass `search` to these.
  ///
  /// Called under the lock after a step, as long as effects of children run, and not otherwise.
  ///
  /// - Complexity: O(number of reducers on the way to the children whose effects run, and of their
  ///   siblings). Lists are compared by their ids, which is O(1) where none was added or removed.
  func findAbsentChildren(in state: State, _ search: inout ChildSearch)
}

/// A reducer of the same state, action and dependencies: `var body: some ReducerOf<Self>`, in a
/// type that declares all three (`typealias Dependencies = Void` if there are none).
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action, R.Dependencies>

extension Reducer {
  /// None.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { false }

  /// None; costs no allocation.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] { [] }

  /// Finds none.
  @inlinable
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {}
}

/// Which features are between the root and a reducer: so that a feature that contains itself is not
/// followed forever.
public struct CompositionPath: Sendable {
  @usableFromInline let types: [ObjectIdentifier]

  /// The root's. Allocates nothing.
  @inlinable
  public init() { types = [] }

  @inlinable
  init(types: [ObjectIdentifier]) { self.types = types }

  /// The path inside a feature of this type; `nil` if it is in one already. O(length of the path).
  @inlinable
  public func entering<Feature>(_ feature: Feature.Type) -> CompositionPath? {
    let type = ObjectIdentifier(feature)
    return types.contains(type) ? nil : CompositionPath(types: types + [type])
  }
}
