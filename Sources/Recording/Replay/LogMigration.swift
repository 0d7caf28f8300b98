import SwiftBoardJSON

/// A change of form between versions of a program, applied to logged values before they are
/// decoded.
public struct LogMigration: Sendable {
  /// The schema version to migrate from. A migration leads to the next version.
  public let from: Int
  /// The part of the program that has these versions, or `nil` for the whole program.
  public let part: String?
  /// Migrates an action, or returns it unchanged. Throws if the action cannot be migrated.
  public let action: @Sendable (JSON) throws -> JSON
  /// Migrates the state of the header or of a snapshot.
  public let state: @Sendable (JSON) throws -> JSON
  /// Returns the effects that the program now returns for a step, from its migrated action and its
  /// recorded effects.
  public let effects: @Sendable (_ action: JSON, _ effects: [LogEffect]) -> [LogEffect]
  /// Returns whether an action, before its migration, leads to another state than it did in the
  /// version to migrate from. Digests of the steps from this one on are not compared.
  public let changesState: @Sendable (_ action: JSON) -> Bool

  /// Creates a migration of actions and states.
  ///
  /// - Parameters:
  ///   - from: The version to migrate from. Migrations are applied in the order of versions up to
  ///     the program's own, and migrations of one version in the given order.
  ///   - part: The part of the program that has this version; see `LogSchema.parts`. Migrations of
  ///     parts are applied after those of the whole program.
  ///   - action: Migrates an action.
  ///   - state: Migrates the state of the header or of a snapshot.
  ///   - effects: Returns the effects of a step, from its migrated action and its recorded effects.
  ///   - changesState: Returns whether an action, before its migration, leads to another state than
  ///     it did in this version. Digests of the steps from this one on are not compared.
  public init(
    from: Int, part: String? = nil, action: @escaping @Sendable (JSON) throws -> JSON,
    state: @escaping @Sendable (JSON) throws -> JSON = { $0 },
    effects: @escaping @Sendable (_ action: JSON, _ effects: [LogEffect]) -> [LogEffect] = { $1 },
    changesState: @escaping @Sendable (_ action: JSON) -> Bool = { _ in false }
  ) {
    self.from = from
    self.part = part
    self.changesState = changesState
    self.effects = effects
    self.action = action
    self.state = state
  }

  /// Creates a migration that changes actions and states in place.
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
  /// An edit that does not apply changes nothing (see `JSON.subscript(key:)`), so actions of other
  /// cases stay unchanged.
  ///
  /// - Parameters:
  ///   - from: The version to migrate from; see the other initializer, also for `part`.
  ///   - editAction: Changes an action. Throws if the action cannot be migrated.
  ///   - editState: Changes the state of the header or of a snapshot.
  ///   - editEffects: Changes the effects of a step, which has the given migrated action. For
  ///     effects that the program did not return at that time, or no longer returns.
  ///   - changesState: Returns whether an action leads to another state; see the other initializer.
  public init(
    from: Int, part: String? = nil,
    editAction: @escaping @Sendable (inout JSON) throws -> Void = { _ in },
    editState: @escaping @Sendable (inout JSON) throws -> Void = { _ in },
    editEffects: @escaping @Sendable (_ action: JSON, inout [LogEffect]) -> Void = { _, _ in },
    changesState: @escaping @Sendable (_ action: JSON) -> Bool = { _ in false }
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
      },
      changesState: changesState)
  }
}
