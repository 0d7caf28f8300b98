import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R14 timeout")
struct TimeoutTests {
  static let limit = Duration.milliseconds(500)

  /// Work that takes as long as its action says, in milliseconds, with and without a `send` to do
  /// it.
  @Sendable
  static func work(_ action: String, _ clock: TestClock) -> [Effect<String>] {
    let parts = action.split(separator: " ")
    guard parts.count == 2, let time = Int(parts[1]) else { return [] }
    if parts[0] == "task" {
      return [
        .task(name: "load") {
          try await clock.sleep(for: .milliseconds(time))
          return "done"
        }
      ]
    }
    return [
      .run(name: "load") { send in
        send("began")
        try await clock.sleep(for: .milliseconds(time))
        send("done")
      }
    ]
  }

  @Test("R14 work in time is not touched, and its time ends with it", arguments: ["task", "run"])
  func inTime(kind: String) {
    let stage = TimedStage { action, clock in
      Self.work(action, clock).map { $0.timeout(after: Self.limit, clock: clock) }
    }
    stage.send("\(kind) 499")
    stage.advance(499)
    #expect(stage.timeline.last == "499 done")
    #expect(stage.isQuiet, "nobody waits for the limit any more")
    #expect(stage.issues.entries == [])
  }

  @Test("R14 the error of work that is late is an issue with its name", arguments: ["task", "run"])
  func issue(kind: String) {
    let stage = TimedStage { action, clock in
      Self.work(action, clock).map { $0.timeout(after: Self.limit, clock: clock) }
    }
    let handle = stage.send("\(kind) 501")
    stage.advance(499)
    #expect(stage.issues.entries == [])
    stage.advance(1)
    #expect(stage.issues.entries.count == 1)
    #expect(
      stage.issues.entries.first?.message.contains("'load' took longer than 0.5 seconds") == true)
    #expect(stage.isQuiet && handle.isFinished, "the work was cancelled")
    #expect(!stage.seen.contains("done"))
  }

  @Test(
    "R14 catch sees the error, at the instant of the limit, with name and time",
    arguments: ["task", "run"])
  func caught(kind: String) {
    let errors = Journal<EffectTimeout>()
    let stage = TimedStage { action, clock in
      Self.work(action, clock).map {
        $0.timeout(after: Self.limit, clock: clock).catch { error in
          if let error = error as? EffectTimeout { errors.note(error) }
          return "late"
        }
      }
    }
    stage.send("\(kind) 2000")
    stage.advance(2000)
    #expect(stage.timeline.last == "500 late")
    #expect(errors.entries == [EffectTimeout(name: "load", duration: .milliseconds(500))])
    #expect(stage.isQuiet)
  }

  @Test("R9 an error in time is the work's own", arguments: [false, true])
  func ownError(hasAction: Bool) {
    let stage = TimedStage { action, clock in
      guard action == "go" else { return [] }
      let effect = Effect<String>.task { throw Broken() }
      return [
        (hasAction
          ? effect.timeout(after: Self.limit, clock: clock) { _ in "late" }
          : effect.timeout(after: Self.limit, clock: clock))
          .catch { "failed: \($0)" }
      ]
    }
    stage.send("go")
    #expect(stage.seen == ["go", "failed: the disk is on fire"])
    #expect(stage.isQuiet)
  }

  @Test("R14 work that does not heed its cancellation delays the error, and is not heard meanwhile")
  func deaf() {
    let gate = Gate()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .run { send in
            send("began")
            await Task.detached(executorPreference: clock.executor) { try? await gate.wait() }.value
            send("too late")
            _ = send.start("too late too")
            throw Broken()
          }.timeout(after: Self.limit, clock: clock).catch { "\($0)" }
        ] : []
    }
    let handle = stage.send("go")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "0 began"])
    #expect(stage.store.effects.count == 1)
    gate.open()
    stage.executor.run()
    #expect(
      stage.timeline == ["0 go", "0 began", "1000 'run' took longer than 0.5 seconds"])
    #expect(stage.isQuiet && handle.isFinished)
  }

  @Test("R14 the action form speaks on the dot although the work does not heed its cancellation")
  func deafWithAction() {
    let gate = Gate()
    let stage = TimedStage { action, clock in
      guard action == "run" || action == "task" else { return [] }
      @Sendable func deafly() async {
        await Task.detached(executorPreference: clock.executor) { try? await gate.wait() }.value
      }
      let effect: Effect<String> =
        action == "task"
        ? .task {
          await deafly()
          return "too late"
        }
        : .run { send in
          send("began")
          await deafly()
          send("too late")
          throw Broken()
        }
      return [effect.timeout(after: Self.limit, clock: clock) { "\($0)" }]
    }
    let handles = [stage.send("run"), stage.send("task")]
    stage.advance(1000)
    let timeline = [
      "0 run", "0 began", "0 task", "500 'run' took longer than 0.5 seconds",
      "500 'task' took longer than 0.5 seconds",
    ]
    #expect(stage.timeline == timeline)
    #expect(stage.store.effects.count == 2, "what has not returned is listed")
    #expect(handles.map(\.isFinished) == [false, false])
    gate.open()
    stage.executor.run()
    #expect(stage.timeline == timeline)
    #expect(stage.isQuiet)
    #expect(stage.issues.entries == [], "what late work throws is dropped")
  }

  @Test("R14 the members of a merge have one limit, each with an error of its own")
  func merge() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .merge(
            Self.work("task 100", clock) + Self.work("task 900", clock) + [.send("sent")]
              + Self.work("run 800", clock)
          ).timeout(after: Self.limit, clock: clock).catch { _ in "late" }
        ] : []
    }
    stage.send("go")
    stage.advance(2000)
    #expect(
      stage.timeline == ["0 go", "0 sent", "0 began", "100 done", "500 late", "500 late"])
    #expect(stage.isQuiet)
  }

  @Test("R14 the members of a sequence have the time each for itself, from their turn on")
  func concatenate() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .concatenate(
            Self.work("task 400", clock) + Self.work("task 600", clock)
              + Self.work("task 400", clock)
          ).timeout(after: Self.limit, clock: clock).catch { _ in "late" }
        ] : []
    }
    stage.send("go")
    stage.advance(2000)
    #expect(stage.timeline == ["0 go", "400 done", "900 late", "1300 done"])
  }

  @Test("R14 at the instant of the limit it is one or the other, never both, never neither")
  func sameInstant() {
    var outcomes: Set<[String]> = []
    for seed in UInt64(0)..<200 {
      for hasAction in [false, true] {
        let stage = TimedStage(seed: seed) { action, clock in
          Self.work(action, clock).map {
            hasAction
              ? $0.timeout(after: Self.limit, clock: clock) { _ in "late" }
              : $0.timeout(after: Self.limit, clock: clock).catch { _ in "late" }
          }
        }
        stage.send("run 500")
        stage.clock.run()
        outcomes.insert(stage.timeline)
        #expect(stage.isQuiet)
        #expect(stage.issues.entries == [])
      }
    }
    #expect(
      outcomes == [
        ["0 run 500", "0 began", "500 done"], ["0 run 500", "0 began", "500 late"],
      ])
  }

  @Test("R14 nothing is reduced after the action of a limit, from whatever thread the work sends")
  func threads() async {
    for _ in 0..<50 {
      let clock = TestClock()
      let began = AsyncStream.makeStream(of: Void.self)
      let store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          action == "go"
            ? [
              .run { send in
                began.continuation.yield()
                for _ in 0..<20 { send("tick") }
                // Ends when the limit cancels the work.
                try? await Gate().wait()
                for _ in 0..<20 { send("tick") }
              }.timeout(after: .zero, clock: clock) { _ in "late" }
            ] : []
        }, dependencies: ())
      let handle = store.send("go")
      for await _ in began.stream { break }
      await handle.finish()
      let seen = store.state.seen
      #expect(seen.last == "late" && seen.filter { $0 == "late" }.count == 1)
    }
  }

  @Test(
    "R14 an action on its way when the limit comes is reduced before the limit's, whatever follows it"
  )
  func onItsWay() {
    for error in [nil, Broken()] {
      let stage = TimedStage { action, clock in
        action == "go"
          ? [
            .run { send in
              send("tick")
              if let error { throw error }
              send("too late")
            }
            .timeout(after: Self.limit, clock: clock) { _ in "late" }
            .catch { "\($0)" }
            .map { action in
              // Between the work's `send` and the store, time passes.
              if action == "tick" { clock.advance(by: Self.limit) }
              return action
            }
          ] : []
      }
      let handle = stage.send("go")
      #expect(stage.seen == ["go", "tick", "late"])
      #expect(handle.isFinished && stage.isQuiet)
      #expect(stage.issues.entries == [])
    }
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "load", kind: .task, after: 500, sends: "late") { clock in
      .task(name: "load") {
        try await clock.sleep(for: .seconds(5))
        return "done"
      }.timeout(after: Self.limit, clock: clock).catch { _ in "late" }
    }
    checkInsideComposition(name: "load", kind: .run, after: 500, sends: "late") { clock in
      .task(name: "load") {
        try await clock.sleep(for: .seconds(5))
        return "done"
      }.timeout(after: Self.limit, clock: clock) { _ in "late" }
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on", arguments: [false, true])
  func cancelled(hasAction: Bool) {
    let outcomes = cancelAnywhere { clock in
      let work = Effect<String>.run { send in
        while true {
          send("tick")
          try await clock.sleep(for: .milliseconds(150))
        }
      }
      return hasAction
        ? work.timeout(after: Self.limit, clock: clock) { _ in "late" }
        : work.timeout(after: Self.limit, clock: clock).catch { _ in "late" }
    }
    #expect(outcomes.contains(["go", "cancel"]))
    #expect(outcomes.contains(["go", "tick", "tick", "tick", "tick", "late", "cancel"]))
  }
}
