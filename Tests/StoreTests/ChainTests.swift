import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

/// A task whose action leads to the next task goes the short way through the store where nobody watches; it must not be told from the
/// long one.
@Suite("R5 R10 Chains of tasks")
struct ChainTests {
  private struct Links: Reducer {
    let last: Int

    func reduce(_ state: inout [Int], _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state.append(action)
      if action >= last { return [] }
      switch action % 4 {
      case 3: return [.task(name: "named \(action)") { action + 1 }.cancellable(id: action)]
      case 2: return [.run(name: "run \(action)") { send in send(action + 1) }]
      case 1: return [.task(name: "task \(action)") { action + 1 }, .none]
      default: return [.task(name: "plain \(action)") { action + 1 }]
      }
    }
  }

  private let executor = ManualExecutor()

  private func makeStore(last: Int = 12, isObserved: Bool) -> Store<Links> {
    let store = Store(
      initialState: [], reducer: Links(last: last), dependencies: (), executor: executor)
    if isObserved { store.observe { _, _ in } }
    return store
  }

  @Test("each link is listed with its own name, step and cause", arguments: [false, true])
  func listed(isObserved: Bool) async {
    let store = makeStore(isObserved: isObserved)
    let handle = store.send(0)
    var names: [String] = []
    while let effect = store.effects.first, executor.step() {
      #expect(store.effects.count <= 1)
      #expect(effect.step == (effect.cause ?? -1) + 1)
      if names.last != effect.descriptor.name { names.append(effect.descriptor.name) }
    }
    #expect(names == (0..<12).map { ["plain", "task", "run", "named"][$0 % 4] + " \($0)" })
    await handle.finish()
    #expect(store.state == Array(0...12))
  }

  @Test(
    "the handle of the first link cancels whichever runs, and nothing of it is reduced",
    arguments: 0..<12)
  func cancelled(after links: Int) async {
    let store = makeStore(isObserved: false)
    let handle = store.send(0)
    while store.stepCount <= links { executor.step() }
    handle.cancel()
    executor.run()
    await handle.finish()
    #expect(store.state == Array(0...links))
    #expect(store.effects.isEmpty)
  }

  @Test("a handle is not finished before the last link is", arguments: [false, true])
  func finished(isObserved: Bool) async {
    let store = makeStore(isObserved: isObserved)
    let handle = store.send(0)
    while store.stepCount < 12 {
      #expect(!handle.isFinished)
      executor.step()
    }
    executor.run()
    #expect(handle.isFinished)
  }

  @Test("chains beside each other keep apart")
  func sideBySide() {
    let store = makeStore(last: 40, isObserved: false)
    let handles = (0..<3).map { _ in store.send(0) }
    for _ in 0..<20 { executor.step() }
    handles[1].cancel()
    executor.run()
    let full = store.state.filter { $0 == 40 }.count
    #expect(full == 2)
    #expect(store.effects.isEmpty)
    #expect(handles.filter { !$0.isFinished }.isEmpty)
  }

  // On the pool the links of a chain share tasks.

  @Test(
    "on the pool it goes the whole way, through as many tasks as it takes", arguments: [1, 100])
  func onThePool(chains: Int) async {
    let store = Store(initialState: [], reducer: Links(last: 200), dependencies: ())
    let handles = (0..<chains).map { _ in store.send(0) }
    for handle in handles { await handle.finish() }
    var counts = Array(repeating: 0, count: 201)
    for action in store.state { counts[action] += 1 }
    #expect(counts == Array(repeating: chains, count: 201))
    #expect(store.effects.isEmpty)
  }

  @Test(
    "cancelled on the pool, the link that runs is told, and nothing of it is reduced",
    arguments: [0, 1, 5, 30, 31, 32, 33, 64, 100])
  func cancelledOnThePool(after links: Int) async {
    let gate = Gate()
    let (waiting, reached) = AsyncStream<Void>.makeStream()
    let store = Store(
      initialState: [],
      reducer: Reduce<[Int], Int, Void> { state, action, _ in
        state.append(action)
        guard action == links else { return [.task { action + 1 }] }
        return [
          .task {
            reached.yield()
            try? await gate.wait()
            return action + 1
          }
        ]
      }, dependencies: ())
    let handle = store.send(0)
    for await _ in waiting { break }
    handle.cancel()
    await handle.finish()
    #expect(store.state == Array(0...links))
    #expect(store.effects.isEmpty)
    #expect(gate.waiters == 0)
  }

  @Test("a link that cancels its own task does not cancel the next")
  func cancelsItself() async {
    let store = Store(
      initialState: [],
      reducer: Reduce<[Bool], Bool?, Void> { state, action, _ in
        if let action { state.append(action) }
        guard state.count < 10 else { return [] }
        return [
          .task {
            let wasCancelled = Task.isCancelled
            withUnsafeCurrentTask { $0?.cancel() }
            return wasCancelled
          }
        ]
      }, dependencies: ())
    await store.send(nil).finish()
    #expect(store.state == Array(repeating: false, count: 10))
  }

  @Test("chains that never wait leave others their turn", .timeLimit(.minutes(1)))
  func othersGetTheirTurn() async {
    enum Action { case spin, other, stop }
    let store = Store(
      initialState: false,
      reducer: Reduce<Bool, Action, Void> { isOver, action, _ in
        switch action {
        case .spin: return isOver ? [] : [.task { .spin }]
        case .other: return [.task { .stop }]
        case .stop:
          isOver = true
          return []
        }
      }, dependencies: ())
    let chains = (0..<64).map { _ in store.send(.spin) }
    store.send(.other)
    for chain in chains { await chain.finish() }
    #expect(store.state)
  }

  @Test("what a link holds ends outside the lock")
  func ends() async {
    let shelf = Shelf()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { [weak shelf] state, action, _ in
        state = action
        guard action < 40, let shelf else { return [] }
        let reader = Reader(number: action, shelf: shelf)
        return [.task { withExtendedLifetime(reader) { action + 1 } }]
      }, dependencies: ())
    shelf.read = { store.state }
    await store.send(0).finish()
    // The last one may still be on its way out of the task.
    while shelf.ended.entries.count < 40 { await Task.yield() }
    #expect(shelf.ended.entries.map(\.number).sorted() == Array(0..<40))
    #expect(shelf.ended.entries.allSatisfy { $0.state >= $0.number })
    shelf.read = nil
  }

  private final class Shelf: Sendable {
    struct End: Sendable {
      let number: Int
      let state: Int
    }
    let ended = Journal<End>()
    private let reading = Mutex<(@Sendable () -> Int)?>(nil)

    var read: (@Sendable () -> Int)? {
      get { reading.withLock { $0 } }
      set { reading.withLock { $0 = newValue } }
    }
  }

  /// Uses the store when it ends, which stops the process where the store's lock is held.
  private final class Reader: Sendable {
    let number: Int
    let shelf: Shelf

    init(number: Int, shelf: Shelf) {
      self.number = number
      self.shelf = shelf
    }

    deinit {
      shelf.ended.note(Shelf.End(number: number, state: shelf.read?() ?? -1))
    }
  }
}
