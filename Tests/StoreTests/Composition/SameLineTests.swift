import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// Children that one source line composes, in a helper that is called for each.
@Suite("Children of one line")
struct SameLineTests {
  struct Pair: ComposedReducer {
    struct State: Sendable, Equatable {
      var first: Ticker.State? = Ticker.State()
      var second: Ticker.State? = Ticker.State()
      var left: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1)]
      var right: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1)]
      var up = Ticker.State()
      var down = Ticker.State()
    }

    enum Action: Sendable, Equatable {
      case first(Ticker.Action), second(Ticker.Action)
      case left(ElementAction<Int, Ticker.Action>), right(ElementAction<Int, Ticker.Action>)
      case up(Ticker.Action), down(Ticker.Action)
      case removeFirst, removeLeft
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      scoped(\.up, CasePath(embed: Action.up) { if case .up(let a) = $0 { a } else { nil } })
      scoped(\.down, CasePath(embed: Action.down) { if case .down(let a) = $0 { a } else { nil } })
      Reduce<State, Action, Ticker.Dependencies> { state, action, _ in
        switch action {
        case .removeFirst: state.first = nil
        case .removeLeft: state.left = []
        default: break
        }
        return []
      }
      .optional(
        \.first, CasePath(embed: Action.first) { if case .first(let a) = $0 { a } else { nil } }
      )
      .optional(
        \.second, CasePath(embed: Action.second) { if case .second(let a) = $0 { a } else { nil } }
      )
      .list(\.left, CasePath(embed: Action.left) { if case .left(let a) = $0 { a } else { nil } })
      .list(
        \.right, CasePath(embed: Action.right) { if case .right(let a) = $0 { a } else { nil } })
    }

    private func scoped(
      _ state: WritableKeyPath<State, Ticker.State> & Sendable,
      _ action: CasePath<Action, Ticker.Action>
    ) -> some Reducer<State, Action, Ticker.Dependencies> {
      Scope(state: state, action: action) { Ticker() }
    }
  }

  @Test(
    "R6 R7 removing one cancels no effect of the other, though their effects have equal ids",
    arguments: [
      (Pair.Action.removeFirst, Pair.Action.first(.start), Pair.Action.second(.start)),
      (
        .removeLeft, .left(.element(id: 1, action: .start)), .right(.element(id: 1, action: .start))
      ),
    ])
  func removal(remove: Pair.Action, one: Pair.Action, other: Pair.Action) {
    let scene = Scene(Pair.State(), Pair())
    scene.store.send(one)
    scene.store.send(other)
    #expect(scene.running.count == 2)
    scene.store.send(remove)
    #expect(scene.running.count == 1)
    #expect(scene.issues.entries.isEmpty)
  }

  @Test("R6 a child cancels its own effects only")
  func cancelling() {
    let scene = Scene(Pair.State(), Pair())
    scene.store.send(.up(.start))
    scene.store.send(.down(.start))
    scene.store.send(.up(.stop))
    #expect(scene.running.count == 1)
    scene.store.send(.down(.stop))
    #expect(scene.running.isEmpty)
  }
}

extension Reducer where Dependencies == Ticker.Dependencies {
  fileprivate func optional(
    _ state: WritableKeyPath<State, Ticker.State?> & Sendable,
    _ action: CasePath<Action, Ticker.Action>
  ) -> some Reducer<State, Action, Dependencies> {
    ifLet(state, action: action) { Ticker() }
  }

  fileprivate func list(
    _ state: WritableKeyPath<State, IdentifiedArrayOf<Ticker.State>> & Sendable,
    _ action: CasePath<Action, ElementAction<Int, Ticker.Action>>
  ) -> some Reducer<State, Action, Dependencies> {
    forEach(state, action: action) { Ticker() }
  }
}
