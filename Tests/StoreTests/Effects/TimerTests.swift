import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardStore

@Suite("R14 timer")
struct TimerTests {
  @Test(
    "R14 neither the shortest nor the longest interval overflows",
    arguments: [Duration(attoseconds: 1), .nanoseconds(1), Duration(attoseconds: .max)])
  func extremes(interval: Duration) async throws {
    let clock = LateClock()
    var grid = TickGrid(every: interval, clock: clock)
    var last = 0
    for _ in 0..<3 {
      let tick = try await grid.next()
      #expect(tick > last)
      last = tick
    }
  }

  @Test("R14 it ticks at every interval, the first after one")
  func ticks() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [.timer(every: .milliseconds(100), clock: clock) { "tick \($0)" }.cancellable(id: 1)]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
    let handle = stage.send("go")
    stage.advance(99)
    #expect(stage.timeline == ["0 go"])
    stage.advance(201)
    #expect(stage.timeline == ["0 go", "100 tick 1", "200 tick 2", "300 tick 3"])
    stage.send("stop")
    #expect(stage.isQuiet && handle.isFinished)
  }

  @Test("R14 it neither drifts nor makes up for what was missed")
  func drift() {
    let pace = Journal<Int>()
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          // A program that is late: the clock moves on while the tick is reduced.
          .timer(every: .milliseconds(100), clock: clock) { tick in
            pace.note(tick)
            return "tick \(tick)"
          }.cancellable(id: 1)
        ]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
    let clock = stage.clock
    stage.store.observe { step, _ in
      // No timer is asleep while this tick is delivered, so time only passes.
      switch step.action {
      case "tick 1": clock.advance(to: .init(offset: .milliseconds(130)))
      case "tick 3": clock.advance(to: .init(offset: .milliseconds(550)))
      case "tick 6": clock.advance(to: .init(offset: .milliseconds(800)))
      default: break
      }
    }
    stage.send("go")
    for _ in 0..<9 { stage.advance(100) }
    #expect(pace.entries == [1, 2, 3, 6, 8, 9, 10, 11, 12, 13])
    stage.send("stop")
    #expect(stage.isQuiet)
  }

  @Test("R14 without a pause it is an issue at its line, and no timer", arguments: [0, -1])
  func noPause(milliseconds: Int) {
    let stage = TimedStage { action, clock in
      [
        .timer(
          every: .milliseconds(milliseconds), clock: clock, name: "blink", fileID: "Board/T.swift",
          line: 9
        ) { _ in "tick" }
      ]
    }
    stage.send("go")
    #expect(stage.seen == ["go"] && stage.isQuiet)
    #expect(stage.issues.entries.count == 1)
    #expect(stage.issues.entries.first?.location.description == "Board/T.swift:9")
    #expect(stage.issues.entries.first?.message.contains("'blink'") == true)
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "timer", kind: .run, after: 300, sends: "tick 1") { clock in
      .timer(every: .milliseconds(300), clock: clock) { "tick \($0)" }
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    let outcomes = cancelAnywhere { clock in
      .timer(every: .milliseconds(100), clock: clock) { "tick \($0)" }
    }
    #expect(outcomes.count >= 10)
  }

  @Test("R5 it ends on a clock that does not look, too")
  func deafClock() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          .timer(every: .milliseconds(100), clock: DeafClock(base: clock)) { _ in "tick" }
            .cancellable(id: 1)
        ]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
    stage.send("go")
    stage.advance(150)
    stage.send("stop")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "100 tick", "150 stop"])
    #expect(stage.isQuiet)
  }
}

/// A clock on which every sleep ends twenty seconds late: more attoseconds than an `Int` holds.
private final class LateClock: Clock {
  typealias Instant = TestClock.Instant

  private let time = Mutex(Swift.Duration.zero)
  let minimumResolution = Swift.Duration.zero
  var now: Instant { Instant(offset: time.withLock { $0 }) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline.offset) + .seconds(20) }
  }
}
