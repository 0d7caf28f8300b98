import SwiftBoardBoard

enum DatabaseMigrations {
  /// The migrations, each to the next version of the board's recordings.
  static let all = [labels, conditions, imports, largeTexts]

  /// In schema 2, the payloads of actions were numbered.
  private static let labels = LogMigration(
    from: 2,
    labels: LogMigration.commandLabels + [
      ("run.command.put", [(2, "body")]),
      ("run.command.list", [(0, "query")]),
      ("run.command.preferenceGet", [(0, "name")]),
      ("run.command.preferenceUnset", [(0, "name")]),
      ("run.command.backup", [(0, "path")]),
      ("succeeded.result.document", [(0, "document")]),
      ("succeeded.result.documents", [(0, "documents")]),
      ("succeeded.result.removed", [(0, "name")]),
      ("succeeded.result.preference", [(0, "preference")]),
      ("succeeded.result.preferences", [(0, "preferences")]),
      ("succeeded.result.statistics", [(0, "statistics")]),
      ("succeeded.result.backedUp", [(0, "path")]),
      ("succeeded.result.paths", [(0, "paths")]),
      ("run.command.put.body.json", [(0, "text")]),
      ("run.command.put.body.file", [(0, "path")]),
    ])

  /// Up to schema 4, the value of a condition was JSON text.
  private static let conditions = LogMigration(
    from: 4, parsing: ["run.command.list.query.conditions.*.equals"])

  /// Up to schema 5, features did not read again what an import replaced.
  private static let imports = LogMigration(
    from: 5,
    editAction: { action in
      for name in ["checked", "imported"] where action[name] != nil {
        action[name]["request"]["isReread"] = false
      }
    })

  /// Up to schema 5, a command with a large text waited for the names as well.
  private static let largeTexts = LogMigration(
    from: 5,
    editAction: { action in
      guard let command = action["run"]["command"] else { return }
      let text = command["put"]["body"]["json"]["text"] ?? command["preferenceSet"]["json"]
      guard let count = text?.stringValue?.utf8.count, count > DatabaseState.largestDocument else {
        return
      }
      action["run"]["waits"] = true
    })
}
