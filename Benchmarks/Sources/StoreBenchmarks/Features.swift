import SwiftBoardStore

struct Counter: Reducer {
  struct State: Sendable {
    var count = 0
    var last = 0
  }

  enum Action: Sendable {
    case add(Int)
    case reset
  }

  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
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
struct Chain: Reducer {
  func reduce(_ state: inout Int, _ action: Int, _ dependencies: Int) -> [Effect<Int>] {
    state = action
    return action < dependencies ? [.task { action + 1 }] : []
  }
}

/// Starts one waiting effect per action under an id, and cancels them all.
struct Waiting: Reducer {
  enum Action: Sendable {
    case start(Int), startNameless, cancelAll, done
  }

  func reduce(_ state: inout Int, _ action: Action, _ dependencies: Void) -> [Effect<Action>] {
    switch action {
    case .start(let id):
      state += 1
      return [
        .task {
          try await Task.sleep(for: .seconds(1000))
          return .done
        }.cancellable(id: id)
      ]
    case .startNameless:
      return [
        .task {
          try await Task.sleep(for: .seconds(1000))
          return .done
        }
      ]
    case .cancelAll: return (0..<state).map { .cancel(id: $0) }
    case .done: return []
    }
  }
}

struct Flights: Reducer {
  func reduce(_ state: inout Int, _ action: Bool, _ dependencies: Void) -> [Effect<Bool>] {
    state += 1
    return action ? [.task { false }] : []
  }
}
