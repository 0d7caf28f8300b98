import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("TestClock")
struct TestClockTests {
  /// What tasks on the clock's executor wrote down.
  final class Notes: Sendable {
    private let storage = Mutex<[String]>([])
    var all: [String] { storage.withLock { $0 } }
    func add(_ note: String) { storage.withLock { $0.append(note) } }
  }

  let clock = TestClock()
  let notes = Notes()

  @discardableResult
  func start(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    Task.detached(executorPreference: clock.executor, operation: work)
  }

  @Test("sleepers wake in the order of their deadlines, each at its own moment")
  func order() {
    for milliseconds in [300, 100, 200, 100] {
      start { [clock, notes] in
        try await clock.sleep(for: .milliseconds(milliseconds))
        notes.add("\(milliseconds) at \(clock.now)")
      }
    }
    clock.advance(by: .milliseconds(250))
    #expect(
      notes.all == ["100 at 0.1 seconds", "100 at 0.1 seconds", "200 at 0.2 seconds"])
    #expect(clock.now.offset == .milliseconds(250))
    #expect(clock.sleepers.map(\.offset) == [.milliseconds(300)])
    clock.advance(by: .milliseconds(50))
    #expect(notes.all.count == 4)
    #expect(clock.sleepers.isEmpty)
  }

  @Test("who wakes, works and sleeps again does so at the right moments of one advance")
  func chains() {
    start { [clock, notes] in
      for _ in 0..<5 {
        try await clock.sleep(for: .seconds(1))
        notes.add("tick \(clock.now)")
      }
    }
    start { [clock, notes] in
      try await clock.sleep(for: .milliseconds(2500))
      notes.add("half \(clock.now)")
    }
    clock.advance(by: .seconds(3))
    #expect(
      notes.all == [
        "tick 1.0 seconds", "tick 2.0 seconds", "half 2.5 seconds", "tick 3.0 seconds",
      ])
  }

  @Test("cancelling a sleeper, before it sleeps and while it does")
  func cancellation() async {
    let early = start { [clock] in try await clock.sleep(for: .seconds(1)) }
    early.cancel()
    let late = start { [clock] in try await clock.sleep(for: .seconds(1)) }
    clock.advance(by: .zero)
    #expect(clock.sleepers.count == 1)
    late.cancel()
    #expect(clock.sleepers.isEmpty)
    clock.executor.run()
    for task in [early, late] {
      let result = await task.result
      #expect(throws: CancellationError.self) { try result.get() }
    }
  }

  @Test("no sleep for no time, and none for a moment that is past")
  func past() {
    clock.advance(by: .seconds(5))
    start { [clock, notes] in
      try await clock.sleep(for: .zero)
      try await clock.sleep(until: TestClock.Instant(offset: .seconds(2)))
      notes.add("done")
    }
    clock.executor.run()
    #expect(notes.all == ["done"])
    clock.advance(to: TestClock.Instant(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(5), "time does not go back")
  }

  @Test("advancing by no duration runs what is ready, and no time passes")
  func noDuration() {
    start { [clock, notes] in
      notes.add("began")
      try await clock.sleep(for: .nanoseconds(1))
      notes.add("slept")
    }
    clock.advance()
    #expect(notes.all == ["began"])
    #expect(clock.now.offset == .zero)
    clock.advance(by: .nanoseconds(1))
    #expect(notes.all == ["began", "slept"])
  }

  @Test("run goes on until nobody sleeps, or to its limit")
  func run() {
    start { [clock] in
      for _ in 0..<3 { try await clock.sleep(for: .seconds(1)) }
    }
    #expect(clock.run())
    #expect(clock.now.offset == .seconds(3))
    let endless = start { [clock] in while true { try await clock.sleep(for: .seconds(1)) } }
    #expect(!clock.run(limit: 10))
    #expect(clock.now.offset == .seconds(13))
    endless.cancel()
    clock.executor.run()
  }

  @Test("a thousand sleepers, any order in, sorted order out")
  func many() {
    var generator = SeededRandom(seed: 1)
    let deadlines = (0..<1000).map { _ in Int.random(in: 1...500, using: &generator) }
    for (index, deadline) in deadlines.enumerated() {
      start { [clock, notes] in
        try await clock.sleep(for: .milliseconds(deadline))
        notes.add("\(deadline) \(index)")
      }
    }
    clock.advance(by: .seconds(1))
    let expected = deadlines.enumerated().sorted {
      ($0.element, $0.offset) < ($1.element, $1.offset)
    }
    #expect(notes.all == expected.map { "\($0.element) \($0.offset)" })
  }
}
