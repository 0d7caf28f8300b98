import SwiftBoardBoard
import SwiftBoardJSON
import SwiftBoardRecording

enum APIMigrations {
  /// Each leads one version of the board's recordings up.
  static let all = [labels, answers]

  /// Schema 2 numbered the payloads of actions.
  private static let labels = LogMigration(
    from: 2,
    labels: LogMigration.commandLabels + [
      ("answered", [(1, "request"), (2, "answer")]),
      ("run.command.request", [(0, "request")]),
      ("run.command.runSaved", [(1, "items")]),
      ("run.command.serviceAdd", [(0, "service")]),
      ("run.command.serviceShow", [(0, "name")]),
      ("run.command.serviceRemove", [(0, "name")]),
      ("run.command.serviceTest", [(0, "name")]),
      ("run.command.recent", [(0, "text")]),
      ("succeeded.result.service", [(0, "service")]),
      ("succeeded.result.services", [(0, "services")]),
      ("succeeded.result.added", [(0, "service")]),
      ("succeeded.result.removed", [(0, "name")]),
      ("succeeded.result.recent", [(0, "searches")]),
      ("succeeded.result.cache", [(0, "responses")]),
      ("succeeded.result.cleared", [(0, "count")]),
      ("succeeded.result.cancelled", [(0, "jobs")]),
    ])

  /// Up to schema 4 an answer repeated its request, of which it needs what of it is shown.
  private static let answers = LogMigration(
    from: 4,
    editAction: { action in
      guard let request = action["answered"]["request"] else { return }
      var view: [JSON.Member] = []
      for name in ["shown", "isPretty", "select"] {
        guard let value = request[name], name != "shown" || value != "body" else { continue }
        view.append(.init(name, value))
      }
      if !view.isEmpty { action["answered"]["answer"]["view"] = .object(view) }
      action["answered"]["request"] = nil
    })
}
