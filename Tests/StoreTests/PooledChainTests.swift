import SwiftBoardStore
import Synchronization
import Testing

/// On the pool an effect that follows alone from another one goes on in its task (ADR-016). Nothing else must tell it from one that has
/// a task of its own.
@Suite("R4 R5 R10 R11 Chains that share tasks", .timeLimit(.minutes(60)))
struct PooledChainTests {
  /// Each action starts the next, up to `last`.
  private static func store(
    last: Int, _ work: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) -> Store<Reduce<[Int], Int, Void>> {
    Store(
      initialState: [],
      reducer: Reduce { state, action, _ in
        state.append(action)
        guard action < last else { return [] }
        return [
          .task(name: "link \(action)") {
            try await work(action)
            return action + 1
          }
        ]
      }, dependencies: ())
  }

  /// Who the caller's task is, as long as it lives.
  private static var task: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

  @Test("one task runs several of them, and at most 32", arguments: [false, true])
  func shared(isHooked: Bool) async {
    let tasks = Journal<Int>()
    let store = Self.store(last: 400) { _ in tasks.note(Self.task) }
    let steps = Journal<Int>()
    if isHooked {
      store.setHooks { _, _ in StepHooks(didReduce: { step, _ in steps.note(step.number) }) }
    }
    await store.send(0).finish()
    #expect(store.state == Array(0...400))
    #expect(steps.entries == (isHooked ? Array(1...401) : []))
    var runs: [Int] = []
    var last: Int?
    for task in tasks.entries {
      if task == last { runs[runs.count - 1] += 1 } else { runs.append(1) }
      last = task
    }
    #expect(runs.reduce(0, +) == 400)
    #expect(runs.max() ?? 0 > 1)
    #expect(runs.max() ?? 0 <= 32)
  }

  @Test("hooks hear of each link as of an effect with a task of its own")
  func hooked() async {
    func origins(_ isObserved: Bool) async -> [String] {
      let heard = Journal<String>()
      let store = Self.store(last: 50)
      // Who is observed goes the long way.
      if isObserved { store.observe { _, _ in } }
      store.setHooks { _, _ in
        StepHooks(
          willReduce: { heard.note("will \($0)") },
          didReduce: { step, state in
            heard.note(
              "\(step.number) \(step.action) \(step.origin) \(step.effects) \(state.count)")
          })
      }
      await store.send(0).finish()
      return heard.entries
    }
    let short = await origins(false)
    #expect(short.count == 102)
    #expect(short == (await origins(true)))
  }

  @Test("a link is listed with its own name, step and cause", arguments: [1, 2, 10, 33, 34])
  func listed(link: Int) async throws {
    let gate = Gate()
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let store = Self.store(last: link + 1) { number in
      guard number == link else { return }
      arrived.yield()
      try await gate.wait()
    }
    let handle = store.send(0)
    for await _ in arrivals { break }
    let effects = store.effects
    #expect(effects.map(\.descriptor.name) == ["link \(link)"])
    #expect(effects.map(\.step) == [link + 1])
    #expect(effects.map(\.cause) == [link])
    #expect(!handle.isFinished)
    gate.open()
    await handle.finish()
    #expect(store.state.count == link + 2)
    #expect(store.effects.isEmpty)
  }

  @Test("many chains at once lose nothing")
  func many() async {
    let store = Self.store(last: 200)
    let handles = (0..<100).map { _ in store.send(0) }
    for handle in handles { await handle.finish() }
    var counts = Array(repeating: 0, count: 201)
    for action in store.state { counts[action] += 1 }
    #expect(counts == Array(repeating: 100, count: 201))
  }

  @Test(
    "cancelled, the link that runs is told, and nothing of it is reduced",
    arguments: [0, 1, 5, 31, 32, 33, 34, 64, 100])
  func cancelled(at link: Int) async {
    let gate = Gate()
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let store = Self.store(last: 200) { number in
      guard number == link else { return }
      arrived.yield()
      try? await gate.wait()
    }
    let handle = store.send(0)
    for await _ in arrivals { break }
    handle.cancel()
    await handle.finish()
    #expect(store.state == Array(0...link))
    #expect(store.effects.isEmpty)
    #expect(gate.waiters == 0)
  }

  @Test("a link that cancels its own task does not cancel the next, nor does code between the two")
  func cancelsItself() async {
    let store = Store(
      initialState: [],
      reducer: Reduce<[Bool], Bool?, Void> { state, action, _ in
        if let action { state.append(action) }
        // In the task that the effect ran in.
        if state.count % 3 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
        guard state.count < 20 else { return [] }
        let cancelsItself = state.count % 3 == 1
        return [
          .task {
            let wasCancelled = Task.isCancelled
            if cancelsItself { withUnsafeCurrentTask { $0?.cancel() } }
            return wasCancelled
          }
        ]
      }, dependencies: ())
    // Not this task, which the reducer would cancel.
    await Task.detached { await store.send(false).finish() }.value
    #expect(store.state == Array(repeating: false, count: 20))
  }

  @Test("chains that never wait leave others their turn")
  func othersGetTheirTurn() async {
    enum Action { case spin, other, stop }
    struct State {
      var spins = 0
      var isOver = false
    }
    let most = 3_000_000
    let store = Store(
      initialState: State(),
      reducer: Reduce<State, Action, Void> { state, action, _ in
        switch action {
        case .spin:
          state.spins += 1
          return state.isOver || state.spins >= most ? [] : [.task { .spin }]
        case .other: return [.task { .stop }]
        case .stop:
          state.isOver = true
          return []
        }
      }, dependencies: ())
    let chains = (0..<64).map { _ in store.send(.spin) }
    // Until all of them are in tasks that they share.
    while store.withState({ $0.spins }) < 10_000 { await Task.yield() }
    store.send(.other)
    for chain in chains { await chain.finish() }
    #expect(store.state.isOver)
    #expect(store.state.spins < most)
  }

  @Test("what a link holds ends when it has ended, and outside the lock")
  func ends() async {
    let shelf = Shelf()
    let gate = Gate()
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { [weak shelf] state, action, _ in
        state = action
        guard action <= 40, let shelf else { return [] }
        let reader = Reader(number: action, shelf: shelf)
        return [
          .task {
            if action == 40 {
              arrived.yield()
              try await gate.wait()
            }
            return withExtendedLifetime(reader) { action + 1 }
          }
        ]
      }, dependencies: ())
    shelf.read = { store.state }
    let handle = store.send(0)
    for await _ in arrivals { break }
    // The last one waits; all before it have ended, but for what is left to do in another thread.
    await waitUntil { shelf.ended.entries.count == 40 }
    #expect(shelf.ended.entries.map(\.number).sorted() == Array(0..<40))
    #expect(shelf.ended.entries.allSatisfy { $0.state > $0.number })
    gate.open()
    await handle.finish()
    await waitUntil { shelf.ended.entries.count == 41 }
    #expect(shelf.ended.entries.count == 41)
    shelf.read = nil
  }

  @Test(
    "R11 a store that only an earlier link held ends, and cancels the link that waits",
    arguments: [1, 2, 5])
  func dropped(waiting link: Int) async {
    let gate = Gate()
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let (endings, ended) = AsyncStream<Bool>.makeStream()
    typealias Kept = Store<Reduce<Int, Int, Void>>
    let shelf = Mutex<Kept?>(nil)
    weak var watched: Kept?
    do {
      let store = Kept(
        initialState: 0,
        reducer: Reduce { state, action, _ in
          state = action
          guard action == link else {
            let held = shelf.withLock { $0 }
            return [.task { withExtendedLifetime(held) { action + 1 } }]
          }
          return [
            .task {
              arrived.yield()
              do { try await gate.wait() } catch { ended.yield(Task.isCancelled) }
              return action
            }
          ]
        }, dependencies: ())
      watched = store
      shelf.withLock { $0 = store }
      store.send(0)
    }
    for await _ in arrivals { break }
    shelf.withLock { $0 = nil }
    for await wasCancelled in endings {
      #expect(wasCancelled)
      break
    }
    await waitUntil { watched == nil }
    #expect(watched == nil)
  }

  /// For what other threads are about to do: until then, or until the test's time is over.
  private func waitUntil(_ isTrue: () -> Bool) async {
    while !isTrue(), !Task.isCancelled { await Task.yield() }
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
