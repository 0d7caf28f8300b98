import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R14 poll")
struct PollTests {
  typealias Attempts = RetryTests.Attempts

  /// Polls every 100 ms; the n-th time takes as long as `takes` says, and notes when it began.
  func stage(
    seed: UInt64? = nil, startsAtOnce: Bool = true, begun: Journal<Int> = Journal(),
    takes: @escaping @Sendable (Int) -> Int = { _ in 0 }
  ) -> TimedStage {
    let attempts = Attempts()
    return TimedStage(seed: seed) { action, clock in
      switch action {
      case "go":
        [
          .poll(every: .milliseconds(100), clock: clock, startsAtOnce: startsAtOnce) {
            begun.note(clock.milliseconds)
            let attempt = attempts.next()
            if takes(attempt) > 0 { try await clock.sleep(for: .milliseconds(takes(attempt))) }
            return "found \(attempt)"
          }.cancellable(id: 1)
        ]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
  }

  @Test("R14 the first time is at once, or after one interval")
  func first() {
    let atOnce = stage()
    atOnce.send("go")
    atOnce.advance(200)
    #expect(atOnce.timeline == ["0 go", "0 found 1", "100 found 2", "200 found 3"])
    let later = stage(startsAtOnce: false)
    later.send("go")
    later.advance(200)
    #expect(later.timeline == ["0 go", "100 found 1", "200 found 2"])
    for stage in [atOnce, later] {
      stage.send("stop")
      #expect(stage.isQuiet)
    }
  }

  @Test("R14 it begins on its intervals, however long the work takes, and never overlaps itself")
  func drift() {
    let begun = Journal<Int>()
    let stage = stage(begun: begun) { [30, 250, 99, 100, 101, 0][($0 - 1) % 6] }
    stage.send("go")
    stage.advance(900)
    #expect(begun.entries == [0, 100, 400, 500, 600, 800, 900])
    #expect(
      stage.timeline == [
        "0 go", "30 found 1", "350 found 2", "499 found 3", "600 found 4", "701 found 5",
        "800 found 6",
      ])
    stage.send("stop")
    #expect(stage.isQuiet)
  }

  @Test("R14 nil sends nothing this time")
  func nothing() {
    let attempts = Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .poll(every: .milliseconds(100), clock: clock) {
            let attempt = attempts.next()
            return attempt.isMultiple(of: 2) ? "found \(attempt)" : nil
          }
        ] : []
    }
    let handle = stage.send("go")
    stage.advance(300)
    #expect(stage.timeline == ["0 go", "100 found 2", "300 found 4"])
    handle.cancel()
    stage.executor.run()
    #expect(stage.isQuiet)
  }

  @Test("R9 an error ends the poll, and is an issue or an action", arguments: [false, true])
  func stops(isCaught: Bool) {
    let attempts = Attempts()
    let stage = TimedStage { action, clock in
      guard action == "go" else { return [] }
      let poll = Effect<String>.poll(every: .milliseconds(100), clock: clock) {
        if attempts.next() == 2 { throw Broken() }
        return "found"
      }
      return [isCaught ? poll.catch { "\($0)" } : poll]
    }
    let handle = stage.send("go")
    stage.advance(1000)
    #expect(handle.isFinished && stage.isQuiet)
    #expect(
      stage.timeline == ["0 go", "0 found"] + (isCaught ? ["100 the disk is on fire"] : []))
    #expect(stage.issues.entries.count == (isCaught ? 0 : 1))
  }

  @Test("R9 going on after an error sends the action made of it")
  func goesOn() {
    let attempts = Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .poll(every: .milliseconds(100), clock: clock, onError: .continueSending { "\($0)" }) {
            if attempts.next() == 2 { throw Broken() }
            return "found"
          }.cancellable(id: 1)
        ] : action == "stop" ? [.cancel(id: 1)] : []
    }
    stage.send("go")
    stage.advance(200)
    #expect(
      stage.timeline == ["0 go", "0 found", "100 the disk is on fire", "200 found"])
    stage.send("stop")
    #expect(stage.isQuiet && stage.issues.entries == [])
  }

  @Test("R14 a cancellation error ends it in silence, whatever it does about errors")
  func cancellationError() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .poll(every: .milliseconds(100), clock: clock, onError: .continueSending { "\($0)" }) {
            throw CancellationError()
          }
        ] : []
    }
    let handle = stage.send("go")
    #expect(handle.isFinished && stage.isQuiet)
    #expect(stage.seen == ["go"] && stage.issues.entries == [])
  }

  @Test("R14 retried, it begins again, and its intervals with it")
  func retried() {
    let attempts = Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .poll(every: .milliseconds(100), clock: clock) {
            let attempt = attempts.next()
            if attempt == 2 { throw Broken() }
            return "found \(attempt)"
          }.retry(.constant(.milliseconds(30), attempts: 2), clock: clock)
        ] : []
    }
    let handle = stage.send("go")
    stage.advance(250)
    #expect(stage.timeline == ["0 go", "0 found 1", "130 found 3", "230 found 4"])
    handle.cancel()
    stage.executor.run()
    #expect(stage.isQuiet)
  }

  @Test("R14 without a pause it is an issue at its line, and no poll")
  func noPause() {
    let stage = TimedStage { action, clock in
      [.poll(every: .zero, clock: clock, fileID: "Board/P.swift", line: 4) { "found" }]
    }
    stage.send("go")
    #expect(stage.seen == ["go"] && stage.isQuiet)
    #expect(stage.issues.entries.map(\.location.description) == ["Board/P.swift:4"])
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "quotes", kind: .run, after: 300, sends: "found") { clock in
      .poll(every: .milliseconds(300), clock: clock, startsAtOnce: false, name: "quotes") {
        "found"
      }
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    let outcomes = cancelAnywhere { clock in
      .poll(every: .milliseconds(100), clock: clock) {
        try await clock.sleep(for: .milliseconds(50))
        return "found"
      }
    }
    #expect(outcomes.count >= 10)
  }
}
