import SwiftBoardJSON
import SwiftBoardStore
import Testing

@testable import SwiftBoardRecording

struct TimelineTests {
  /// Two tasks, a stream that is cancelled, one that stays open, and one that ends in silence.
  static func log() throws -> [UInt8] {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(
      .add(1), by: .user(line: "add 1", at: "a.sb:1"),
      effects: [
        EffectDescriptor(kind: .task, name: "load", id: "list/load"),
        EffectDescriptor(
          kind: .merge,
          parts: [
            EffectDescriptor(kind: .run, name: "watch", id: "list/row/watch"),
            EffectDescriptor(kind: .run, name: "tick"),
          ]),
      ])
    session.send(.add(2), by: .effect(name: "watch", id: "list/row/watch", step: 1))
    session.recorder.mark("half")
    session.send(.add(3), by: .effect(name: "load", id: "list/load", step: 1))
    session.send(
      .roll(times: 1), by: .link("x://roll"),
      effects: [EffectDescriptor(kind: .cancel, id: "list/watch")])
    session.fail("no luck")
    session.send(.add(4), by: .effect(name: "tick", id: nil, step: 1))
    session.send(.stop)
    session.recorder.stop()
    return sink.bytes
  }

  private func entries(
    _ filter: LogTimeline.Filter = .init(), _ bytes: [UInt8]? = nil
  ) throws -> [LogTimeline.Entry] {
    let timeline = try LogTimeline(LogFile(bytes: try bytes ?? Self.log()), filter: filter)
    var entries: [LogTimeline.Entry] = []
    while let entry = try timeline.next() { entries.append(entry) }
    return entries
  }

  private func steps(_ filter: LogTimeline.Filter) throws -> [Int] {
    try entries(filter).compactMap { if case .step(let step, _) = $0 { step.n } else { nil } }
  }

  @Test("entries come in order and effects where they end")
  func entriesComeInOrderAndEffectsWhereTheyEnd() throws {
    let text = try entries().map { entry in
      switch entry {
      case .step(let step, let action): "\(step.n) \(action)"
      case .mark(let mark): "mark \(mark.name)"
      case .issue(let issue): "issue \(issue.message)"
      case .effect(let span): "\(span)"
      case .end(let end): "end \(end.n)"
      }
    }
    #expect(
      text == [
        "1 add", "2 add", "mark half", "3 add",
        "task load id list/load: steps 1 to 3, finished, 1 actions", "4 roll",
        "run watch id list/row/watch: steps 1 to 4, cancelled, 1 actions", "issue no luck", "5 add",
        "6 stop", "end 6", "run tick: steps 1 to 5, silent since, 1 actions",
      ])
  }

  @Test("a member of a sequence has ended when a later one acts")
  func sequences() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(
      .add(1),
      effects: [
        EffectDescriptor(
          kind: .concatenate,
          parts: [
            EffectDescriptor(kind: .run, name: "save"),
            EffectDescriptor(
              kind: .merge,
              parts: [
                EffectDescriptor(kind: .run, name: "watch"),
                EffectDescriptor(kind: .task, name: "report"),
              ]),
          ])
      ])
    session.send(.add(2), by: .effect(name: "report", id: nil, step: 1))
    session.recorder.stop()
    let spans = try entries(.init(), sink.bytes).compactMap { entry in
      if case .effect(let span) = entry { "\(span)" } else { nil }
    }
    #expect(
      spans == [
        "run save: steps 1 to 2, finished, 0 actions",
        "task report: steps 1 to 2, finished, 1 actions",
        "run watch: steps 1 to 2, open, 0 actions",
      ])
  }

  @Test("filters choose by origin, action, text and range")
  func filtersChooseByOriginActionTextAndRange() throws {
    #expect(try steps(.init(sources: [.user, .link])) == [1, 4])
    #expect(try steps(.init(sources: [.effect])) == [2, 3, 5])
    #expect(try steps(.init(action: "roll")) == [4])
    #expect(try steps(.init(action: "ro")) == [])
    #expect(try steps(.init(text: "a.sb:1")) == [1])
    #expect(try steps(.init(text: "watch")) == [1, 2, 4])
    #expect(try steps(.init(text: "\"_0\":4")) == [5])
    #expect(try steps(.init(steps: 2...4)) == [2, 3, 4])
    #expect(try steps(.init(time: 500...1000)) == [2, 3, 4])
    #expect(try steps(.init(sources: [.effect], steps: 3...9)) == [3, 5])
    #expect(try entries(.init(text: "no luck")).count == 1)
    #expect(try entries(.init(text: "half")).count == 1)
  }

  @Test("effects of a range are those that lived in it") func effectsOfARangeAreThoseThatLivedInIt()
    throws
  {
    let names = try entries(.init(steps: 4...4)).compactMap {
      if case .effect(let span) = $0 { span.effect.name } else { nil }
    }
    #expect(names == ["watch", "tick"])
  }

  @Test("lines behind the range are not read") func linesBehindTheRangeAreNotRead() throws {
    var bytes = try Self.log()
    bytes[bytes.count - 5] ^= 1
    #expect(throws: LogReadError.self) { try self.entries(.init(), bytes) }
    #expect(try entries(.init(steps: 1...2), bytes).count > 0)
  }

  @Test("features are the outermost cases") func featuresAreTheOutermostCases() {
    let get: JSON = ["keychain": ["_0": ["get": ["name": "x"]]]]
    #expect(ActionName.of(get) == "keychain.get")
    #expect(ActionName.of(get, depth: 1) == "keychain")
    #expect(ActionName.of(["add": ["_0": 1]]) == "add")
    #expect(ActionName.of(["reset": [:]]) == "reset")
    #expect(ActionName.of("raw") == "raw")
    // The action of a part belongs to the name, beside whatever says which part it is.
    let loaded: JSON = ["loaded": ["page": 1]]
    #expect(ActionName.of(["f": ["search": ["action": loaded]]]) == "f.search.loaded")
    #expect(
      ActionName.of(["f": ["row": ["job": 1, "action": ["search": ["action": loaded]]]]])
        == "f.row.search.loaded")
    #expect(ActionName.of(["f": ["search": ["action": loaded]]], depth: 1) == "f")
    #expect(ActionName.of(["a": 1, "b": 2]) == "?")
    #expect(ActionName.of(["set": ["_0": ["x": 1]]]) == "set")
    #expect(ActionName.of(["a": ["_0": ["b": ["_0": ["c": [:]]]]]], depth: 9) == "a.b.c")
  }

  @Test("cancellations reach their place and below") func cancellationsReachTheirPlaceAndBelow() {
    #expect(EffectSpans.cancel("a", reaches: "a"))
    #expect(EffectSpans.cancel("a", reaches: "row/a"))
    #expect(EffectSpans.cancel("list/a", reaches: "list/row/a"))
    #expect(EffectSpans.cancel("list", reaches: "list/row/a"))
    #expect(!EffectSpans.cancel("list/a", reaches: "other/a"))
    #expect(!EffectSpans.cancel("a", reaches: "ba"))
    #expect(!EffectSpans.cancel("a", reaches: nil))
    #expect(EffectSpans.cancel(nil, reaches: nil))
  }

  @Test("ended effects are forgotten behind one that never ends")
  func endedEffectsAreForgottenBehindOneThatNeverEnds() {
    var spans = EffectSpans()
    func step(_ n: Int, _ origin: StepOrigin, _ effects: LogEffect...) -> LogStep {
      LogStep(n: n, t: 0, origin: origin, action: .null, effects: effects)
    }
    _ = spans.take(step(1, .program("p"), LogEffect(name: "watch", kind: "run")))
    for n in 2...5000 {
      let ended = spans.take(
        step(
          n, n == 2 ? .program("p") : .effect(name: "load", id: nil, step: n - 1),
          LogEffect(name: "load", kind: "task")))
      #expect(ended.map(\.first) == (n == 2 ? [] : [n - 1]))
      #expect(spans.slots.count < 100)
    }
    let left = spans.finish(at: 5000, 9, isWhole: true)
    #expect(left.map(\.effect.name) == ["watch", "load"])
    #expect(left.map(\.last) == [5000, 5000], "open until the end")
  }

  @Test("followed effects are bounded") func followedEffectsAreBounded() {
    var spans = EffectSpans(capacity: 3)
    var ended: [EffectSpan] = []
    for n in 1...100 {
      ended += spans.take(
        LogStep(
          n: n, t: Int64(n), origin: .program("p"), action: .null,
          effects: [LogEffect(name: "e\(n)", kind: "run")]))
    }
    #expect(ended.map(\.first) == Array(1...97))
    #expect(ended.allSatisfy { $0.end == .open })
    #expect(spans.finish(at: 100, 100, isWhole: true).map(\.first) == [98, 99, 100])
  }

  /// What a log can say of the end of an effect that may send several actions, and what it cannot.
  @Test("each end is said as far as the log knows it") func eachEndIsSaidAsFarAsTheLogKnowsIt()
    throws
  {
    let sink = MemorySink()
    let session = try Session(sink)
    func run(_ name: String, _ id: String? = nil) -> EffectDescriptor {
      EffectDescriptor(kind: .run, name: name, id: id)
    }
    session.send(
      .add(1), effects: [run("spoke"), run("mute"), run("cancelled", "a"), run("both", "b/c")])
    session.send(.add(1), by: .effect(name: "spoke", id: nil, step: 1))
    session.send(.add(1), by: .effect(name: "both", id: "b/c", step: 1))
    session.send(.add(1), by: .effect(name: "spoke", id: nil, step: 1))
    session.send(.add(1), effects: [EffectDescriptor(kind: .cancel, id: "a")])
    session.send(.add(1), effects: [EffectDescriptor(kind: .cancel, id: "b")])
    session.send(.add(1))
    session.recorder.stop()
    func spans(_ filter: LogTimeline.Filter = .init()) throws -> Set<String> {
      Set(
        try entries(filter, sink.bytes).compactMap {
          if case .effect(let span) = $0 { span.description } else { nil }
        })
    }
    #expect(
      try spans() == [
        "run spoke: steps 1 to 4, silent since, 2 actions",
        "run mute: steps 1 to 7, open, 0 actions",
        "run cancelled id a: steps 1 to 5, cancelled, 0 actions",
        "run both id b/c: steps 1 to 6, cancelled, 1 actions",
      ])
    // If reading stops before the end of the log, what follows is unknown.
    #expect(
      try spans(.init(steps: 1...3)) == [
        "run spoke: steps 1 to 4, open, 2 actions", "run mute: steps 1 to 4, open, 0 actions",
        "run cancelled id a: steps 1 to 4, open, 0 actions",
        "run both id b/c: steps 1 to 4, open, 1 actions",
      ])
    let statistics = try LogStatistics(RotatedLog(LogFile(bytes: sink.bytes)))
    #expect(statistics.effects["spoke"]?.silent == 1)
    #expect(statistics.effects["mute"]?.open == 1)
    #expect(statistics.effects["mute"]?.steps == 0, "what nobody knows is not counted as long")
    #expect(statistics.effects["both"]?.cancelled == 1)
  }
}
