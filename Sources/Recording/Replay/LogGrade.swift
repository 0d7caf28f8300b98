import SwiftBoardJSON

/// A change of form between versions of a program, applied to what was logged before anything is
/// decoded.
public struct LogMigration: Sendable {
  /// The schema version it starts from; it leads to the next one.
  public let from: Int
  /// The part of the program whose versions these are; `nil`: the whole program's.
  public let part: String?
  /// Called for every action; returns it unchanged where nothing is to be done. A throw means the
  /// action cannot be migrated.
  public let action: @Sendable (JSON) throws -> JSON
  /// Called for the state in the header and in snapshots.
  public let state: @Sendable (JSON) throws -> JSON
  /// The effects that the program returns now for a step, from its migrated action and the effects
  /// it had.
  public let effects: @Sendable (_ action: JSON, _ effects: [LogEffect]) -> [LogEffect]

  /// A migration of actions, and of states where they change too.
  ///
  /// - Parameters:
  ///   - from: The version it starts from. Those of all versions lead up to the program's own, in
  ///     the order of versions, then in theirs.
  ///   - part: The part of the program whose version it is: see `LogSchema.parts`. What changes a
  ///     part comes after all that changes the whole.
  public init(
    from: Int, part: String? = nil, action: @escaping @Sendable (JSON) throws -> JSON,
    state: @escaping @Sendable (JSON) throws -> JSON = { $0 },
    effects: @escaping @Sendable (_ action: JSON, _ effects: [LogEffect]) -> [LogEffect] = { $1 }
  ) {
    self.from = from
    self.part = part
    self.effects = effects
    self.action = action
    self.state = state
  }

  /// A migration that changes actions and states in place.
  ///
  /// ```swift
  /// LogMigration(
  ///   from: 2,
  ///   editAction: { action in
  ///     action.rename("pay", to: "deposit")
  ///     action["deposit"]["note"] = nil
  ///   },
  ///   editState: { $0["deposits"] = 0 })
  /// ```
  /// An edit that does not fit changes nothing (see `JSON.subscript(key:)`), so that actions of
  /// other cases stay as they are.
  ///
  /// - Parameters:
  ///   - from: The version it starts from; see the other initialiser, as for `part`.
  ///   - editAction: Called for every action. A throw means that the action cannot be migrated.
  ///   - editState: Called for the state in the header and in snapshots.
  ///   - editEffects: Called for the effects of every step, with its migrated action: for effects
  ///     that the program did not return then, or does not any more.
  public init(
    from: Int, part: String? = nil,
    editAction: @escaping @Sendable (inout JSON) throws -> Void = { _ in },
    editState: @escaping @Sendable (inout JSON) throws -> Void = { _ in },
    editEffects: @escaping @Sendable (_ action: JSON, inout [LogEffect]) -> Void = { _, _ in }
  ) {
    self.init(
      from: from, part: part,
      action: {
        var action = $0
        try editAction(&action)
        return action
      },
      state: {
        var state = $0
        try editState(&state)
        return state
      },
      effects: {
        var effects = $1
        editEffects($0, &effects)
        return effects
      })
  }
}

/// A line that decodes, but not to the same again.
public struct LogRisk: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// The step; 0 for the state in the header.
  public let step: Int
  /// `old` is what was logged, `new` what the program makes of it: nothing where it was dropped; an
  /// `old` of nothing was filled in by a default.
  public let changes: [StateDiff.Change]
  /// The file that the line is in, where a recording has several.
  public var file: String?

  public var description: String {
    let what = step == 0 ? "the state" : "the action of step \(step)"
    let entries = changes.map { change in
      switch (change.old, change.new) {
      case (_?, nil): "\(change.path) is dropped (\(StateDiff.text(change.old)))"
      case (nil, _?): "\(change.path) is filled in with \(StateDiff.text(change.new))"
      default:
        "\(change.path) becomes \(StateDiff.text(change.new)), was \(StateDiff.text(change.old))"
      }
    }
    return
      "line \(line)\(file.map { " of \($0)" } ?? ""), \(what): \(entries.joined(separator: "; "))"
  }
}

/// Whether a log fits the program that is to replay it.
public enum LogGrade: Sendable, Hashable, CustomStringConvertible {
  /// Every line decodes to the same JSON again.
  case fine
  /// Every line decodes, but something was dropped or filled in. At most 20 lines are named, `more`
  /// is how many others there are.
  case risky([LogRisk], more: Int)

  public var description: String {
    switch self {
    case .fine: return "fine"
    case .risky(let risks, let more):
      let lines = risks.map(\.description) + (more > 0 ? ["and \(more) more lines"] : [])
      return "risky: " + lines.joined(separator: "\n")
    }
  }
}

/// A line that does not decode: the log cannot be replayed by this program.
public struct LogObstacle: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// The offset at which the line begins, in bytes.
  public let offset: Int
  /// The step; 0 for the state in the header.
  public let step: Int
  /// The expected and the found value, with the path.
  public let reason: String
  /// The logged value.
  public let found: JSON
  /// The file that the line is in, where a recording has several.
  public var file: String?

  public var description: String {
    let what = step == 0 ? "the state" : "the action of step \(step)"
    return
      "line \(line)\(file.map { " of \($0)" } ?? ""), byte \(offset): \(what) does not decode: \(reason); found \(StateDiff.text(found))"
  }
}
