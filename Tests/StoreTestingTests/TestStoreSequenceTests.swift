import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A test store reduces what a store reduces, and each sequence in its order. Sequences that run
/// side by side may go on in another order: some wait until a test has received an action.
@Suite("The order of sequences in a test store")
struct TestStoreSequenceTests {
  /// What an effect is made of. Numbers are the notes that it sends.
  indirect enum Script: Equatable, Sendable {
    case send(Int), task(Int), run(Int, Int), cancel(id: Int)
    case merge([Script]), concatenate([Script])
    case cancellable(Script, id: Int, cancelInFlight: Bool)
    case limited(Script)

    var effect: Effect<Notes.Action> {
      switch self {
      case .send(let note): .send(.note(note))
      case .task(let note): .task(name: "task") { .note(note) }
      case .run(let first, let second):
        .run(name: "run") { send in
          send(.note(first))
          send(.note(second))
        }
      case .cancel(let id): .cancel(id: id)
      case .merge(let members): .merge(members.map(\.effect))
      case .concatenate(let members): .concatenate(members.map(\.effect))
      case .cancellable(let script, let id, let cancelInFlight):
        script.effect.cancellable(id: id, cancelInFlight: cancelInFlight)
      case .limited(let script): script.effect.limited(id: "one", whenFull: .wait)
      }
    }

    /// The notes that it sends, at most.
    var notes: [Int] {
      switch self {
      case .send(let note), .task(let note): [note]
      case .run(let first, let second): [first, second]
      case .cancel: []
      case .merge(let members), .concatenate(let members): members.flatMap(\.notes)
      case .cancellable(let script, _, _), .limited(let script): script.notes
      }
    }

    /// Whether each sequence has sent its notes in its order.
    func isInOrder(_ places: [Int: Int]) -> Bool {
      switch self {
      case .send, .task, .cancel: return true
      case .run(let first, let second):
        guard let first = places[first], let second = places[second] else { return true }
        return first < second
      case .cancellable(let script, _, _), .limited(let script): return script.isInOrder(places)
      case .merge(let members): return members.allSatisfy { $0.isInOrder(places) }
      case .concatenate(let members):
        var last = -1
        for member in members {
          let own = member.notes.compactMap { places[$0] }
          guard member.isInOrder(places), own.allSatisfy({ $0 > last }) else { return false }
          last = own.max() ?? last
        }
        return true
      }
    }

    static func generated(
      _ random: inout SeededRandom, _ note: inout Int, depth: Int
    ) -> Script {
      note += 2
      switch Int.random(in: 0..<(depth == 0 ? 3 : 9), using: &random) {
      case 0: return .send(note)
      case 1: return .task(note)
      case 2: return .run(note, note + 1)
      case 3, 4: return .merge(members(&random, &note, depth: depth))
      // A `.send` takes no time that a limit could share out.
      case 5: return .limited(Bool.random(using: &random) ? .task(note) : .run(note, note + 1))
      case 6, 7: return .concatenate(members(&random, &note, depth: depth))
      default:
        return .cancellable(
          generated(&random, &note, depth: depth - 1), id: Int.random(in: 0...1, using: &random),
          cancelInFlight: Bool.random(using: &random))
      }
    }

    private static func members(
      _ random: inout SeededRandom, _ note: inout Int, depth: Int
    ) -> [Script] {
      var scripts: [Script] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        scripts.append(generated(&random, &note, depth: depth - 1))
      }
      return scripts
    }
  }

  struct Notes: Reducer {
    enum Action: Equatable, Sendable { case begin([Script]), note(Int) }

    func reduce(_ state: inout [Int], _ action: Action, _: Void) -> [Effect<Action>] {
      switch action {
      case .begin(let scripts): return scripts.map(\.effect)
      case .note(let note):
        state.append(note)
        return []
      }
    }
  }

  private static func ofStore(_ scripts: [Script]) -> [Int] {
    let executor = ManualExecutor()
    let store = Store(initialState: [], reducer: Notes(), executor: executor)
    store.send(.begin(scripts))
    executor.run()
    return store.state
  }

  private static func ofTestStore(_ scripts: [Script], _ timePasses: Bool) -> [Int] {
    let clock = TestClock()
    let store = NonExhaustiveTestStore(
      initialState: [], reducer: Notes(), clock: clock, report: { Issue.record("\($0)") })
    store.send(.begin(scripts))
    if timePasses { store.advance(by: .seconds(1)) }
    for _ in 0..<40 { store.skipReceivedActions(strict: false) }
    store.finish()
    return store.state
  }

  @Test("R2 generated sequences are reduced in their order, and nothing is lost", arguments: 1...4)
  func generated(part: UInt64) {
    for seed in part * 1000..<part * 1000 + 250 {
      var random = SeededRandom(seed: seed)
      var note = 0
      let scripts = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        Script.generated(&random, &note, depth: 3)
      }
      let expected = Self.ofStore(scripts)
      for timePasses in [false, true] {
        let notes = Self.ofTestStore(scripts, timePasses)
        let places = Dictionary(uniqueKeysWithValues: zip(notes, notes.indices))
        #expect(notes.sorted() == expected.sorted(), "seed \(seed): \(scripts)")
        #expect(scripts.allSatisfy { $0.isInOrder(places) }, "seed \(seed): \(scripts) \(notes)")
      }
    }
  }

  @Test(
    "R2 R5 what follows work beside a send in a sequence comes after the actions of the work",
    arguments: [
      ([.concatenate([.merge([.send(1), .task(2)]), .send(3)])], [1, 2, 3]),
      ([.concatenate([.merge([.send(1), .run(2, 3)]), .send(4)])], [1, 2, 3, 4]),
      ([.send(1), .concatenate([.task(2), .send(3)])], [1, 2, 3]),
      (
        [
          .concatenate([
            .merge([.send(1), .cancellable(.task(2), id: 1, cancelInFlight: false)]),
            .cancel(id: 1),
          ])
        ], [1, 2]
      ),
      ([.concatenate([.send(1), .task(2), .send(3)])], [1, 2, 3]),
      ([.concatenate([.task(1), .merge([.task(2), .send(3)])])], [1, 3, 2]),
      (
        [
          .concatenate([
            .merge([.task(1), .run(2, 3), .send(4)]), .merge([.send(5), .cancel(id: 9)]),
          ])
        ], [4, 1, 2, 3, 5]
      ),
      (
        [
          .concatenate([
            .merge([.task(1), .run(2, 3), .send(4)]), .cancel(id: 9), .send(5),
          ])
        ], [4, 1, 2, 3, 5]
      ),
    ] as [([Script], [Int])])
  func beside(scripts: [Script], notes: [Int]) {
    #expect(Self.ofStore(scripts) == notes)
    #expect(Self.ofTestStore(scripts, false) == notes)
    #expect(Self.ofTestStore(scripts, true) == notes)
  }

  /// An action requests work under a limit whose permit an effect with a waiting action has.
  private struct Limited: Reducer {
    let overflow: OverflowPolicy
    let sendsMore: Bool

    func reduce(_ state: inout [String], _ action: String, _: Void) -> [Effect<String>] {
      state.append(action)
      switch action {
      case "begin":
        return [
          .task { "tick" }, .task { "other" }.limited(id: "one", whenFull: overflow),
        ]
      case "tick":
        let more: Effect<String> = sendsMore ? .send("more") : .task { "more" }
        return [more.limited(id: "one", whenFull: overflow)]
      default: return []
      }
    }
  }

  @Test(
    "R2 a permit is returned with the last action of its effect",
    arguments: [
      (.drop, false, ["begin", "tick", "other"]),
      (.cancelOldest, false, ["begin", "tick", "more"]),
      (.wait, false, ["begin", "tick", "other", "more"]),
      (.wait, true, ["begin", "tick", "other", "more"]),
    ] as [(OverflowPolicy, Bool, [String])])
  func permits(overflow: OverflowPolicy, sendsMore: Bool, actions: [String]) {
    let reducer = Limited(overflow: overflow, sendsMore: sendsMore)
    let executor = ManualExecutor()
    let store = Store(initialState: [], reducer: reducer, executor: executor)
    store.send("begin")
    executor.run()
    #expect(store.state == actions)
    let test = TestStore(initialState: [], reducer: reducer, report: { Issue.record("\($0)") })
    test.send("begin") { $0 = ["begin"] }
    for count in 2...actions.count {
      test.receive(actions[count - 1]) { $0 = Array(actions.prefix(count)) }
    }
    test.finish()
  }

  @Test("R2 a group keeps its permit until the last of its actions is received")
  func permitOfGroup() {
    let reducer = Reduce<[String], String, Void> { state, action, _ in
      state.append(action)
      switch action {
      case "begin":
        return [.merge(.task { "a" }, .run { _ in }).limited(id: "one", whenFull: .drop)]
      case "a": return [.task { "more" }.limited(id: "one", whenFull: .drop)]
      default: return []
      }
    }
    let executor = ManualExecutor()
    let store = Store(initialState: [], reducer: reducer, executor: executor)
    store.send("begin")
    executor.run()
    #expect(store.state == ["begin", "a"])
    let test = TestStore(initialState: [], reducer: reducer, report: { Issue.record("\($0)") })
    test.send("begin") { $0 = ["begin"] }
    test.receive("a") { $0 = ["begin", "a"] }
    test.finish()
  }

  @Test("R2 R5 a cancel in a sequence under a limit waits for the permit's last action")
  func cancelUnderLimit() {
    let reducer = Reduce<[String], String, Void> { state, action, _ in
      state.append(action)
      guard action == "begin" else { return [] }
      return [
        .task { "a" }.cancellable(id: "s").limited(id: "one", whenFull: .wait),
        .concatenate(.cancel(id: "s"), .task { "b" }).limited(id: "one", whenFull: .wait),
      ]
    }
    let test = TestStore(initialState: [], reducer: reducer, report: { Issue.record("\($0)") })
    test.send("begin") { $0 = ["begin"] }
    test.receive("a") { $0 = ["begin", "a"] }
    test.receive("b") { $0 = ["begin", "a", "b"] }
    test.finish()
  }

  @Test("R2 what waits for a permit starts when time passes, before the action is received")
  func permitsWithTime() {
    let clock = TestClock()
    let reducer = Reduce<[String], String, Void> { state, action, _ in
      state.append(action)
      guard action == "begin" else { return [] }
      return [
        .task { "first" }.limited(id: "one", whenFull: .wait),
        .task {
          try await clock.sleep(for: .seconds(1))
          return "second"
        }.limited(id: "one", whenFull: .wait),
      ]
    }
    let test = TestStore(
      initialState: [], reducer: reducer, clock: clock, report: { Issue.record("\($0)") })
    test.send("begin") { $0 = ["begin"] }
    test.advance(by: .seconds(1))
    test.receive("first") { $0 = ["begin", "first"] }
    test.receive("second") { $0 = ["begin", "first", "second"] }
    test.finish()
  }
}
