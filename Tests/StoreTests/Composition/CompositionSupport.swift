import SwiftBoardStore
import SwiftBoardTesting

/// A counter with an effect that never ends by itself, and one that ends when the test opens a
/// gate.
struct Ticker: Reducer {
  struct State: Sendable, Equatable, Identifiable, Codable {
    var id = 0
    var count = 0
  }

  enum Action: Sendable, Equatable, Codable {
    case add(Int)
    /// Starts an effect under the id "tick" that sends `tick` once the gate opens.
    case start
    case stop
    case tick
    /// Changes what the parent tells it by.
    case become(Int)
  }

  struct Dependencies: Sendable {
    var gate = Gate()
  }

  func reduce(_ state: inout State, _ action: Action, _ dependencies: Dependencies)
    -> [Effect<Action>]
  {
    switch action {
    case .add(let amount): state.count += amount
    case .start:
      return [
        .task(name: "ticking") {
          try await dependencies.gate.wait()
          return .tick
        }
        .cancellable(id: "tick")
      ]
    case .stop: return [.cancel(id: "tick")]
    case .tick: state.count += 1
    case .become(let id):
      state.id = id
      return [
        .task(name: "became") {
          try await dependencies.gate.wait()
          return .tick
        }
      ]
    }
    return []
  }
}

/// A store whose effects run when told to, with the issues it raised.
struct Scene<R: Reducer> where R.Dependencies == Ticker.Dependencies {
  let executor = ManualExecutor()
  let issues = Journal<StoreIssue>()
  let gate = Gate()
  let store: Store<R>

  init(_ state: R.State, _ reducer: R) {
    let issues = issues
    store = Store(
      initialState: state, reducer: reducer, dependencies: Ticker.Dependencies(gate: gate),
      executor: executor, onIssue: { issues.note($0) })
  }

  var state: R.State { store.state }
  /// The names and ids of what runs.
  var running: [String] {
    store.effects.filter { $0.phase == .running }.map { $0.descriptor.id ?? $0.descriptor.name }
  }

  /// Lets every effect that was not cancelled send what it has to send.
  func openGate() {
    executor.run()
    gate.open()
    executor.run()
  }

  func send(_ actions: R.Action...) {
    for action in actions { store.send(action) }
    executor.run()
  }
}

/// The address of an array's elements, which changes when they are copied.
func address<Element>(_ array: [Element]) -> UInt? {
  array.withUnsafeBufferPointer { $0.baseAddress.map { UInt(bitPattern: $0) } }
}

func address<Element>(_ array: ContiguousArray<Element>) -> UInt? {
  array.withUnsafeBufferPointer { $0.baseAddress.map { UInt(bitPattern: $0) } }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON with sorted keys.
func encoded(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func decoded<Value: Decodable>(_ text: String) throws -> Value {
  try JSONDecoder().decode(Value.self, from: Array(text.utf8).withUnsafeBytes { Data($0) })
}
