import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R1 One order")
struct R1OneOrder {
  struct Counter: Reducer {
    func reduce(_ state: inout [Int], _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state.append(action)
      return []
    }
  }

  @Test("R1 nothing is lost or torn when many threads send")
  func manySenders() async {
    let store = Store(initialState: [], reducer: Counter(), dependencies: ())
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<8 {
        group.addTask {
          for index in 0..<500 { store.send(sender * 1000 + index) }
        }
      }
    }
    let state = store.state
    #expect(state.count == 4000)
    for sender in 0..<8 {
      #expect(state.filter { $0 / 1000 == sender } == (0..<500).map { sender * 1000 + $0 })
    }
    #expect(store.stepCount == 4000)
  }

  @Test("R1 with observers, every step is told once, in the order of reduction")
  func manySendersObserved() async {
    let store = Store(initialState: [], reducer: Counter(), dependencies: ())
    let told = Journal<(number: Int, action: Int, count: Int)>()
    store.observe { step, state in
      told.note((step.number, step.action, state.count))
    }
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<4 {
        group.addTask {
          for index in 0..<250 { store.send(sender * 1000 + index) }
        }
      }
    }
    // A send that met a publication was only queued, and its publisher may still be at it.
    while told.entries.count < 1000 { await Task.yield() }
    #expect(told.entries.map(\.number) == Array(1...1000))
    #expect(told.entries.map(\.count) == Array(1...1000))
    #expect(told.entries.map(\.action) == store.state)
  }
}

@Suite("R2 First in, first out")
struct R2FirstInFirstOut {
  @Test("R2 sent effects are breadth first")
  func breadthFirst() {
    let stage = Stage { action in
      switch action {
      case "a": [.send("b"), .send("c")]
      case "b": [.send("d")]
      case "c": [.send("e")]
      default: []
      }
    }
    stage.store.send("a")
    #expect(stage.seen == ["a", "b", "c", "d", "e"])
  }

  @Test("R2 a send from an observer is queued, not recursive, and not lost")
  func fromObserver() {
    let stage = Stage { $0 == "a" ? [.send("b")] : [] }
    let store = stage.store
    let told = Journal<[String]>()
    store.observe { [weak store] step, state in
      told.note(state.seen)
      if step.action == "a" {
        let handle = store?.send("x")
        #expect(store?.state.seen == ["a"], "the step being told is not overtaken")
        #expect(handle?.isFinished == false)
      }
    }
    store.send("a")
    #expect(stage.seen == ["a", "b", "x"])
    #expect(told.entries == [["a"], ["a", "b"], ["a", "b", "x"]])
  }

  @Test("R2 when send returns, alone, everything it caused at once is reduced and told")
  func alone() {
    let stage = Stage { $0 == "a" ? [.send("b")] : [] }
    let told = Journal<String>()
    stage.store.observe { step, _ in told.note(step.action) }
    #expect(stage.store.send("a").isFinished)
    #expect(stage.seen == ["a", "b"])
    #expect(told.entries == ["a", "b"])
  }

  @Test("R2 a send that meets a publication on another thread is reduced by that thread")
  func contended() async {
    let stage = Stage()
    let store = stage.store
    let observerEntered = Gate()
    let mayLeave = Mutex(false)
    store.observe { step, _ in
      guard step.action == "a" else { return }
      observerEntered.open()
      while !mayLeave.withLock({ $0 }) {}
    }
    async let publisher: Void = Task.detached { _ = store.send("a") }.value
    try? await observerEntered.wait()
    let handle = store.send("b")
    #expect(store.state.seen == ["a"])
    #expect(!handle.isFinished)
    mayLeave.withLock { $0 = true }
    await publisher
    await handle.finish()
    #expect(store.state.seen == ["a", "b"])
  }
}

@Suite("R3 In place")
struct R3InPlace {
  final class Canary: Sendable {}

  struct Wide: Reducer {
    struct State: Sendable {
      var elements: [Int]
      var address = 0
    }

    func reduce(_ state: inout State, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
      state.elements[action] += 1
      state.address = state.elements.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
      return []
    }
  }

  @Test("R3 a step changes the array where it lies, observed or not")
  func sameBuffer() {
    let store = Store(
      initialState: Wide.State(elements: Array(repeating: 0, count: 10_000)), reducer: Wide(),
      dependencies: ())
    store.send(0)
    let address = store.withState { $0.address }
    for index in 1..<100 { store.send(index) }
    #expect(store.withState { $0.address } == address)
    store.observe { step, state in #expect(state.elements[step.action] == 1) }
    for index in 100..<200 { store.send(index) }
    #expect(store.withState { $0.address } == address)
  }
}

@Suite("R4 Effects start in order")
struct R4StartOrder {
  @Test("R4 in the order returned, those of step n before those of n+1")
  func startOrder() {
    let begun = Journal<String>()
    let stage = Stage { action in
      guard action.count == 1 else { return [] }
      return (1...3).map { index in
        .task {
          begun.note("\(action)\(index)")
          return "\(action)\(index) done"
        }
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    #expect(begun.entries == [], "nothing runs inside send")
    stage.executor.run()
    #expect(begun.entries == ["a1", "a2", "a3", "b1", "b2", "b3"])
  }

  @Test("R4 an effect that begins sees its step's state")
  func stateIsVisible() async {
    let seen = Journal<[String]>()
    let box = Mutex<Store<Script>?>(nil)
    let stage = Stage { action in
      action == "a"
        ? [
          .run { _ in
            let store = box.withLock { $0 }
            seen.note(store?.state.seen ?? [])
          }
        ] : []
    }
    box.withLock { $0 = stage.store }
    stage.store.send("a")
    stage.executor.run()
    box.withLock { $0 = nil }
    #expect(seen.entries == [["a"]])
  }

  @Test("R4 the members of a concatenation run one after the other, those of a merge side by side")
  func groups() async {
    let gate = Gate()
    let begun = Journal<String>()
    let stage = Stage { action in
      switch action {
      case "sequence":
        [
          .concatenate(
            .task {
              begun.note("1")
              try await gate.wait()
              return "one"
            },
            .send("two"),
            .merge(
              .task {
                begun.note("3a")
                return "three a"
              },
              .task {
                begun.note("3b")
                return "three b"
              }),
            .task {
              begun.note("4")
              return "four"
            })
        ]
      default: []
      }
    }
    let handle = stage.store.send("sequence")
    stage.executor.run()
    #expect(begun.entries == ["1"])
    gate.open()
    stage.executor.run()
    #expect(begun.entries == ["1", "3a", "3b", "4"])
    #expect(stage.seen == ["sequence", "one", "two", "three a", "three b", "four"])
    #expect(handle.isFinished)
    #expect(stage.store.effects.isEmpty)
  }
}
