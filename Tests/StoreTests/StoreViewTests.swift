import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Views of a store")
struct StoreViewTests {
  struct Board: Sendable {
    var left = Count()
    var right = Count()
  }

  enum Action: Sendable {
    case left(Int), right(Int)
  }

  private func makeBoard() -> Store<Reduce<Board, Action, Void>> {
    Store(
      initialState: Board(),
      reducer: Reduce { state, action, _ in
        switch action {
        case .left(let count): state.left.count = count
        case .right(let count): state.right.count = count
        }
        return []
      }, dependencies: ())
  }

  @Test("a view reads its part, sends its actions, and is watched by value")
  func parts() async {
    let store = makeBoard()
    let left = store.scope(state: \.left, action: Action.left)
    let count = left.scope(state: \.count, action: { (step: Int) in step })
    var counts = count.states(\.self).makeAsyncIterator()
    #expect(await counts.next() == 0)
    store.send(.right(9))
    count.send(4)
    #expect(await counts.next() == 4)
    #expect(left.state == Count(count: 4))
    #expect(store.state.left.count == 4)
    #expect(store.withState { $0.right.count } == 9)
    let seen = Journal<Int>()
    let observation = count.observe { seen.note($0) }
    count.send(5)
    observation.cancel()
    count.send(6)
    #expect(seen.entries == [5])
  }

  @Test("a view costs the store nothing: no observer, no copy")
  func free() {
    let store = makeBoard()
    let view = store.view
    _ = store.scope(state: \.left, action: Action.left).state
    #expect(store.observerCount == 0)
    #expect(view.withState { $0.left.count } == 0)
  }

  @Test("R11 a view of a dropped store reads the last state, and sending is an issue")
  func dropped() {
    let issues = Journal<StoreIssue>()
    var store: Store<Reduce<Count, Int, Void>>? = Store(
      initialState: Count(),
      reducer: Reduce { state, action, _ in
        state.count = action
        return []
      }, dependencies: (), onIssue: { issues.note($0) })
    let view = store?.view
    store?.send(3)
    store = nil
    view?.send(4)
    #expect(view?.state.count == 3)
    #expect(issues.entries.count == 1)
  }
}
