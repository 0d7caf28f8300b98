import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R14 throttled by key")
struct ThrottleByKeyTests {
  /// Saves what is typed into rows: `a1` is the first value of row a, and `a1!` says that it was
  /// saved. At most once in 300 ms for each row.
  private func rows(
    latest: Bool = true, seed: UInt64? = nil, takes work: Duration = .zero
  ) -> TimedStage {
    TimedStage(seed: seed) { action, clock in
      switch action {
      case "cancel": [.cancel(id: "save")]
      case let text where text.hasPrefix("cancel "): [.cancel(id: String(text.suffix(1)))]
      case let text where text.hasSuffix("!"): []
      default:
        [
          .task(name: action) {
            if work > .zero { try await clock.sleep(for: work) }
            return "\(action)!"
          }.throttled(
            id: "save", by: action.first, for: .milliseconds(300), clock: clock, latest: latest
          ).cancellable(id: String(action.prefix(1)))
        ]
      }
    }
  }

  /// The names of what is dropped from here on.
  private func dropped(_ stage: TimedStage) -> Journal<String> {
    let dropped = Journal<String>()
    stage.store.setMeter {
      if case .effectDropped(let effect) = $0 { dropped.note(effect.descriptor.name) }
    }
    return dropped
  }

  @Test("R14 the first of each key at once, and its latest when the interval of that key is over")
  func latest() {
    let stage = rows()
    let dropped = dropped(stage)
    stage.send("a1")
    stage.advance(100)
    for action in ["a2", "b1", "a3", "b2"] { stage.send(action) }
    stage.advance(1000)
    #expect(
      stage.timeline == [
        "0 a1", "0 a1!", "100 a2", "100 b1", "100 b1!", "100 a3", "100 b2", "300 a3!", "400 b2!",
      ])
    #expect(dropped.entries == ["a2"])
    #expect(stage.isQuiet)
  }

  @Test("R14 the first only: what comes in the interval of its key is dropped")
  func first() {
    let stage = rows(latest: false)
    let dropped = dropped(stage)
    stage.send("a1")
    stage.advance(200)
    #expect(stage.send("a2").isFinished)
    #expect(!stage.send("b1").isFinished)
    stage.advance(100)
    stage.send("a3")
    stage.send("b2")
    stage.advance(1000)
    #expect(
      stage.timeline == [
        "0 a1", "0 a1!", "200 a2", "200 b1", "200 b1!", "300 a3", "300 a3!", "300 b2",
      ])
    #expect(dropped.entries == ["a2", "b2"])
    #expect(stage.isQuiet)
  }

  @Test("R14 what ran at the end of an interval begins the next one of its key")
  func anew() {
    let stage = rows()
    stage.send("a1")
    stage.send("a2")
    stage.advance(300)
    stage.send("a3")
    stage.send("b1")
    stage.advance(299)
    #expect(stage.seen == ["a1", "a1!", "a2", "a2!", "a3", "b1", "b1!"])
    stage.advance(1)
    #expect(stage.timeline.last == "600 a3!")
  }

  @Test("R14 work that takes longer than the interval holds up no other, of its key or another")
  func longWork() {
    let stage = rows(takes: .seconds(1))
    for action in ["a1", "a2", "b1"] { stage.send(action) }
    stage.advance(2000)
    #expect(stage.timeline.suffix(3) == ["1000 a1!", "1000 b1!", "1300 a2!"])
    #expect(stage.isQuiet)
  }

  @Test("R5 the id cancels what runs and what waits of every key, and the intervals")
  func cancel() {
    let stage = rows(takes: .milliseconds(100))
    for action in ["a1", "a2", "b1", "b2"] { stage.send(action) }
    stage.send("cancel")
    #expect(stage.isQuiet)
    stage.send("a3")
    stage.advance(1000)
    #expect(stage.timeline.suffix(3) == ["0 cancel", "0 a3", "100 a3!"])
    #expect(stage.isQuiet)
  }

  @Test("R5 another id cancels one key: the key itself is none")
  func cancelOfOneKey() {
    let stage = rows(takes: .milliseconds(100))
    for action in ["a1", "a2", "b1", "b2"] { stage.send(action) }
    stage.send("cancel a")
    stage.send("a3")
    stage.advance(1000)
    #expect(stage.seen.filter { $0.hasSuffix("!") } == ["b1!", "a3!", "b2!"])

    let plain = TimedStage { action, clock in
      switch action {
      case "go": [.task { "done" }.throttled(id: 1, by: 2, for: .milliseconds(300), clock: clock)]
      case "cancel": [.cancel(id: 2)]
      default: []
      }
    }
    plain.store.send("go")
    plain.send("cancel")
    #expect(plain.seen == ["go", "cancel", "done"])
  }

  @Test("R14 an interval is that of one id and one key, each with its type")
  func identity() {
    struct Other: Hashable {
      var id = "1"
    }
    let stage = TimedStage { action, clock in
      guard action == "go" else { return [] }
      func save(_ name: String, _ id: some Hashable & Sendable, _ key: some Hashable & Sendable)
        -> Effect<String>
      {
        .task { name }.throttled(id: id, by: key, for: .seconds(1), clock: clock, latest: false)
      }
      return [
        save("1 by 2", "1", "2"), save("2 by 1", "2", "1"), save("1 by number 2", "1", 2),
        save("number 1 by 2", 1, "2"), save("other by 2", Other(), "2"),
        save("again", "1", "2"), save("other again", Other(), "2"),
        .task { "1 alone" }.throttled(id: "1", for: .seconds(1), clock: clock, latest: false),
      ]
    }
    stage.send("go")
    #expect(
      stage.seen == [
        "go", "1 by 2", "2 by 1", "1 by number 2", "number 1 by 2", "other by 2", "1 alone",
      ])
  }

  @Test("R14 each place in the composition has intervals of its own")
  func places() {
    let stage = TimedStage { action, clock in
      guard action == "go" else { return [] }
      return ["x", "y", "x"].flatMap { (place: String) -> [Effect<String>] in
        [Effect<String>.task { place }]
          .throttled(id: "save", by: 1, for: .milliseconds(300), clock: clock)
          .scoped({ (text: String) -> String in text }, id: place)
      }
    }
    stage.send("go")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "0 x", "0 y", "300 x"])
  }

  @Test("R14 groups and lists are let through as one; none is none")
  func groups() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        return [.send("a"), .task { "b" }]
          .throttled(id: 1, by: 1, for: .milliseconds(300), clock: clock)
      case "nothing":
        #expect(
          Effect<String>.none.throttled(id: 1, by: 1, for: .milliseconds(300), clock: clock)
            .descriptor == Effect<String>.none.descriptor)
        return .none.throttled(id: 1, by: 1, for: .milliseconds(300), clock: clock)
      default: return []
      }
    }
    for action in ["nothing", "go", "go", "go"] { stage.send(action) }
    stage.advance(1000)
    #expect(
      stage.timeline == ["0 nothing", "0 go", "0 a", "0 b", "0 go", "0 go", "300 a", "300 b"])
    #expect(stage.isQuiet)
  }

  @Test("R14 inside Scope and ifLet it keeps its name and ids, and ends with the child")
  func composed() {
    checkInsideComposition(name: "save", kind: .merge, after: 300, sends: "x") { clock in
      .task(name: "save") {
        try await clock.sleep(for: .milliseconds(300))
        return "x"
      }.throttled(id: "it", by: 7, for: .milliseconds(500), clock: clock)
    }
  }

  @Test("R14 two hundred bursts at drawn moments, over three keys, do what the definition says")
  func bursts() {
    for seed in UInt64(0)..<200 {
      var generator = SeededRandom(seed: seed)
      let latest = seed % 2 == 0
      let stage = rows(latest: latest, seed: seed)
      var expected: [String] = []
      var ends: [Character: Int] = [:]
      var waiting: [Character: String] = [:]
      /// What waits runs at the end of its interval, which begins the next one.
      func pass(to now: Int) {
        for (key, end) in ends where end < now {
          ends[key] = nil
          guard let action = waiting.removeValue(forKey: key) else { continue }
          expected.append("\(end) \(action)!")
          ends[key] = end + 300
        }
        if ends.values.contains(where: { $0 < now }) { pass(to: now) }
      }
      var now = 0
      for index in 0..<20 {
        // Each has a remainder of its own by 30, so that none comes at the end of an interval,
        // where either side is right.
        now += Int.random(in: 0...6, using: &generator) * 30 + 1
        let key: Character = ["a", "b", "c"][Int.random(in: 0...2, using: &generator)]
        let action = "\(key)\(index)"
        stage.clock.advance(to: TestClock.Instant(offset: .milliseconds(now)))
        stage.send(action)
        pass(to: now)
        if ends[key] == nil {
          expected.append("\(now) \(action)!")
          ends[key] = now + 300
        } else if latest {
          waiting[key] = action
        }
      }
      stage.clock.run()
      pass(to: .max)
      #expect(
        stage.timeline.filter { $0.hasSuffix("!") }.sorted() == expected.sorted(), "seed \(seed)")
      #expect(stage.isQuiet)
    }
  }

  @Test("R5 cancelled anywhere, nothing comes and nobody sleeps on")
  func cancelled() {
    let outcomes = cancelAnywhere { clock in
      .run { send in
        send("one")
        try await clock.sleep(for: .milliseconds(300))
        send("two")
      }.throttled(id: "box", by: 7, for: .milliseconds(500), clock: clock)
    }
    #expect(
      outcomes == [["go", "cancel"], ["go", "one", "cancel"], ["go", "one", "two", "cancel"]])
  }

  /// Rows that are saved as they are typed.
  private struct Rows: Reducer {
    enum Action: Sendable, Equatable {
      case typed(String, row: Int)
      case saved(String, row: Int)
    }

    struct World: Sendable {
      var clock: any Clock<Duration>
    }

    func reduce(_ saved: inout [Int: String], _ action: Action, _ world: World) -> [Effect<Action>]
    {
      switch action {
      case .typed(let text, let row):
        return .task(name: "save") { .saved(text, row: row) }
          .throttled(id: "save", by: row, for: .seconds(1), clock: world.clock)
      case .saved(let text, let row):
        saved[row] = text
        return []
      }
    }
  }

  @Test("R14 in a test store, with the dependencies' clock")
  func testStore() {
    let clock = TestClock()
    let store = TestStore(
      initialState: [:], reducer: Rows(), clock: clock, dependencies: Rows.World(clock: clock),
      report: { Issue.record("\($0.message)") })
    store.send(.typed("a", row: 1))
    let parts: [EffectDescriptor] = [.run("throttle"), .task("save")]
    #expect(
      store.effects == [EffectDescriptor(kind: .merge, name: "save", id: "save", parts: parts)])
    store.receive(.saved("a", row: 1)) { $0 = [1: "a"] }
    store.send(.typed("ab", row: 1))
    store.send(.typed("abc", row: 1))
    store.send(.typed("x", row: 2))
    store.receive(.saved("x", row: 2)) { $0[2] = "x" }
    store.advance(by: .milliseconds(999))
    #expect(store.received == [])
    store.advance(by: .milliseconds(1))
    store.receive(.saved("abc", row: 1)) { $0[1] = "abc" }
    store.advance(by: .seconds(1))
    store.finish()
  }
}
