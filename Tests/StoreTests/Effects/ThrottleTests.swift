import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R14 Throttle")
struct ThrottleTests {
  @Test(
    "R14 the first at once, the latest at the end of the interval, and the interval begins anew")
  func latest() {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .seconds(10), clock: clock)
    }
    line.send("a", "b", "c")
    #expect(line.told == ["a begins"])
    line.clock.advance(by: .seconds(9))
    #expect(line.told == ["a begins", "a ends"])
    line.clock.advance(by: .seconds(1))
    #expect(line.told == ["a begins", "a ends", "c begins"])
    line.send("d")
    line.clock.advance(by: .seconds(9))
    #expect(line.told == ["a begins", "a ends", "c begins", "c ends"])
    line.clock.advance(by: .seconds(20))
    #expect(
      line.told == ["a begins", "a ends", "c begins", "c ends", "d begins", "d ends"])
    line.send("e")
    #expect(line.told.last == "e begins")
    #expect(line.dropped.entries == ["b"])
  }

  @Test("R14 the first only: what comes in the interval is dropped")
  func first() {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .seconds(10), clock: clock, latest: false)
    }
    line.send("a", "b")
    line.clock.advance(by: .seconds(10))
    line.send("c")
    line.clock.advance(by: .seconds(10))
    #expect(line.told == ["a begins", "a ends", "c begins", "c ends"])
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 a throttled effect that is limited besides stays throttled")
  func limitedBesides() {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .seconds(10), clock: clock)
        .limited(id: "pool", to: 5, whenFull: .wait)
    }
    line.send("a", "b", "c")
    #expect(line.told == ["a begins"])
    line.clock.advance(by: .seconds(10))
    #expect(line.told == ["a begins", "a ends", "c begins"])
    line.clock.advance(by: .seconds(20))
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 two limits on one effect hold both")
  func twoLimits() {
    let line = LimitedStage { work, _ in
      work.limited(id: "line", to: 2, whenFull: .wait).limited(id: "pool", to: 1, whenFull: .wait)
    }
    line.send("a", "b")
    #expect(line.told == ["a begins"])
    line.clock.advance(by: .seconds(1))
    #expect(line.told == ["a begins", "a ends", "b begins"])
  }

  @Test("R14 an effect that is limited twice by one id counts once", arguments: 0..<4)
  func oneIDTwice(policy: Int) {
    let policy: OverflowPolicy = [.wait, .wait(capacity: 1), .drop, .cancelOldest][policy]
    let line = LimitedStage { work, _ in
      work.limited(id: "line", whenFull: policy).limited(id: "line", whenFull: policy)
    }
    line.send("a")
    line.clock.advance(by: .seconds(1))
    #expect(line.told == ["a begins", "a ends"])
    #expect(line.store.effects.isEmpty)
  }

  @Test(
    "R14 an effect that is throttled twice by one id, or limited by it too, counts once",
    arguments: 0..<4)
  func throttledTwice(kind: Int) {
    let line = LimitedStage { work, clock in
      let latest = kind != 1
      let inner =
        kind < 2
        ? work.throttled(id: "line", for: .milliseconds(300), clock: clock, latest: latest)
        : work.limited(id: "line", in: .place, whenFull: kind == 2 ? .wait : .drop)
      return inner.throttled(id: "line", for: .milliseconds(300), clock: clock, latest: latest)
    }
    line.send("a", "b")
    #expect(line.told == ["a begins"])
    line.clock.advance(by: .milliseconds(300))
    #expect(line.told == ["a begins"] + (kind == 1 ? [] : ["b begins"]))
    line.clock.advance(by: .seconds(2))
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 members that are limited by the id of their group count as one effect")
  func idOfTheGroup() {
    let line = LimitedStage { work, _ in
      .concatenate(
        .merge(work, work.limited(id: "line", whenFull: .wait)),
        work.limited(id: "line", whenFull: .wait)
      ).limited(id: "line", whenFull: .wait)
    }
    line.send("a", "b")
    #expect(line.told == ["a begins", "a begins"])
    line.clock.advance(by: .seconds(1))
    line.clock.advance(by: .seconds(1))
    #expect(line.told.filter { $0 == "a ends" }.count == 3)
    #expect(line.told.last == "b begins")
    line.clock.advance(by: .seconds(1))
    line.clock.advance(by: .seconds(1))
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 an interval of zero or less throttles nothing", arguments: [0, -1])
  func noInterval(seconds: Int) {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .seconds(seconds), clock: clock)
    }
    line.send("a", "b")
    #expect(line.told == ["a begins", "b begins"])
    line.send("cancel")
    #expect(line.store.effects.allSatisfy { $0.phase == .cancelled })
  }

  @Test("R14 an effect that runs longer than the interval does not hold it up")
  func longWork() {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .milliseconds(100), clock: clock)
    }
    line.send("a", "b")
    line.clock.advance(by: .milliseconds(100))
    #expect(line.told == ["a begins", "b begins"])
  }

  @Test("R5 cancelling the id ends the work, what waits, and the interval")
  func cancel() {
    let line = LimitedStage { work, clock in
      work.throttled(id: "line", for: .seconds(10), clock: clock)
    }
    line.send("a", "b")
    line.send("cancel")
    line.send("c")
    #expect(line.told == ["a begins", "c begins"])
    line.clock.advance(by: .seconds(99))
    #expect(line.told == ["a begins", "c begins", "c ends"])
    #expect(line.store.effects.isEmpty)
  }

  @Test(
    "a time limit on a throttled effect does not limit the interval")
  func throttleWithTimeout() {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "go"
          ? [
            .task { "done" }.throttled(id: 1, for: .seconds(10), clock: clock)
              .timeout(after: .seconds(1), clock: clock)
          ] : []
      }, dependencies: (), executor: clock.executor, onIssue: { issues.note($0) })
    store.send("go")
    clock.executor.run()
    clock.advance(by: .seconds(2))
    #expect(issues.entries.isEmpty)
  }
}
