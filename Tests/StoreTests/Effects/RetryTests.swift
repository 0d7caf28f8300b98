import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R14 retry")
struct RetryTests {
  /// Counts attempts from 1.
  final class Attempts: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  struct Failure: Error, Equatable, CustomStringConvertible {
    var attempt: Int
    var description: String { "failure \(attempt)" }
  }

  /// The moments of all attempts at work that fails `failures` times.
  func moments(
    _ policy: RetryPolicy, jitter: RetryPolicy.Jitter = .none, failures: Int = .max,
    random: @escaping @Sendable () -> UInt64 = { 0 }
  ) -> [Int] {
    let attempts = Attempts()
    let moments = Journal<Int>()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .task {
            moments.note(clock.milliseconds)
            let attempt = attempts.next()
            if attempt <= failures { throw Failure(attempt: attempt) }
            return "done"
          }.retry(policy, jitter: jitter, clock: clock, random: random).catch { "\($0)" }
        ] : []
    }
    stage.send("go")
    #expect(stage.clock.run())
    #expect(stage.isQuiet)
    let count = moments.entries.count
    #expect(stage.seen.last == (count > failures ? "done" : "failure \(count)"))
    #expect(stage.seen.count == 2)
    return moments.entries
  }

  @Test("R14 waits are constant, grow by a step, or by a factor, up to a maximum")
  func backoff() {
    #expect(moments(.constant(.milliseconds(100), attempts: 4)) == [0, 100, 200, 300])
    #expect(moments(.linear(.milliseconds(100), attempts: 4)) == [0, 100, 300, 600])
    #expect(
      moments(.linear(.milliseconds(100), maximum: .milliseconds(250), attempts: 5))
        == [0, 100, 300, 550, 800])
    #expect(
      moments(.exponential(.milliseconds(100), attempts: 5)) == [0, 100, 300, 700, 1500])
    #expect(
      moments(
        .exponential(.milliseconds(100), factor: 3, maximum: .milliseconds(500), attempts: 5))
        == [0, 100, 400, 900, 1400])
    #expect(
      moments(
        RetryPolicy(attempts: 3, backoff: .constant(.seconds(9)), maximum: .milliseconds(50)))
        == [0, 50, 100])
  }

  @Test("R14 success ends it; fewer than two attempts is no retry")
  func ends() {
    #expect(
      moments(.constant(.milliseconds(100), attempts: 9), failures: 2) == [0, 100, 200])
    for attempts in [1, 0, -5] {
      #expect(moments(.constant(.milliseconds(100), attempts: attempts)) == [0])
    }
  }

  @Test("R14 policies at the edges of what can be said neither trap nor go back in time")
  func edges() {
    let longest = Duration.seconds(Int64.max)
    #expect(moments(.exponential(.zero, attempts: 3)) == [0, 0, 0])
    #expect(moments(.linear(.seconds(-1), attempts: 3)) == [0, 0, 0])
    for jitter in [RetryPolicy.Jitter.none, .full, .equal, .decorrelated] {
      let policy = RetryPolicy.linear(.seconds(1), maximum: .seconds(-1), attempts: 4)
      #expect(moments(policy, jitter: jitter, random: { .max }) == [0, 0, 0, 0])
    }
    for factor in [0, -1, .nan, 1] {
      #expect(
        moments(.exponential(.milliseconds(10), factor: factor, attempts: 3)) == [0, 10, 20])
    }
    #expect(
      moments(
        .exponential(.milliseconds(1), factor: .infinity, maximum: .milliseconds(7), attempts: 4))
        == [0, 1, 8, 15])
    #expect(
      moments(.exponential(.milliseconds(10), factor: 0.5, attempts: 4)).prefix(3) == [0, 10, 15])
    for policy in [
      RetryPolicy.exponential(.seconds(1), factor: 1e300, maximum: longest, attempts: 3),
      .linear(longest, maximum: longest, attempts: 3),
    ] {
      for jitter in [RetryPolicy.Jitter.none, .equal, .decorrelated] {
        #expect(moments(policy, jitter: jitter, failures: 1, random: { .max }).count == 2)
      }
    }
  }

  @Test("R14 full jitter is anywhere in the wait, equal jitter in its second half")
  func jitter() {
    let policy = RetryPolicy.exponential(.milliseconds(100), attempts: 4)
    #expect(moments(policy, jitter: .full, random: { .max }) == [0, 100, 300, 700])
    #expect(moments(policy, jitter: .full, random: { 0 }) == [0, 0, 0, 0])
    #expect(moments(policy, jitter: .full, random: { .max / 2 }) == [0, 50, 150, 350])
    #expect(moments(policy, jitter: .equal, random: { .max }) == [0, 100, 300, 700])
    #expect(moments(policy, jitter: .equal, random: { 0 }) == [0, 50, 150, 350])
  }

  @Test(
    "R14 decorrelated jitter goes from the first wait to three times the last, up to the maximum")
  func decorrelated() {
    let policy = RetryPolicy.exponential(
      .milliseconds(100), maximum: .milliseconds(1000), attempts: 5)
    #expect(moments(policy, jitter: .decorrelated, random: { 0 }) == [0, 100, 200, 300, 400])
    #expect(
      moments(policy, jitter: .decorrelated, random: { .max }) == [0, 300, 1200, 2200, 3200])
  }

  @Test("R14 one word is drawn for each wait, and none without jitter")
  func draws() {
    let policy = RetryPolicy.constant(.milliseconds(100), attempts: 4)
    for (jitter, expected) in [
      (RetryPolicy.Jitter.none, 0), (.full, 3), (.equal, 3), (.decorrelated, 3),
    ] {
      let draws = Attempts()
      _ = moments(policy, jitter: jitter, random: { UInt64(draws.next()) })
      #expect(draws.next() - 1 == expected)
    }
  }

  @Test("R14 equal words give equal waits; a hundred generators keep within the bounds")
  func generators() {
    let policy = RetryPolicy.exponential(
      .milliseconds(100), maximum: .milliseconds(800), attempts: 6)
    for seed in UInt64(0)..<100 {
      for jitter in [RetryPolicy.Jitter.full, .equal, .decorrelated] {
        let run = {
          let generator = Mutex(SeededRandom(seed: seed))
          return moments(policy, jitter: jitter, random: { generator.withLock { $0.next() } })
        }
        let first = run()
        #expect(first == run())
        let waits = zip(first, first.dropFirst()).map { $1 - $0 }
        for (wait, planned) in zip(waits, [100, 200, 400, 800, 800]) {
          switch jitter {
          case .full: #expect((0...planned).contains(wait))
          case .equal: #expect((planned / 2 - 1...planned).contains(wait))
          case .decorrelated, .none: #expect((99...800).contains(wait))
          }
        }
      }
    }
  }

  @Test("R14 an error that will not go away ends it, without a draw and without a wait")
  func predicate() {
    let asked = Journal<Int>()
    let attempts = Attempts()
    let draws = Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .task { throw Failure(attempt: attempts.next()) }
            .retry(
              .constant(.milliseconds(100), attempts: 9), jitter: .full, clock: clock,
              random: { UInt64(draws.next()) },
              while: {
                let attempt = ($0 as? Failure)?.attempt ?? 0
                asked.note(attempt)
                return attempt < 3
              }
            ).catch { "\($0)" }
        ] : []
    }
    stage.send("go")
    stage.clock.run()
    #expect(stage.seen == ["go", "failure 3"])
    #expect(asked.entries == [1, 2, 3])
    #expect(draws.next() == 3)
  }

  @Test("R9 the last error is an issue where nobody catches it")
  func uncaught() {
    let stage = TimedStage { action, clock in
      [.task(name: "save") { throw Broken() }.retry(.constant(.zero, attempts: 3), clock: clock)]
    }
    stage.send("go")
    #expect(stage.issues.entries.count == 1)
    #expect(stage.issues.entries.first?.message.contains("the disk is on fire") == true)
  }

  @Test("R14 a cancellation error is never retried")
  func cancellationError() {
    let attempts = Attempts()
    let stage = TimedStage { _, clock in
      [
        .task {
          _ = attempts.next()
          throw CancellationError()
        }.retry(.constant(.zero, attempts: 3), clock: clock)
      ]
    }
    let handle = stage.send("go")
    #expect(attempts.next() == 2)
    #expect(handle.isFinished && stage.issues.entries == [])
  }

  @Test("R14 an error that cancellation brought about is not retried either")
  func errorOnCancel() {
    let attempts = Attempts()
    let asked = Journal<Bool>()
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          .task {
            _ = attempts.next()
            do { try await clock.sleep(for: .seconds(1)) } catch { throw Broken() }
            return "done"
          }.retry(
            .constant(.zero, attempts: 3), clock: clock,
            while: { _ in
              asked.note(true)
              return true
            }
          ).cancellable(id: 1)
        ]
      default: [.cancel(id: 1)]
      }
    }
    stage.send("go")
    stage.send("cancel")
    #expect(attempts.next() == 2)
    #expect(asked.entries == [])
    #expect(stage.isQuiet && stage.issues.entries == [])
  }

  @Test("R14 what a run sent before it failed stays, and is sent again")
  func run() {
    let attempts = Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .run { send in
            let attempt = attempts.next()
            send("page 1")
            if attempt < 3 { throw Failure(attempt: attempt) }
            send("page 2")
          }.retry(.constant(.milliseconds(100), attempts: 3), clock: clock)
        ] : []
    }
    stage.send("go")
    stage.clock.run()
    #expect(
      stage.timeline == ["0 go", "0 page 1", "100 page 1", "200 page 1", "200 page 2"])
    #expect(stage.issues.entries == [])
  }

  @Test("R14 with timeout before it each attempt is limited, after it all together are")
  func withTimeout() {
    let stage = TimedStage { action, clock in
      let slow = Effect<String>.task {
        try await clock.sleep(for: .seconds(60))
        return "done"
      }
      let policy = RetryPolicy.constant(.milliseconds(100), attempts: 3)
      switch action {
      case "each":
        return [
          slow.timeout(after: .milliseconds(200), clock: clock).retry(policy, clock: clock)
            .catch { _ in "each late" }
        ]
      case "all":
        return [
          slow.retry(policy, clock: clock).timeout(after: .milliseconds(200), clock: clock)
            .catch { _ in "all late" }
        ]
      default: return []
      }
    }
    stage.send("each")
    stage.send("all")
    stage.clock.run()
    #expect(stage.timeline == ["0 each", "0 all", "200 all late", "800 each late"])
    #expect(stage.isQuiet)
  }

  @Test("R14 members of groups are retried each by itself, and a sequence waits for them")
  func groups() {
    let stage = TimedStage { action, clock in
      guard action == "go" else { return [] }
      let attempts = Attempts()
      let flaky = Effect<String>.task {
        let attempt = attempts.next()
        if attempt < 3 { throw Failure(attempt: attempt) }
        return "flaky"
      }
      return [
        .concatenate(flaky, .merge(.task { throw Broken() }, .send("sent")), .task { "end" })
          .retry(.constant(.milliseconds(100), attempts: 3), clock: clock).catch { "\($0)" }
      ]
    }
    stage.send("go")
    stage.clock.run()
    #expect(
      stage.timeline == [
        "0 go", "200 flaky", "200 sent", "400 the disk is on fire", "400 end",
      ])
    #expect(stage.isQuiet)
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "load", kind: .task, after: 300, sends: "failed") { clock in
      .task(name: "load") { throw Broken() }
        .retry(.exponential(.milliseconds(100), attempts: 3), clock: clock).catch { _ in "failed" }
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    let outcomes = cancelAnywhere { clock in
      .run { send in
        send("try")
        try await clock.sleep(for: .milliseconds(50))
        throw Broken()
      }.retry(.constant(.milliseconds(100), attempts: 4), clock: clock).catch { _ in "failed" }
    }
    #expect(outcomes.count >= 5)
    #expect(outcomes.contains(["go", "try", "try", "try", "try", "failed", "cancel"]))
  }
}
