import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("Clocks for tests")
struct ClockTests {
  let failures = Failures()

  func start<C: Clock>(
    _ clock: C, on executor: ManualExecutor, _ work: @escaping @Sendable (C) async throws -> Void
  ) -> Task<Void, any Error> {
    Task.detached(executorPreference: executor) { try await work(clock) }
  }

  @Test("a TestClock reports who sleeps when nobody should")
  func noSleepers() async {
    let clock = TestClock()
    clock.checkNoSleepers(report: failures.report)
    #expect(failures.messages == [])
    let task = start(clock, on: clock.executor) { try await $0.sleep(for: .seconds(2)) }
    let line = #line + 1
    clock.checkNoSleepers(report: failures.report)
    let others = (1...6).map { number in
      start(clock, on: clock.executor) { try await $0.sleep(for: .seconds(7 - number)) }
    }
    clock.checkNoSleepers(report: failures.report)
    #expect(failures.kinds == [.sleeping, .sleeping])
    #expect(failures.lines == [line, line + 4])
    #expect(
      failures.messages == [
        """
        1 task sleeps on the clock, which shows 0.0 seconds, and would wake
          at 2.0 seconds
        Advance the clock, call run(), or cancel what sleeps.
        """,
        """
        7 tasks sleep on the clock, which shows 0.0 seconds, and would wake
          at 1.0 seconds
          at 2.0 seconds
          at 2.0 seconds
          at 3.0 seconds
          at 4.0 seconds
          and 2 later
        Advance the clock, call run(), or cancel what sleeps.
        """,
      ])
    for sleeper in [task] + others { sleeper.cancel() }
    clock.checkNoSleepers(report: report)
  }

  @Test(
    "a hundred thousand sleepers, most of them cancelled, wake in order of deadline and arrival")
  func many() {
    let clock = TestClock()
    let woken = Mutex<[Int]>([])
    var random = SeededRandom(seed: 7)
    let deadlines = (0..<100_000).map { _ in Int.random(in: 1...1000, using: &random) }
    let tasks = deadlines.enumerated().map { index, deadline in
      start(clock, on: clock.executor) { clock in
        try await clock.sleep(for: .milliseconds(deadline))
        woken.withLock { $0.append(index) }
      }
    }
    clock.executor.run()
    #expect(clock.sleepers.count == 100_000)
    #expect(clock.nextDeadline?.offset == .milliseconds(1))
    for (index, task) in tasks.enumerated() where index % 5 != 0 { task.cancel() }
    #expect(clock.sleepers.count == 20_000)
    clock.advance(by: .seconds(1))
    let expected = deadlines.indices.filter { $0 % 5 == 0 }
      .sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
    #expect(woken.withLock { $0 } == expected)
    clock.checkNoSleepers(report: report)
  }

  @Test("an ImmediateClock jumps to every deadline, and never back")
  func immediate() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(5))
    #expect(clock.now.offset == .seconds(5))
    try await clock.sleep(until: TestClock.Instant(offset: .seconds(2)))
    #expect(clock.now.offset == .seconds(5))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .seconds(5), "who is cancelled does not move time")
  }

  @Test("what sleeps again and again is stopped on an ImmediateClock")
  func immediateLimit() async {
    let clock = ImmediateClock(limit: 3)
    await #expect(throws: ImmediateClock.LimitReached(limit: 3)) {
      while true { try await clock.sleep(for: .seconds(1)) }
    }
    #expect(clock.now.offset == .seconds(3))
    #expect(
      ImmediateClock.LimitReached(limit: 3).description
        == "There were 3 sleeps on an ImmediateClock, the most it allows. What sleeps again and again "
        + "never ends on it: use a TestClock, or give a larger limit.")
  }

  @Test("an UnimplementedClock reports at the line that made it, and does not hang")
  func unimplementedClock() async {
    let line = #line + 1
    let clock = UnimplementedClock(report: failures.report)
    _ = clock.now
    _ = clock.minimumResolution
    await #expect(throws: UnimplementedError.self) {
      try await clock.sleep(until: TestClock.Instant(offset: .seconds(1)))
    }
    #expect(failures.kinds == [.unimplemented, .unimplemented])
    #expect(failures.lines == [line, line])
    #expect(
      failures.messages == [
        "“clock”, a clock that this test left unimplemented, was asked for the time. "
          + "Give the test a TestClock or an ImmediateClock, or find what uses the clock.",
        "“clock”, a clock that this test left unimplemented, was asked to sleep until 1.0 seconds. "
          + "Give the test a TestClock or an ImmediateClock, or find what uses the clock.",
      ])
  }

  @Test("unimplemented dependencies report at the line that left them so, whoever calls them")
  func unimplementedFunctions() {
    let line = #line + 2
    let store = searchStore(
      report: failures.report, find: unimplemented("find", report: failures.report))
    store.send(.typed("a")) { $0.text = "a" }
    store.advance(by: .seconds(1))
    store.finish()
    #expect(failures.kinds == [.unimplemented, .issue])
    #expect(failures.lines == [line, line + 2])
    #expect(
      failures.messages.first
        == "“find” was used, and this test left it unimplemented. "
        + "Give it an answer for this test, or find what uses it.")
    #expect(failures.messages.last?.contains("Unhandled error in the effect 'search'") == true)

    let load: @Sendable (Int) throws -> String = unimplemented("load", report: failures.report)
    #expect(throws: UnimplementedError.self) { try load(1) }
    #expect(failures.kinds.last == .unimplemented)
    let now: @Sendable (Int, String) -> Int = unimplemented(
      "now", placeholder: 3, report: failures.report)
    #expect(now(1, "a") == 3)
    #expect(failures.kinds.suffix(2) == [.unimplemented, .unimplemented])
  }
}
