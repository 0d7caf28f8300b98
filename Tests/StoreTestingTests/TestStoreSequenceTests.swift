import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A test store reduces in the order of a store: groups of effects, generated, go to both. None has
/// a `.cancel`: what follows the work before one waits until a test has received its actions, while
/// other sequences go on.
@Suite("The order of sequences in a test store")
struct TestStoreSequenceTests {
  /// What an effect is made of. Numbers are the notes that it sends.
  indirect enum Script: Equatable, Sendable {
    case send(Int), task(Int), run(Int, Int), cancel(id: Int)
    case merge([Script]), concatenate([Script])
    case cancellable(Script, id: Int, cancelInFlight: Bool)

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
      }
    }

    static func generated(
      _ random: inout SeededRandom, _ note: inout Int, depth: Int
    ) -> Script {
      note += 2
      switch Int.random(in: 0..<(depth == 0 ? 3 : 8), using: &random) {
      case 0: return .send(note)
      case 1: return .task(note)
      case 2: return .run(note, note + 1)
      case 3, 4: return .merge(members(&random, &note, depth: depth))
      case 5, 6: return .concatenate(members(&random, &note, depth: depth))
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

  @Test("R2 generated groups of effects are reduced as a store reduces them", arguments: 1...4)
  func generated(part: UInt64) {
    for seed in part * 1000..<part * 1000 + 250 {
      var random = SeededRandom(seed: seed)
      var note = 0
      let scripts = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        Script.generated(&random, &note, depth: 3)
      }
      let expected = Self.ofStore(scripts)
      #expect(Self.ofTestStore(scripts, false) == expected, "seed \(seed): \(scripts)")
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
    ] as [([Script], [Int])])
  func beside(scripts: [Script], notes: [Int]) {
    #expect(Self.ofStore(scripts) == notes)
    #expect(Self.ofTestStore(scripts, false) == notes)
    #expect(Self.ofTestStore(scripts, true) == notes)
  }
}
