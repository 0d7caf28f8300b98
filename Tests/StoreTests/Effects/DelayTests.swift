import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A clock that notes how long it is asked to sleep, and does not.
private struct SleepRecorder: Clock {
  let sleeps = Journal<Duration>()
  let now = ContinuousClock.Instant.now

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    sleeps.note(now.duration(to: deadline))
    throw CancellationError()
  }
}

@Suite("R14 delay")
struct DelayTests {
  static let wait = Duration.milliseconds(300)

  @Test("R14 every kind of effect comes after the wait, to the millisecond")
  func kinds() {
    let stage = TimedStage { action, clock in
      let effect: Effect<String>
      switch action {
      case "send": effect = .send("sent")
      case "task": effect = .task { "done" }
      case "run":
        effect = .run { send in
          send("one")
          try await clock.sleep(for: .milliseconds(5))
          send("two")
        }
      default: return []
      }
      return [effect.delay(for: Self.wait, clock: clock)]
    }
    for action in ["send", "task", "run"] { stage.send(action) }
    stage.advance(1000)
    #expect(
      stage.timeline == [
        "0 send", "0 task", "0 run", "300 sent", "300 done", "300 one", "305 two",
      ])
    #expect(stage.isQuiet)
  }

  // The clocks of the standard library stop the process where the time of a sleep overflows.
  @Test(
    "R14 every duration is valid: the longest sleep is a hundred years, the shortest is none",
    arguments: [
      Duration.seconds(Int64.max), Duration(attoseconds: .max), .seconds(Int64.min), .seconds(-1),
    ])
  func extremes(duration: Duration) async {
    let clock = SleepRecorder()
    let stage = Stage { action in
      guard action == "go" else { return [] }
      let work = Effect<String>.run { _ in try await Gate().wait() }
      return [
        work.delay(for: duration, clock: clock), work.debounced(id: 1, for: duration, clock: clock),
        work.timeout(after: duration, clock: clock),
        work.throttled(id: 2, for: max(duration, .seconds(1)), clock: clock),
        .task { throw StoreEnded() }.retry(
          RetryPolicy(attempts: 2, backoff: .constant(duration), maximum: duration), clock: clock),
      ]
    }
    stage.store.send("go")
    stage.executor.run()
    await stage.store.shutdown(deadline: max(duration, .seconds(1)), clock: clock)
    let sleeps = clock.sleeps.entries
    #expect(sleeps.count == 6)
    #expect(sleeps.allSatisfy { (.zero ... .seconds(100 * 365 * 86_400)).contains($0) })
  }

  @Test("R14 a merge waits once and then begins as a whole")
  func merge() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .merge(
            .task {
              try await clock.sleep(for: .milliseconds(20))
              return "slow"
            }, .task { "fast" }, .send("sent")
          ).delay(for: Self.wait, clock: clock)
        ] : []
    }
    let handle = stage.send("go")
    #expect(stage.clock.sleepers.count == 1)
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "300 sent", "300 fast", "320 slow"])
    #expect(stage.isQuiet && handle.isFinished)
  }

  @Test("R14 a sequence waits once and then begins with its first member")
  func concatenate() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .concatenate(
            .task {
              try await clock.sleep(for: .milliseconds(20))
              return "one"
            }, .send("two"), .task { "three" }
          ).delay(for: Self.wait, clock: clock)
        ] : []
    }
    stage.send("go")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "320 one", "320 two", "320 three"])
    #expect(stage.isQuiet)
  }

  @Test("R14 a cancel and an issue can be delayed too")
  func atOnceKinds() {
    let stage = TimedStage { action, clock in
      switch action {
      case "work":
        [
          .run { send in
            while true {
              try await clock.sleep(for: .milliseconds(100))
              send("tick")
            }
          }.cancellable(id: "work")
        ]
      case "stop later": [.cancel(id: "work").delay(for: .milliseconds(250), clock: clock)]
      case "warn later": [.issue("late").delay(for: .milliseconds(50), clock: clock)]
      default: []
      }
    }
    stage.send("work")
    stage.send("stop later")
    stage.send("warn later")
    stage.advance(49)
    #expect(stage.issues.entries == [])
    stage.advance(1)
    #expect(stage.issues.entries.map(\.message) == ["late"])
    stage.advance(1000)
    #expect(stage.timeline.suffix(2) == ["100 tick", "200 tick"])
    #expect(stage.isQuiet)
  }

  @Test("R14 name, ids and place stay; a group shows its wait")
  func descriptors() {
    let clock = TestClock()
    let effects: [Effect<String>] = [
      .task(name: "load", fileID: "Board/Load.swift", line: 3) { "x" }.cancellable(id: 1),
      .send("x"), .none, .merge(.send("a"), .send("b")).cancellable(id: 2),
      .cancel(id: 3),
    ]
    let delayed = effects.map { $0.delay(for: Self.wait, clock: clock) }.descriptors()
    let wait = EffectDescriptor(kind: .run, name: "delay")
    #expect(
      delayed == [
        EffectDescriptor(kind: .task, name: "load", id: "1"), EffectDescriptor(kind: .task),
        EffectDescriptor(
          kind: .concatenate, id: "2",
          parts: [
            wait,
            EffectDescriptor(
              kind: .merge, parts: [EffectDescriptor(kind: .send), EffectDescriptor(kind: .send)]),
          ]),
        EffectDescriptor(kind: .concatenate, parts: [wait, .init(kind: .cancel, id: "3")]),
      ])
    #expect(delayed.first?.location.description == "Board/Load.swift:3")
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "load", kind: .task, after: 300, sends: "done") { clock in
      .task(name: "load") { "done" }.delay(for: Self.wait, clock: clock)
    }
    checkInsideComposition(name: "concatenate", kind: .concatenate, after: 300, sends: "b") {
      clock in
      .merge(.task { "b" }, .fireAndForget {}).delay(for: Self.wait, clock: clock)
    }
  }

  @Test("R5 a group that replaces what bears its id does not replace itself")
  func groupReplaces() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .merge(.send("a"), .send("b")).cancellable(id: 1, cancelInFlight: true)
            .delay(for: Self.wait, clock: clock)
        ] : []
    }
    stage.send("go")
    stage.advance(200)
    stage.send("go")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "200 go", "500 a", "500 b"])
  }

  @Test("R5 a member with an id of its own is cancelled during the group's wait, alone")
  func member() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          .merge(.task { "a" }.cancellable(id: "a"), .task { "b" })
            .delay(for: Self.wait, clock: clock)
        ]
      case "no a": [.cancel(id: "a")]
      default: []
      }
    }
    stage.send("go")
    stage.advance(100)
    stage.send("no a")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "100 no a", "300 b"])
    #expect(stage.isQuiet)
  }

  @Test("R5 work does not begin after its cancel, even on a clock that does not look")
  func deafClock() {
    let begun = Journal<String>()
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          .run { _ in begun.note("began") }
            .delay(for: Self.wait, clock: DeafClock(base: clock)).cancellable(id: 1)
        ]
      case "cancel": [.cancel(id: 1)]
      default: []
      }
    }
    let handle = stage.send("go")
    stage.send("cancel")
    #expect(!handle.isFinished)
    stage.advance(300)
    #expect(begun.entries == [])
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    let outcomes = cancelAnywhere { clock in
      .concatenate(
        .run { send in
          send("one")
          try await clock.sleep(for: .milliseconds(200))
          send("two")
        }.delay(for: .milliseconds(200), clock: clock),
        .merge(.task { "three" }, .send("four")).delay(for: .milliseconds(200), clock: clock))
    }
    #expect(outcomes.count > 3)
  }
}
