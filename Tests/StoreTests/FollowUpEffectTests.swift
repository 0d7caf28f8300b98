import SwiftBoardStore
import Synchronization
import Testing

/// Effects whose actions return the next effect, on the concurrent pool.
@Suite("R4 R5 R10 R11 Effects that follow from effects", .timeLimit(.minutes(20)))
struct FollowUpEffectTests {
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

  @Test("hooks see the same steps with and without an observer")
  func hooked() async {
    func origins(_ isObserved: Bool) async -> [String] {
      let heard = Journal<String>()
      let store = Self.store(last: 50)
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
    let unobserved = await origins(false)
    #expect(unobserved.count == 102)
    #expect(unobserved == (await origins(true)))
  }

  @Test("each effect is listed with its own name, step and cause", arguments: [1, 2, 10])
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

  @Test("100 concurrent chains lose no action")
  func many() async {
    let store = Self.store(last: 200)
    let handles = (0..<100).map { _ in store.send(0) }
    for handle in handles { await handle.finish() }
    var counts = Array(repeating: 0, count: 201)
    for action in store.state { counts[action] += 1 }
    #expect(counts == Array(repeating: 100, count: 201))
  }

  @Test(
    "cancelling the first handle cancels the running effect, and drops its action",
    arguments: [0, 1, 5, 100])
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

  @Test("an effect that cancels its own task does not cancel the next")
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

  @Test("what an effect holds is released when it has ended, outside the lock")
  func releasesOutsideTheLock() async {
    let releases = Releases()
    let gate = Gate()
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { [weak releases] state, action, _ in
        state = action
        guard action <= 40, let releases else { return [] }
        let held = Held(number: action, releases: releases)
        return [
          .task {
            if action == 40 { try await gate.wait() }
            return withExtendedLifetime(held) { action + 1 }
          }
        ]
      }, dependencies: ())
    releases.read = { store.state }
    let handle = store.send(0)
    var released: [Release] = []
    // The last effect waits at the gate; what the others held is released.
    for await release in releases.stream {
      released.append(release)
      if released.count == 40 { break }
    }
    #expect(released.map(\.number).sorted() == Array(0..<40))
    #expect(released.allSatisfy { $0.state > $0.number })
    gate.open()
    await handle.finish()
    for await release in releases.stream {
      #expect(release.number == 40)
      break
    }
    releases.read = nil
  }

  @Test(
    "R11 a store that only an earlier effect held is released, and cancels the waiting effect",
    arguments: [1, 2, 5])
  func releasedStore(waiting link: Int) async {
    let gate = Gate()
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let (endings, ended) = AsyncStream<Bool>.makeStream()
    typealias Kept = Store<Reduce<Int, Int, Void>>
    let shelf = Mutex<Kept?>(nil)
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
      shelf.withLock { $0 = store }
      store.send(0)
    }
    for await _ in arrivals { break }
    shelf.withLock { $0 = nil }
    // Only the release of the store cancels the effect.
    for await wasCancelled in endings {
      #expect(wasCancelled)
      break
    }
  }

  private struct Release: Sendable {
    let number: Int
    let state: Int
  }

  private final class Releases: Sendable {
    let stream: AsyncStream<Release>
    let continuation: AsyncStream<Release>.Continuation
    private let reading = Mutex<(@Sendable () -> Int)?>(nil)

    init() {
      (stream, continuation) = AsyncStream.makeStream()
    }

    var read: (@Sendable () -> Int)? {
      get { reading.withLock { $0 } }
      set { reading.withLock { $0 = newValue } }
    }
  }

  /// Reads the store when it is released, which stops the process if that happens under the lock.
  private final class Held: Sendable {
    let number: Int
    let releases: Releases

    init(number: Int, releases: Releases) {
      self.number = number
      self.releases = releases
    }

    deinit {
      releases.continuation.yield(Release(number: number, state: releases.read?() ?? -1))
    }
  }
}
