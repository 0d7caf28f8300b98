import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// A live replay compares the actions that each sent action caused, in whatever order the effects
/// of several run.
struct LiveReplayOrderTests {
  struct State: Codable, Sendable, Equatable {
    var items: [Int] = []
  }

  enum Action: Codable, Sendable, Equatable {
    case load(Int)
    case loaded(Int)
    case stored(Int)
    case note
  }

  /// Loads a value, then stores it. The steps of `isHeld` wait until `loaded(0)` was reduced.
  private struct Loading: Reducer {
    var answer: @Sendable (Int) -> Int = { $0 * 10 }
    var name: @Sendable (Int) -> String = { _ in "load" }
    var followUp: @Sendable (Int) -> [Effect<Action>] = { value in [.task { .stored(value) }] }
    let order: Order

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      switch action {
      case .load(let number):
        let (order, answer) = (order, answer)
        return [
          .task(name: name(number)) {
            await order.wait(for: number)
            return .loaded(answer(number))
          }.cancellable(id: number)
        ]
      case .loaded(let value):
        state.items.append(value)
        return followUp(value)
      case .stored, .note:
        return []
      }
    }
  }

  /// Lets effects continue in a given order.
  private actor Order {
    private var rest: [Int]
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Whether the first one waits for `begin()`.
    private var isHeld: Bool

    init(_ order: [Int], isHeld: Bool = false) {
      rest = order
      self.isHeld = isHeld
    }

    func begin() {
      isHeld = false
      resume()
    }

    func wait(for number: Int) async {
      await withCheckedContinuation { continuation in
        waiting[number] = continuation
        resume()
      }
    }

    private func resume() {
      while !isHeld, let next = rest.first, let continuation = waiting.removeValue(forKey: next) {
        rest.removeFirst()
        continuation.resume()
      }
    }
  }

  private static let schema = LogSchema(program: "loader 1", feature: "f", name: "A", version: 1)
  private static let loads = 1...4

  /// Records loads that all run before the first ends.
  private static func record(order: [Int], then last: Action? = nil) async throws -> LogFile {
    let sink = MemorySink()
    var info = Session.info
    info.schema = schema
    let order = Order(order, isHeld: true)
    let store = Store(initialState: State(), reducer: Loading(order: order), dependencies: ())
    let recorder = try Recorder<State, Action>(
      sink: sink, info: info, state: State(), journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    let tasks = loads.map {
      store.send(.load($0), origin: .user(line: "load \($0)", at: "a:\($0)"))
    }
    await order.begin()
    for task in tasks { await task.finish() }
    if let last { store.send(last, origin: .user(line: "note", at: "a:9")) }
    recorder.stop()
    return LogFile(bytes: sink.bytes)
  }

  /// The patience with a recorded action has no end, for nobody advances the clock.
  private static func replay<R: Reducer<State, Action, Void>>(
    _ log: LogFile, _ reducer: R
  ) async throws -> LiveReplay<R>.Report {
    let store = Store(initialState: State(), reducer: reducer, dependencies: ())
    let report = try await LiveReplay<R>(schema: schema).run(log, on: store, clock: TestClock())
    await store.shutdown(deadline: .zero)
    return report
  }

  @Test(
    "actions are compared by the action that caused them, in any order",
    arguments: [[1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3]], [[1, 2, 3, 4], [3, 1, 4, 2]])
  func orders(recorded: [Int], live: [Int]) async throws {
    let log = try await Self.record(order: recorded, then: .note)
    let report = try await Self.replay(log, Loading(order: Order(live)))
    #expect(report == .init(sent: 5, agreed: 13, difference: nil))
  }

  @Test(
    "a difference names the step that has the same cause",
    arguments: [[1, 2, 3, 4], [4, 2, 1, 3]])
  func differences(live: [Int]) async throws {
    let log = try await Self.record(order: [3, 1, 4, 2])
    let report = try await Self.replay(
      log, Loading(answer: { $0 == 4 ? 41 : $0 * 10 }, order: Order(live)))
    let step = try #require(try Self.step(of: #"{"loaded":{"_0":40}}"#, in: log))
    let changes = StateDiff.changes(["loaded": ["_0": 40]], ["loaded": ["_0": 41]])
    #expect(
      report.difference
        == .other(
          step: step, expected: ["loaded": ["_0": 40]], found: ["loaded": ["_0": 41]],
          changes: changes))
  }

  /// Sends the number of items that it has with each note.
  private struct Counting: Reducer {
    let order: Order

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      switch action {
      case .load(let number):
        return [
          .task(name: "load") { [order] in
            await order.wait(for: number)
            return .loaded(number)
          }
        ]
      case .loaded(let value):
        state.items.append(value)
        return []
      case .note: return [.send(.stored(state.items.count))]
      case .stored: return []
      }
    }
  }

  /// Lets the effects of an order continue when something waits.
  private struct StartingClock: Clock {
    let order: Order
    let clock = TestClock()
    var now: TestClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      await order.begin()
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test("a line meets what an action has changed that is not compared")
  func uncomparedBeforeALine() async throws {
    let log = try Self.log([
      (.user(line: "load 1", at: "a:1"), .load(1), [.init(kind: .task, name: "load")]),
      (.effect(name: "load", id: nil, step: 1), .loaded(1), []),
      (.user(line: "note", at: "a:2"), .note, [.init(kind: .send, name: "send")]),
      (.effect(name: "send", id: nil, step: 3), .stored(1), []),
    ])
    let order = Order([1], isHeld: true)
    let store = Store(
      initialState: State(), reducer: Counting(order: order), dependencies: ())
    let live = LiveReplay<Counting>(
      schema: Self.schema, isCompared: { if case .loaded = $0 { false } else { true } })
    let report = try await live.run(log, on: store, clock: StartingClock(order: order))
    #expect(report == .init(sent: 2, agreed: 3, difference: nil))
    await store.shutdown(deadline: .zero)
  }

  /// Loads two values by equal effects, the second of which ends behind the next note.
  private struct Pair: Reducer {
    let order = Order([1, 3, 2])

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      func wait(_ number: Int, _ name: String, then action: @escaping @Sendable () -> Action)
        -> Effect<Action>
      {
        .task(name: name) { [order] in
          await order.wait(for: number)
          return action()
        }
      }
      switch action {
      case .load: return (1...2).map { number in wait(number, "load") { .loaded(number) } }
      case .loaded(let value):
        state.items.append(value)
        return []
      case .note:
        let count = state.items.count
        return [wait(3, "note") { .stored(count) }]
      case .stored: return []
      }
    }
  }

  @Test("a line does not wait for another action of the effects that are not compared")
  func uncomparedBehindALine() async throws {
    let load = EffectDescriptor(kind: .task, name: "load")
    let log = try Self.log([
      (.user(line: "load 1", at: "a:1"), .load(1), [load, load]),
      (.effect(name: "load", id: nil, step: 1), .loaded(1), []),
      (.user(line: "note", at: "a:2"), .note, [.init(kind: .task, name: "note")]),
      (.effect(name: "note", id: nil, step: 3), .stored(1), []),
      (.effect(name: "load", id: nil, step: 1), .loaded(2), []),
    ])
    let store = Store(initialState: State(), reducer: Pair(), dependencies: ())
    let live = LiveReplay<Pair>(
      schema: Self.schema, isCompared: { if case .loaded = $0 { false } else { true } })
    let report = try await live.run(log, on: store, clock: TestClock())
    #expect(report == .init(sent: 2, agreed: 3, difference: nil))
    await store.shutdown(deadline: .zero)
  }

  @Test("an action of one effect is missing while other effects run") func missing() async throws {
    let log = try Self.log([
      (.user(line: "load 1", at: "a:1"), .load(1), [.init(kind: .task, name: "load", id: "1")]),
      (.user(line: "load 2", at: "a:2"), .load(2), [.init(kind: .task, name: "load", id: "2")]),
      (.effect(name: "load", id: "1", step: 1), .loaded(10), [.init(kind: .task)]),
      (.effect(name: "task", id: nil, step: 3), .stored(10), []),
    ])
    // The second load never ends, and nothing follows the first value.
    let report = try await Self.replay(
      log, Loading(followUp: { _ in [] }, order: Order([1])))
    #expect(report.difference == .missing(step: 4, expected: ["stored": ["_0": 10]]))
  }

  /// What an effect is asked to do depends on the steps before it.
  @Test(
    "each step meets the state that it met when it was recorded", arguments: [[1, 2], [2, 1]])
  func states(live: [Int]) async throws {
    struct Counting: Reducer {
      let order: Order

      func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
        switch action {
        case .load(let number):
          let order = order
          return [
            .task(name: "load \(number)") {
              await order.wait(for: number)
              return .loaded(number * 10)
            }
          ]
        case .loaded(let value):
          state.items.append(value)
          let count = state.items.count
          return count == 1 ? [.task { .stored(value + count) }] : []
        case .stored, .note:
          return []
        }
      }
    }
    let log = try Self.log([
      (.user(line: "load 1", at: "a:1"), .load(1), [.init(kind: .task, name: "load 1")]),
      (.user(line: "load 2", at: "a:2"), .load(2), [.init(kind: .task, name: "load 2")]),
      (.effect(name: "load 2", id: nil, step: 2), .loaded(20), [.init(kind: .task)]),
      (.effect(name: "load 1", id: nil, step: 1), .loaded(10), []),
      (.effect(name: "task", id: nil, step: 3), .stored(21), []),
    ])
    let store = Store(
      initialState: State(), reducer: Counting(order: Order(live)), dependencies: ())
    let report = try await LiveReplay<Counting>(schema: Self.schema).run(
      log, on: store, clock: TestClock())
    #expect(report == .init(sent: 2, agreed: 5, difference: nil))
    #expect(store.state.items == [20, 10])
  }

  @Test("what follows unfinished work in a sequence is awaited")
  func sendAfterWork() async throws {
    struct Following: Reducer {
      let hasLoaded: AsyncStream<Void>
      let loaded: AsyncStream<Void>.Continuation

      func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
        switch action {
        case .load:
          let hasLoaded = hasLoaded
          return [
            .concatenate(
              .run { send in
                send(.loaded(10))
                for await _ in hasLoaded {}
              }, .send(.note))
          ]
        case .loaded: return [.run { [loaded] _ in loaded.finish() }]
        case .stored, .note: return []
        }
      }
    }
    let log = try Self.log([
      (
        .user(line: "load 1", at: "a:1"), .load(1),
        [
          EffectDescriptor(
            kind: .concatenate,
            parts: [EffectDescriptor(kind: .run), EffectDescriptor(kind: .send)])
        ]
      ),
      (.effect(name: "run", id: nil, step: 1), .loaded(10), [EffectDescriptor(kind: .run)]),
      (.effect(name: "send", id: nil, step: 1), .note, []),
    ])
    for _ in 0..<20 {
      let (hasLoaded, loaded) = AsyncStream<Void>.makeStream()
      let report = try await Self.replay(log, Following(hasLoaded: hasLoaded, loaded: loaded))
      #expect(report == .init(sent: 1, agreed: 3, difference: nil))
    }
  }

  @Test("effects with other names are matched by their actions")
  func otherNames() async throws {
    let log = try await Self.record(order: [1, 2, 3, 4])
    let report = try await Self.replay(
      log, Loading(name: { "fetch \($0)" }, order: Order([4, 3, 2, 1])))
    #expect(report == .init(sent: 4, agreed: 12, difference: nil))
  }

  @Test("an action of one more effect is a difference")
  func additional() async throws {
    let log = try await Self.record(order: [1, 2, 3, 4])
    let report = try await Self.replay(
      log,
      Loading(
        followUp: { value in
          [.task { .stored(value) }] + (value == 30 ? [.task(name: "more") { .note }] : [])
        }, order: Order([1, 2, 3, 4])))
    let step = try #require(try Self.step(of: #"{"loaded":{"_0":30}}"#, in: log))
    #expect(report.agreed == 12)
    #expect(report.difference == .additional(step: step, found: ["note": [:]]))
    #expect(
      report.difference?.description
        == "step \(step): an effect sent the action {\"note\":{}}, which is not recorded")
  }

  @Test("effects of one name come in any order, and their actions are compared")
  func sameNames() async throws {
    func both() -> Loading {
      Loading(
        followUp: { value in [.task { .stored(value) }, .task { .stored(value + 1) }] },
        order: Order([1]))
    }
    let user = StepOrigin.user(line: "load 1", at: "a:1")
    let effect = StepOrigin.effect(name: "task", id: nil, step: 2)
    func log(_ first: Int, _ second: Int) throws -> LogFile {
      try Self.log([
        (user, .load(1), [EffectDescriptor(kind: .task, name: "load", id: "1")]),
        (
          .effect(name: "load", id: "1", step: 1), .loaded(10),
          [EffectDescriptor(kind: .task), EffectDescriptor(kind: .task)]
        ),
        (effect, .stored(first), []), (effect, .stored(second), []),
      ])
    }
    for (first, second) in [(10, 11), (11, 10)] {
      let report = try await Self.replay(try log(first, second), both())
      #expect(report == .init(sent: 1, agreed: 4, difference: nil))
    }
    let report = try await Self.replay(try log(11, 12), both())
    #expect(report.agreed == 3)
    #expect(report.difference?.step == 4)
  }

  /// Never sends, and runs as long as the store.
  private struct Watching: Reducer {
    let base = Loading(order: Order([1, 2]))

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      base.reduce(&state, action, ())
    }

    func declaresSubscriptions(in path: CompositionPath) -> Bool { true }

    func subscriptions(_ state: State, _: Void) -> [Effect<Action>] {
      [
        .run(name: "watch") { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }
          .cancellable(id: "watch")
      ]
    }
  }

  @Test("a subscription that never sends delays no difference, and a step before the file is none")
  func subscriptions() async throws {
    let user = StepOrigin.user(line: "load 1", at: "a:1")
    let log = try Self.log([
      (user, .load(1), [.init(kind: .task, name: "load", id: "1")]),
      (.effect(name: "load", id: "1", step: 1), .loaded(10), [.init(kind: .task)]),
      (.effect(name: "load", id: "9", step: 0), .loaded(90), [.init(kind: .task)]),
    ])
    let report = try await Self.replay(log, Watching())
    #expect(report.agreed == 2)
    #expect(
      report.difference
        == .missing(step: 3, expected: ["loaded": ["_0": 90]], wasUnderWay: true))
  }

  @Test("what follows an effect in a sequence starts after the effect's actions were reduced")
  func sequences() async throws {
    let reducer = Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .load(let number):
        return [
          .concatenate(
            .run { send in
              send(.loaded(number))
              send(.loaded(number + 1))
            }.cancellable(id: "x"), .cancel(id: "x"), .task { .note })
        ]
      case .loaded(let value):
        state.items.append(value)
        return []
      case .stored, .note:
        return []
      }
    }
    let report = try await Self.replay(try await Self.record(reducer), reducer)
    #expect(report == .init(sent: 1, agreed: 4, difference: nil))
  }

  @Test("a cancel behind work acts after the turn of the work's last action")
  func cancelBehindTurn() async throws {
    let reducer = Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .load(let number):
        return [.concatenate(.run { send in send(.loaded(number)) }, .cancel(id: "x"))]
      case .loaded(let value):
        state.items.append(value)
        return [.send(.stored(value)).cancellable(id: "x")]
      case .stored, .note:
        return []
      }
    }
    let report = try await Self.replay(try await Self.record(reducer), reducer)
    #expect(report == .init(sent: 1, agreed: 3, difference: nil))
  }

  @Test("an effect that sends thousands of actions at once agrees")
  func manyActions() async throws {
    let reducer = Reduce<State, Action, Void> { state, action, _ in
      switch action {
      case .load(let number):
        return [.run { send in for value in 0..<(number * 5000) { send(.loaded(value)) } }]
      case .loaded(let value):
        state.items = [value]
        return []
      case .stored, .note:
        return []
      }
    }
    let report = try await Self.replay(try await Self.record(reducer), reducer)
    #expect(report == .init(sent: 1, agreed: 5001, difference: nil))
  }

  @Test("a store that has ended agrees with nothing")
  func ended() async throws {
    let store = Store(
      initialState: State(), reducer: Loading(order: Order([1, 2, 3, 4])), dependencies: ())
    await store.shutdown(deadline: .zero)
    let log = try await Self.record(order: [1, 2, 3, 4])
    let report = try await LiveReplay<Loading>(schema: Self.schema).run(
      log, on: store, clock: TestClock())
    #expect(
      report
        == .init(
          sent: 0, agreed: 0, difference: .missing(step: 1, expected: ["load": ["_0": 1]])))
  }

  /// Records a line of a user and what follows from it.
  private static func record(_ reducer: Reduce<State, Action, Void>) async throws -> LogFile {
    let sink = MemorySink()
    var info = Session.info
    info.schema = schema
    let store = Store(initialState: State(), reducer: reducer, dependencies: ())
    let recorder = try Recorder<State, Action>(
      sink: sink, info: info, state: State(), journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    await store.send(.load(1), origin: .user(line: "load", at: "a:1")).finish()
    recorder.stop()
    return LogFile(bytes: sink.bytes)
  }

  /// Returns the number of the step with an action.
  private static func step(of action: String, in log: LogFile) throws -> Int? {
    let reader = try RotatedLogReader(RotatedLog(log))
    while let entry = try reader.next() {
      if case .step(let step) = entry.line,
        String(decoding: step.actionBytes, as: UTF8.self) == action
      {
        return step.n
      }
    }
    return nil
  }

  private static func log(_ steps: [RecordedStep<Action>]) throws -> LogFile {
    try recording(of: steps, from: State(), schema)
  }
}
