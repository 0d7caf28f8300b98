import SwiftBoardBoard

enum LogMigrations {
  /// The migrations, each to the next version of the board's recordings.
  static let all = [labels, parts]

  /// In schema 2, the payloads of actions were numbered.
  private static let labels = LogMigration(
    from: 2,
    labels: LogMigration.commandLabels + [
      ("run.command.tail", [(0, "query")]),
      ("run.command.level", [(0, "level")]),
      ("run.command.note", [(0, "text")]),
      ("run.command.export", [(0, "path")]),
      ("run.command.redactTest", [(0, "text")]),
      ("succeeded.result.records", [(0, "records")]),
      ("succeeded.result.level", [(0, "level")]),
      ("succeeded.result.statistics", [(0, "statistics")]),
      ("succeeded.result.redacted", [(0, "text")]),
    ])

  /// Up to schema 4, one action held all records.
  private static let parts = LogMigration(
    from: 4,
    editEffects: { action, effects in
      guard let limit = action["run"]["command"]["tail"]["query"]["limit"]?.intValue,
        limit > LogQuery.page
      else { return }
      for index in effects.indices where effects[index].name == "log.tail" {
        effects[index] = LogEffect(name: "log.tail.parts", ids: effects[index].ids, kind: "run")
      }
    })
}
