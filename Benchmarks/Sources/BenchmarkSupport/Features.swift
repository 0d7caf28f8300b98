import SwiftBoardStore

public struct Counter: Reducer {
  public struct State: Sendable {
    public var count = 0
    public var last = 0

    @inlinable
    public init() {}
  }

  public enum Action: Sendable {
    case add(Int)
    case reset
  }

  @inlinable
  public init() {}

  @inlinable
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Int
  ) -> [Effect<Action>] {
    switch action {
    case .add(let amount):
      state.count &+= amount &* dependencies
      state.last = amount
    case .reset: state.count = 0
    }
    return []
  }
}

/// A chain of effects: each action starts a task whose action starts the next.
public struct Chain: Reducer {
  @inlinable
  public init() {}

  @inlinable
  public func reduce(
    _ state: inout Int, _ action: Int, _ dependencies: Int
  ) -> [Effect<Int>] {
    state = action
    return action < dependencies ? [.task { action + 1 }] : []
  }
}
