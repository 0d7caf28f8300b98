import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// Stacks in recordings: a state that was read from a log assigns the ids that the recorded state
/// assigned.
@Suite("Recorded stacks")
struct RecordedStackTests {
  struct Leaf: ComposedReducer {
    struct State: Codable, Sendable, Equatable {
      var text = ""
      var inner = StackState<Int>()
      var keptInner: StackState<Int>?
    }

    enum Action: Codable, Sendable, Equatable {
      case type(String)
      case keep, putBack
      case inner(StackAction<Int, Never>)
    }

    struct Number: Reducer {
      func reduce(_ state: inout Int, _ action: Never, _: Void) -> [Effect<Never>] {}
    }

    var body: some Reducer<State, Action, Void> {
      Reduce { state, action in
        switch action {
        case .type(let text): state.text += text
        case .keep: state.keptInner = state.inner
        case .putBack: state.inner = state.keptInner ?? StackState([7])
        case .inner: break
        }
        return .none
      }
      .forEach(
        \.inner,
        action: CasePath(embed: Action.inner) { if case .inner(let a) = $0 { a } else { nil } }
      ) { Number() }
    }
  }

  struct Tabs: ComposedReducer {
    typealias Stack = StackState<Leaf.State>

    /// Created when it is first used, which may be within a step.
    static let root = StackState([Leaf.State(text: "root")])

    struct State: Codable, Sendable, Equatable {
      var path = Stack()
      var other = Stack()
      var saved = Stack()
      var parked: Stack?
    }

    enum Action: Codable, Sendable, Equatable {
      case path(StackActionOf<Leaf>)
      case other(StackActionOf<Leaf>)
      case append(String)
      case popLast, removeAll
      case replace([String])
      case replaceAndAppend(String)
      case root
      case take(Stack)
      case appendAndSave(String)
      case save, restore
      case saveNew([String])
      case appendToSaved(String)
      case park, unpark
      case swap, copyToOther
    }

    var body: some Reducer<State, Action, Void> {
      Reduce { state, action in
        switch action {
        case .path, .other: break
        case .append(let text): state.path.append(Leaf.State(text: text))
        case .popLast: state.path.popLast()
        case .removeAll: state.path.removeAll()
        case .replace(let texts): state.path = StackState(texts.map { Leaf.State(text: $0) })
        case .replaceAndAppend(let text):
          state.path = StackState()
          state.path.append(Leaf.State(text: text))
        case .root: state.path = Self.root
        case .take(let stack): state.path = stack
        case .appendAndSave(let text):
          state.path.append(Leaf.State(text: text))
          state.saved = state.path
        case .save: state.saved = state.path
        case .restore: state.path = state.saved
        case .saveNew(let texts): state.saved = StackState(texts.map { Leaf.State(text: $0) })
        case .appendToSaved(let text): state.saved.append(Leaf.State(text: text))
        case .park: (state.parked, state.path) = (state.path, StackState())
        case .unpark:
          if let parked = state.parked { state.path = parked }
          state.parked = nil
        case .swap: (state.path, state.other) = (state.other, state.path)
        case .copyToOther: state.other = state.path
        }
        return .none
      }
      .forEach(
        \.path,
        action: CasePath(embed: Action.path) { if case .path(let a) = $0 { a } else { nil } }
      ) { Leaf() }
      .forEach(
        \.other,
        action: CasePath(embed: Action.other) { if case .other(let a) = $0 { a } else { nil } }
      ) { Leaf() }
    }
  }

  /// An action that can follow a state.
  private static func action(
    _ state: Tabs.State, _ random: inout SeededRandom
  ) -> Tabs.Action {
    let texts = ["a", "b", "c"].prefix(Int.random(in: 0...3, using: &random)).map { $0 }
    let stack = Bool.random(using: &random) ? state.path : state.other
    let child: Leaf.Action =
      [.type("x"), .keep, .putBack, .inner(.push(1))].randomElement(using: &random) ?? .keep
    var some: [Tabs.Action] = [
      .append("d"), .path(.push(Leaf.State(text: "e"))),
      .path(.push(Leaf.State(text: "f", inner: StackState([1, 2]), keptInner: StackState([3])))),
      .other(.push(Leaf.State(text: "g"))), .popLast, .removeAll, .replace(texts),
      .replaceAndAppend("h"), .root, .take(state.path), .take(state.saved),
      .take(StackState(texts.map { Leaf.State(text: $0) })), .appendAndSave("i"), .save, .restore,
      .restore, .saveNew(texts), .appendToSaved("j"), .park, .unpark, .swap, .copyToOther,
    ]
    if let id = stack.ids.randomElement(using: &random) {
      let actions: [StackActionOf<Leaf>] = [.element(id: id, action: child), .popFrom(id: id)]
      for action in actions { some += [.path(action), .other(action), .path(action)] }
    }
    return some.randomElement(using: &random) ?? .save
  }

  private static func start(_ random: inout SeededRandom) -> Tabs.State {
    var state = Tabs.State()
    if Bool.random(using: &random) { state.path = StackState([Leaf.State(text: "0")]) }
    if Bool.random(using: &random) { state.other = state.path }
    if Bool.random(using: &random) { state.saved = StackState([Leaf.State(text: "1")]) }
    if Bool.random(using: &random) { state.parked = state.saved }
    return state
  }

  private static func decoded<Value: Codable>(_ value: Value) throws -> Value {
    try CanonicalDecoder.decode(Value.self, from: try CanonicalEncoder.encode(value))
  }

  @Test("a decoded state and the one that was encoded go the same way", arguments: 1...60)
  func decodedGoesTheSameWay(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var state = Self.start(&random)
    // The last one is decoded before every step, the others once.
    var decodedStates = [try Self.decoded(state)]
    for step in 0..<60 {
      let action = Self.action(state, &random)
      if step.isMultiple(of: 10) { decodedStates.append(state) }
      decodedStates[decodedStates.count - 1] = try Self.decoded(
        decodedStates[decodedStates.count - 1])
      _ = Tabs().reduce(&state, action, ())
      let bytes = try CanonicalEncoder.encode(state)
      for index in decodedStates.indices {
        _ = Tabs().reduce(&decodedStates[index], try Self.decoded(action), ())
        let same = try CanonicalEncoder.encode(decodedStates[index]) == bytes
        #expect(decodedStates[index] == state)
        try #require(same, "seed \(seed), step \(step), \(action)")
      }
    }
  }

  @Test("recordings of stacks replay from any state", arguments: 1...15)
  func recordings(seed: UInt64) throws {
    let schema = LogSchema(program: "tabs 1.0", feature: "tabs", name: "Tabs.Action", version: 1)
    var info = Session.info
    info.schema = schema
    try withFolder { folder in
      var random = SeededRandom(seed: seed)
      let store = Store(initialState: Self.start(&random)) { Tabs() }
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        store.send(Self.action(store.state, &random))
      }
      let options = RecordingOptions(
        digestEvery: Bool.random(using: &random) ? 1 : 20,
        snapshotEvery: Bool.random(using: &random) ? 7 : nil,
        rotation: Bool.random(using: &random) ? .init(size: 20_000) : nil)
      let recorder = try store.record(
        to: folder + "/a", info: info, options: options, journal: nil)
      var states = [store.state]
      for _ in 0..<150 {
        store.send(Self.action(store.state, &random))
        states.append(store.state)
      }
      recorder.stop(state: store.state)
      let replayer = Replayer(
        reducer: Tabs(), dependencies: (), journal: DrawJournal(), schema: schema)
      let log = try RotatedLog(path: folder + "/a")
      var replayed = [states[0]]
      _ = try replayer.replay(log) { _, state, _ in replayed.append(state) }
      #expect(replayed == states, "seed \(seed)")
      let navigator = try LogNavigator(log, replayer: replayer)
      #expect(navigator.divergence == nil)
      for _ in 0..<60 {
        let step = Int.random(in: 0...150, using: &random)
        #expect(try navigator.state(at: step) == states[step], "seed \(seed), step \(step)")
      }
    }
  }

  @Test("a copy put back keeps its ids, also in a recording that began after it was taken")
  func copyPutBack() throws {
    var state = Tabs.State()
    for action: Tabs.Action in [.append("a"), .append("b"), .save, .removeAll] {
      _ = Tabs().reduce(&state, action, ())
    }
    for var state in [state, try Self.decoded(state)] {
      _ = Tabs().reduce(&state, .restore, ())
      #expect(state.path.ids == [0, 1])
    }
  }

  @Test("only a stack that no forEach has processed says so in its encoded form")
  func form() throws {
    func text(_ stack: StackState<Int>) throws -> String {
      String(decoding: try CanonicalEncoder.encode(stack), as: UTF8.self)
    }
    #expect(try text(StackState()) == #"{"elements":[],"next":0}"#)
    #expect(
      try text(StackState([5])) == #"{"elements":[{"element":5,"id":0}],"new":true,"next":1}"#)
    var leaf = Leaf.State(inner: StackState([5]))
    _ = Leaf().reduce(&leaf, .type(""), ())
    #expect(try text(leaf.inner) == #"{"elements":[{"element":5,"id":0}],"next":1}"#)
    #expect(leaf.inner == StackState([5]), "a test need not know it")
    var empty = Leaf.State()
    _ = Leaf().reduce(&empty, .keep, ())
    #expect(try text(empty.inner) == #"{"elements":[],"next":0}"#)
    #expect(try empty.keptInner.map(text) == #"{"elements":[],"new":false,"next":0}"#)
  }
}
