import SwiftBoardBoard

enum KeychainMigrations {
  /// The migrations, each to the next version of the board's recordings.
  static let all = [labels, autoLock]

  /// In schema 2, the payloads of actions were numbered.
  private static let labels = LogMigration(
    from: 2,
    labels: LogMigration.commandLabels + [
      ("run.command.set", [(1, "input")]),
      ("succeeded.result.created", [(0, "status")]),
      ("succeeded.result.status", [(0, "status")]),
      ("succeeded.result.checked", [(0, "status")]),
      ("succeeded.result.accepted", [(0, "acceptance")]),
      ("succeeded.result.names", [(0, "names")]),
      ("succeeded.result.warned", [(0, "warning"), (1, "result")]),
      ("run.command.set.input.file", [(0, "path")]),
      ("succeeded.result.warned.result.created", [(0, "status")]),
      ("succeeded.result.warned.result.status", [(0, "status")]),
      ("succeeded.result.warned.result.checked", [(0, "status")]),
      ("succeeded.result.warned.result.accepted", [(0, "acceptance")]),
      ("succeeded.result.warned.result.names", [(0, "names")]),
    ])

  /// Up to schema 4, a task answered `keychain autolock`.
  private static let autoLock = LogMigration(
    from: 4,
    editEffects: { action, effects in
      guard action["run"]["command"]["autoLock"] != nil else { return }
      effects = effects.map { _ in LogEffect(name: "send", kind: "send") }
    })
}
