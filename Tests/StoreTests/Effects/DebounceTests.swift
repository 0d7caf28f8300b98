import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R14 debounced")
struct DebounceTests {
  /// Looks up what is typed: debounced by 300 ms, and then for as long as the test says.
  func search(seed: UInt64? = nil, takes work: Duration = .zero) -> TimedStage {
    TimedStage(seed: seed) { action, clock in
      switch action {
      case "cancel": [.cancel(id: "search")]
      case let text where text.hasPrefix("found"): []
      default:
        [
          .task(name: "search") {
            if work > .zero { try await clock.sleep(for: work) }
            return "found \(action)"
          }.debounced(id: "search", for: .milliseconds(300), clock: clock)
        ]
      }
    }
  }

  @Test("R14 only the last counts, a pause after it came")
  func last() {
    let stage = search()
    stage.send("r")
    stage.advance(150)
    stage.send("ri")
    stage.advance(299)
    stage.send("ric")
    #expect(stage.clock.sleepers.count == 1)
    stage.advance(299)
    #expect(stage.seen.count == 3)
    stage.advance(1)
    #expect(stage.timeline.last == "749 found ric")
    stage.send("x")
    stage.advance(1000)
    #expect(stage.timeline.suffix(2) == ["749 x", "1049 found x"])
    #expect(stage.isQuiet)
  }

  @Test("R14 work that never had its turn was never begun")
  func lazy() {
    let begun = Journal<String>()
    let stage = TimedStage { action, clock in
      [
        .fireAndForget { begun.note(action) }
          .debounced(id: 1, for: .milliseconds(300), clock: clock)
      ]
    }
    for action in ["a", "b", "c"] { stage.send(action) }
    stage.advance(1000)
    #expect(begun.entries == ["c"])
  }

  @Test("R5 a new one cancels the work of the one before, so that results keep their order")
  func atWork() {
    let stage = search(takes: .milliseconds(500))
    stage.send("a")
    stage.advance(700)
    stage.send("b")
    stage.advance(2000)
    #expect(stage.timeline == ["0 a", "700 b", "1500 found b"])
    #expect(stage.isQuiet)
  }

  @Test("R5 its id is a cancel id: it ends the wait and the work")
  func cancel() {
    let stage = search(takes: .milliseconds(100))
    stage.send("a")
    stage.advance(200)
    stage.send("cancel")
    #expect(stage.isQuiet)
    stage.send("b")
    stage.advance(350)
    stage.send("cancel")
    stage.advance(1000)
    #expect(stage.seen == ["a", "cancel", "b", "cancel"])
    #expect(stage.isQuiet)
  }

  @Test("R14 ids do not disturb each other, and an id the effect had already stays")
  func ids() {
    let stage = TimedStage { action, clock in
      switch action {
      case "a", "b":
        [
          .send("\(action)!").cancellable(id: "all")
            .debounced(id: action, for: .milliseconds(300), clock: clock)
        ]
      case "stop": [.cancel(id: "all")]
      default: []
      }
    }
    for action in ["a", "b", "a"] { stage.send(action) }
    stage.advance(300)
    #expect(stage.timeline.suffix(2) == ["300 b!", "300 a!"])
    stage.send("a")
    stage.send("b")
    stage.send("stop")
    #expect(stage.isQuiet)
  }

  @Test("R14 groups and cancels can be debounced; none is none")
  func groups() {
    let stage = TimedStage { action, clock in
      switch action {
      case "go":
        [
          .merge(.send("a"), .task { "b" })
            .debounced(id: 1, for: .milliseconds(300), clock: clock),
          .none.debounced(id: 1, for: .milliseconds(300), clock: clock),
        ]
      default: []
      }
    }
    stage.send("go")
    stage.advance(200)
    stage.send("go")
    stage.advance(1000)
    #expect(stage.timeline == ["0 go", "200 go", "500 a", "500 b"])
    #expect(stage.isQuiet)
  }

  @Test("R14 inside Scope and ifLet it keeps its name and ids, and ends with the child")
  func composed() {
    let id = "host/child/box"
    let host = Host { _ in
      [.task(name: "search") { "x" }.debounced(id: "box", for: .seconds(1), clock: TestClock())]
    }
    var state = Host.State()
    #expect(
      host.reduce(&state, .child("go"), ()).scoped({ $0 }, id: "host").descriptors()
        == [EffectDescriptor(kind: .task, name: "search", id: id)])
    checkInsideComposition(name: "search", kind: .task, after: 300, sends: "x") { clock in
      .task(name: "search") { "x" }.cancellable(id: "it")
        .debounced(id: "box", for: .milliseconds(300), clock: clock)
    }
  }

  @Test("R14 two hundred bursts at drawn moments do what the definition says")
  func bursts() {
    for seed in UInt64(0)..<200 {
      var generator = SeededRandom(seed: seed)
      let stage = search(seed: seed, takes: .milliseconds(100))
      var moments: [Int] = []
      for index in 0..<8 {
        // Never at the instant at which a wait or the work ends, where either side is right.
        moments.append(
          (moments.last ?? 0) + Int.random(in: 1...9, using: &generator) * 70 + index % 2)
      }
      for moment in moments {
        stage.clock.advance(to: TestClock.Instant(offset: .milliseconds(moment)))
        stage.send("\(moment)")
      }
      stage.clock.run()
      let found = zip(moments, moments.dropFirst() + [.max]).filter { $1 - $0 > 400 }
        .map { "\($0.0 + 400) found \($0.0)" }
      #expect(stage.timeline.filter { $0.contains("found") } == found, "seed \(seed)")
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
      }.debounced(id: "box", for: .milliseconds(300), clock: clock)
    }
    #expect(
      outcomes == [["go", "cancel"], ["go", "one", "cancel"], ["go", "one", "two", "cancel"]])
  }
}
