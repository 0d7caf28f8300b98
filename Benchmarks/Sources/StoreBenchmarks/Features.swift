import SwiftBoardStore

/// The same as `Chain`, under an id.
struct NamedChain: Reducer {
  func reduce(_ state: inout Int, _ action: Int, _ dependencies: Int) -> [Effect<Int>] {
    state = action
    return action < dependencies ? [.task { action + 1 }.cancellable(id: 1)] : []
  }
}

/// Starts one waiting effect per action, and cancels one by its id.
struct Waiting: Reducer {
  enum Action: Sendable {
    case start(Int), startNameless, cancel(Int), done
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
    case .cancel(let id): return [.cancel(id: id)]
    case .done: return []
    }
  }
}

/// Starts an effect that waits at a gate.
struct Flights: Reducer {
  func reduce(_ state: inout Int, _ action: Bool, _ gate: Gate) -> [Effect<Bool>] {
    state += 1
    guard action else { return [] }
    return [
      .task {
        await gate.pass()
        return false
      }
    ]
  }
}

/// A feature as programs have them: a list in its state, several kinds of actions.
struct Todos: Reducer {
  struct Item: Sendable {
    var title: String
    var isDone = false
    var changes = 0
  }
  struct State: Sendable {
    var items = (0..<64).map { Item(title: "item \($0)") }
    var done = 0
    var selected: Int?
    var onlyOpen = false
  }
  enum Action: Sendable {
    case toggle(Int)
    case select(Int?)
    case filter(onlyOpen: Bool)
    case rename(Int, String)
  }
  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
    switch action {
    case .toggle(let index):
      guard state.items.indices.contains(index) else { return [] }
      state.items[index].isDone.toggle()
      state.items[index].changes &+= dependencies
      state.done &+= state.items[index].isDone ? 1 : -1
    case .select(let index): state.selected = index
    case .filter(let onlyOpen): state.onlyOpen = onlyOpen
    case .rename(let index, let title):
      guard state.items.indices.contains(index) else { return [] }
      state.items[index].title = title
    }
    return []
  }
}
