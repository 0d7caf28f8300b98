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
}
