import SwiftBoardDependencies
import Synchronization
import Testing

struct ManualClockTests {
  /// Sleeps for each duration, notes when each sleeper woke, and returns when all sleep.
  private func start(
    _ durations: [Int], on clock: ManualClock, notes: WakeNotes
  ) async -> [Task<Void, Never>] {
    var tasks: [Task<Void, Never>] = []
    for (index, seconds) in durations.enumerated() {
      let board = clock.clock
      tasks.append(
        Task {
          do {
            try await board.sleep(for: .seconds(seconds))
            notes.add("\(index)")
          } catch {
            notes.add("\(index) cancelled")
          }
        })
      await clock.waitForSleepers(index + 1)
    }
    return tasks
  }

  @Test("wakes in the order of deadlines") func wakesInTheOrderOfDeadlines() async {
    let clock = ManualClock()
    let notes = WakeNotes()
    let tasks = await start([3, 1, 2, 1], on: clock, notes: notes)
    #expect(clock.nextDeadline == 1_000_000)
    // One deadline at a time, so that the order does not depend on the pool.
    clock.advanceToNext()
    #expect(clock.now == 1_000_000)
    #expect(clock.sleeperCount == 2)
    await tasks[1].value
    await tasks[3].value
    clock.advanceToNext()
    await tasks[2].value
    clock.advance(by: .seconds(1))
    await tasks[0].value
    #expect(Set(notes.all.prefix(2)) == ["1", "3"])
    #expect(Array(notes.all.suffix(2)) == ["2", "0"])
    #expect(clock.now == 3_000_000)
    #expect(!clock.advanceToNext())
  }

  @Test("one advance wakes all that are due") func oneAdvanceWakesAllThatAreDue() async {
    let clock = ManualClock()
    let tasks = await start([3, 1, 2], on: clock, notes: WakeNotes())
    clock.advance(by: .seconds(2))
    #expect(clock.sleeperCount == 1)
    #expect(clock.now == 2_000_000)
    clock.advance(to: 1)
    #expect(clock.now == 2_000_000)
    clock.advance(by: .seconds(60))
    for task in tasks { await task.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test("cancel wakes at once") func cancelWakesAtOnce() async {
    let clock = ManualClock()
    let notes = WakeNotes()
    let tasks = await start([5], on: clock, notes: notes)
    tasks[0].cancel()
    await tasks[0].value
    #expect(notes.all == ["0 cancelled"])
    #expect(clock.sleeperCount == 0)
  }

  @Test("cancelled task does not sleep") func cancelledTaskDoesNotSleep() async {
    let clock = ManualClock()
    let board = clock.clock
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await board.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("no time at all does not suspend") func noTimeAtAllDoesNotSuspend() async throws {
    let clock = ManualClock()
    try await clock.clock.sleep(for: .zero)
    try await BoardClock.live.sleep(for: .zero)
    #expect(clock.now == 0)
  }

  @Test("standard form sleeps on the same time") func standardFormSleepsOnTheSameTime() async throws
  {
    let manual = ManualClock()
    let clock: any Clock<Duration> = manual.clock.standard
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await manual.waitForSleepers()
    manual.advance(by: .seconds(1))
    try await task.value
    #expect(manual.clock.standard.now.microseconds == 1_000_000)
  }

  @Test("live clock never goes back") func liveClockNeverGoesBack() {
    let clock = BoardClock.live
    var last = clock.now
    #expect(last >= 0)
    for _ in 0..<1000 {
      let now = clock.now
      #expect(now >= last)
      last = now
    }
  }
}

private final class WakeNotes: Sendable {
  private let notes = Mutex<[String]>([])
  func add(_ note: String) { notes.withLock { $0.append(note) } }
  var all: [String] { notes.withLock { $0 } }
}
