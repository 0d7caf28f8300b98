import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R14 stream")
struct StreamTests {
  /// Counts to a number, and then ends or throws.
  struct Count: AsyncSequence, Sendable {
    typealias Element = Int
    let limit: Int
    var error: Broken?

    struct AsyncIterator: AsyncIteratorProtocol {
      let limit: Int
      let error: Broken?
      var number = 0

      mutating func next() async throws -> Int? {
        if number == limit {
          if let error { throw error }
          return nil
        }
        number += 1
        return number
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit, error: error) }
  }

  @Test("R14 each element is an action, in order, as far as one is made of it")
  func elements() {
    let stage = TimedStage { action, _ in
      action == "go"
        ? [.stream(Count(limit: 7)) { $0.isMultiple(of: 3) ? nil : "number \($0)" }] : []
    }
    let handle = stage.send("go")
    #expect(
      stage.seen == ["go", "number 1", "number 2", "number 4", "number 5", "number 7"])
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R14 elements come when they come, and the end of the sequence is the end of the effect")
  func live() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let stage = TimedStage { action, _ in
      action == "go" ? [.stream(stream) { "number \($0)" }] : []
    }
    let handle = stage.send("go")
    #expect(stage.seen == ["go"])
    continuation.yield(1)
    continuation.yield(2)
    stage.executor.run()
    #expect(stage.seen == ["go", "number 1", "number 2"])
    continuation.finish()
    stage.executor.run()
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("R9 what a sequence throws is an issue, or an action", arguments: [false, true])
  func throwing(isCaught: Bool) {
    let stage = TimedStage { action, _ in
      guard action == "go" else { return [] }
      let effect = Effect<String>.stream(Count(limit: 1, error: Broken())) { "number \($0)" }
      return [isCaught ? effect.catch { "\($0)" } : effect]
    }
    stage.send("go")
    #expect(stage.seen == ["go", "number 1"] + (isCaught ? ["the disk is on fire"] : []))
    #expect(stage.issues.entries.count == (isCaught ? 0 : 1))
  }

  @Test("R14 the sequence is made when the effect starts, each time, and not in the reducer")
  func lazy() {
    let made = Journal<Int>()
    let effects = Mutex<[Effect<String>]>([])
    let stage = TimedStage { action, _ in
      action == "go" ? effects.withLock { $0 } : []
    }
    @Sendable func make() -> Count {
      made.note(stage.store.stepCount)
      return Count(limit: 1)
    }
    effects.withLock { $0 = [.stream(make()) { "number \($0)" }] }
    stage.store.send("go")
    #expect(made.entries == [])
    stage.executor.run()
    stage.send("go")
    #expect(made.entries == [1, 3])
    effects.withLock { $0 = [] }
  }

  @Test("R14 a sequence may have to be waited for, and may not be had", arguments: [false, true])
  func connecting(fails: Bool) {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .stream(from: {
            try await clock.sleep(for: .milliseconds(100))
            if fails { throw Broken() }
            return Count(limit: 2)
          }) { "number \($0)" }
          .catch { "\($0)" }
        ] : []
    }
    stage.send("go")
    stage.advance(100)
    #expect(
      stage.timeline
        == ["0 go"] + (fails ? ["100 the disk is on fire"] : ["100 number 1", "100 number 2"]))
    #expect(stage.isQuiet)
  }

  @Test("R14 retried, a stream is made anew")
  func retried() {
    let attempts = RetryTests.Attempts()
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .stream(Count(limit: 1, error: attempts.next() < 3 ? Broken() : nil)) { "number \($0)" }
            .retry(.constant(.milliseconds(100), attempts: 5), clock: clock)
        ] : []
    }
    stage.send("go")
    stage.clock.run()
    #expect(stage.timeline == ["0 go", "0 number 1", "100 number 1", "200 number 1"])
  }

  @Test("R5 what is in the sequence when it is cancelled is not reduced; the sequence is let go")
  func cancelledAmid() {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let ended = Journal<Bool>()
    continuation.onTermination = { reason in
      if case .cancelled = reason { ended.note(true) }
    }
    let stage = TimedStage { action, _ in
      switch action {
      case "go": [.stream(stream) { $0 }.cancellable(id: 1)]
      case "stop": [.cancel(id: 1)]
      default: []
      }
    }
    stage.send("go")
    for element in ["a", "stop", "b", "c"] { continuation.yield(element) }
    stage.executor.run()
    #expect(stage.seen == ["go", "a", "stop"])
    #expect(ended.entries == [true])
    #expect(stage.isQuiet)
  }

  @Test("R14 inside Scope and ifLet it keeps its name and id, and ends with the child")
  func composed() {
    checkInsideComposition(name: "numbers", kind: .run, after: 300, sends: "number 1") { clock in
      .stream(
        from: {
          try await clock.sleep(for: .milliseconds(300))
          return Count(limit: 1)
        }, name: "numbers"
      ) { "number \($0)" }
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    /// A number every 100 ms, without end.
    struct Beat: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let clock: TestClock
      var number = 0

      mutating func next() async throws -> Int? {
        try await clock.sleep(for: .milliseconds(100))
        number += 1
        return number
      }

      func makeAsyncIterator() -> Beat { self }
    }
    let outcomes = cancelAnywhere { clock in .stream(Beat(clock: clock)) { "number \($0)" } }
    #expect(outcomes.count >= 10)
  }
}
