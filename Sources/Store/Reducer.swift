/// What a feature does: how an action changes the state, and which effects follow.
///
/// `reduce` runs inside the store's critical section, one action at a time, and changes the state in place. It reads nothing but
/// its three parameters; then the same actions always give the same states, which is what a recording rests on.
public protocol Reducer<State, Action, Dependencies>: Sendable {
  associatedtype State: Sendable
  associatedtype Action: Sendable
  associatedtype Dependencies: Sendable

  /// Changes `state` for `action` and returns the effects to start, in that order. An empty array costs nothing.
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Dependencies) -> [Effect<
    Action
  >]

  /// Whether `subscriptions` may give anything. Asked once a store; reducers made of others answer for these, and hand `path` on.
  func declaresSubscriptions(in path: CompositionPath) -> Bool

  /// What is to run as long as the state is as it is: started when it is declared first, cancelled with the step after which it
  /// is declared no more, told apart by id (`cancellable(id:)`). One that ends by itself, or that a `.cancel(id:)` ends, is not started
  /// again while it stays declared.
  ///
  /// Called for the initial state and after every step, under the lock: build the list from the state and nothing else. Attach it with
  /// `subscribing`; reducers made of others collect their children's.
  func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>]
}

extension Reducer {
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool { false }

  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] { [] }
}

/// Which features lie between the root and a reducer: so that a feature that contains itself is not followed for ever.
public struct CompositionPath: Sendable {
  @usableFromInline let types: [ObjectIdentifier]

  /// The root's.
  @inlinable
  public init() { types = [] }

  @inlinable
  init(types: [ObjectIdentifier]) { self.types = types }

  /// The path inside a feature of this type; `nil` where it is in one already. O(length of the path).
  @inlinable
  public func entering<Feature>(_ feature: Feature.Type) -> CompositionPath? {
    let type = ObjectIdentifier(feature)
    return types.contains(type) ? nil : CompositionPath(types: types + [type])
  }
}
