import SwiftBoardJSON
import SwiftBoardStore

/// Runs a reducer through recorded actions, in a test that was exported from a recording; see
/// `LogTestExport`.
///
/// Effects do not run. The reducer draws the recorded values if its generators draw through
/// `journal`.
public struct RecordedRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  private let replay: StepReplay<R>
  private let userInfo: [CodingUserInfoKey: any Sendable]
  /// The state after the last step.
  public private(set) var state: R.State

  /// - Parameters:
  ///   - state: The initial state of the recording, as JSON.
  ///   - userInfo: The `userInfo` of the decoder of states and actions.
  /// - Throws: The errors of decoding.
  public init(
    reducer: R, dependencies: R.Dependencies, journal: DrawJournal, state: String,
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    self.userInfo = userInfo
    replay = StepReplay(reducer, dependencies, journal)
    self.state = try CanonicalDecoder.decode(
      R.State.self, from: Array(state.utf8), userInfo: userInfo)
  }

  /// Reduces an action. Returns the differences from the recording, one line each.
  ///
  /// - Parameters:
  ///   - draws: The recorded draws, in order.
  ///   - effects: The descriptions of the returned effects as `LogEffect`, with all ids or, in
  ///     tests exported from older recordings, with the first id only.
  ///   - changes: The paths of the state that the step changed, with their new values as JSON, or
  ///     `nil` for a removed value.
  ///   - expected: The whole state after the step, as JSON.
  /// - Throws: The errors of decoding the action or encoding the state.
  public mutating func step(
    _ action: String, draws: [LoggedDraw] = [], effects: [String] = [],
    changes: KeyValuePairs<String, String?>? = nil, state expected: String? = nil
  ) throws -> [String] {
    let action = try CanonicalDecoder.decode(
      R.Action.self, from: Array(action.utf8), userInfo: userInfo)
    let before = try json()
    let replayed = replay.reduce(action, into: &state, serving: draws)
    var problems = replayed.mismatch.map { ["draws: \($0)"] } ?? []

    let effectsFound = replayed.descriptors.map { LogEffect($0) }.withoutNothing
    let found = effectsFound.map(\.description)
    if found != effects, effectsFound.withFirstIDs.map(\.description) != effects {
      problems.append("effects: expected \(effects), found \(found)")
    }

    let after = try json()
    if let changes {
      let found = StateDiff.changedPaths(before, after, limit: .max)
      problems += difference(expected: Array(changes), found: found)
    }
    if let expected {
      let recorded = try JSON(parsing: expected)
      if canonical(recorded) != canonical(after) {
        problems += StateDiff.changes(recorded, after).description
          .split(separator: "\n").map { "state: \($0)" }
      }
    }
    return problems
  }

  private func json() throws -> JSON {
    try JSON(parsing: try CanonicalEncoder.encode(state))
  }

  private func difference(
    expected: [(key: String, value: String?)], found: [StateDiff.Change]
  ) -> [String] {
    var problems: [String] = []
    var left = Dictionary(
      found.map { ($0.path, $0.new?.description) }, uniquingKeysWith: { $1 })
    for (path, value) in expected {
      guard let now = left.removeValue(forKey: path) else {
        problems.append("state: \(path) did not change, expected \(value ?? "nothing")")
        continue
      }
      if now != value {
        problems.append("state: \(path) is \(now ?? "nothing"), expected \(value ?? "nothing")")
      }
    }
    for (path, now) in left.sorted(by: { $0.key < $1.key }) {
      problems.append("state: \(path) changed to \(now ?? "nothing"), expected no change")
    }
    return problems
  }
}
