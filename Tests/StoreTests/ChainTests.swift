import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A task whose action returns the next task, with and without an observer, on a manual executor.
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
    let kinds = ["plain", "task", "run", "named"]
    let expected: [String] = (0..<12).map { "\(kinds[$0 % 4]) \($0)" }
    #expect(names == expected)
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
}
