import SwiftBoardJSON
import SwiftBoardRecording

extension BoardFeatures {
  /// From the first schema to the present one; each leads one version up.
  static let migrations = [labels, recordingEffects, answers]

  /// Schema 2 numbered the payloads of actions (`_0`), and had one more around the action of a
  /// feature.
  private static let labels = LogMigration(
    from: 2,
    editAction: { action in
      for feature in ["shell", "api", "keychain", "db", "log", "session"] {
        if let own = action[feature]["_0"] { action[feature] = own }
      }
      for (path, labels) in payloads {
        for (number, label) in labels { action.rename("_\(number)", to: label, at: path) }
      }
    })

  /// Up to schema 3 recordings were begun, marked, ended and left for forks beside the store, and
  /// no effect did it.
  private static let recordingEffects = LogMigration(
    from: 3,
    editEffects: { action, effects in
      let asked = action["session"]["run"]["command"]
      for command in ["record", "stop", "status", "mark"] where asked[command] != nil {
        effects.append(LogEffect(name: "session.\(command)", kind: "task"))
      }
      if action["session"]["succeeded"]["result"]["forked"]["fork"]["isContinued"] == true {
        effects.append(LogEffect(name: "session.resume", kind: "run"))
      }
    })

  /// Up to schema 4 an answer repeated its request, of which it needs what of it is shown.
  private static let answers = LogMigration(
    from: 4,
    editAction: { action in
      guard let request = action["api"]["answered"]["request"] else { return }
      var view: [JSON.Member] = []
      for name in ["shown", "isPretty", "select"] {
        guard let value = request[name], name != "shown" || value != "body" else { continue }
        view.append(.init(name, value))
      }
      if !view.isEmpty { action["api"]["answered"]["answer"]["view"] = .object(view) }
      action["api"]["answered"]["request"] = nil
    })

  /// Labels by the numbers they replace, from the whole action inwards.
  private static let payloads: [(path: JSONPathPattern, labels: [(number: Int, label: String)])] =
    labelsByPath.map { row in
      (
        JSONPathPattern(row.path.split(separator: ".").map { $0 == "*" ? .any : .key(String($0)) }),
        row.labels
      )
    }

  private typealias Row = (path: String, labels: [(number: Int, label: String)])

  private static let labelsByPath: [Row] = [
    ("log.run", [(0, "context"), (1, "command")]),
    ("log.succeeded", [(1, "result")]),
    ("log.failed", [(1, "failure")]),
    ("db.run", [(0, "context"), (1, "command")]),
    ("db.succeeded", [(1, "result")]),
    ("db.failed", [(1, "failure")]),
    ("api.run", [(0, "context"), (1, "command")]),
    ("api.answered", [(1, "request"), (2, "answer")]),
    ("api.succeeded", [(1, "result")]),
    ("api.failed", [(1, "failure")]),
    ("keychain.run", [(0, "context"), (1, "command")]),
    ("keychain.succeeded", [(1, "result")]),
    ("keychain.failed", [(1, "failure")]),
    ("shell.run", [(0, "context"), (1, "command")]),
    ("shell.reject", [(0, "context"), (1, "failure")]),
    ("session.run", [(0, "context"), (1, "command"), (2, "moment")]),
    ("session.printed", [(1, "text")]),
    ("session.printedBytes", [(1, "base64")]),
    ("session.progress", [(1, "text")]),
    ("session.succeeded", [(1, "result")]),
    ("session.failed", [(1, "failure")]),
    ("log.run.command.tail", [(0, "query")]),
    ("log.run.command.level", [(0, "level")]),
    ("log.run.command.note", [(0, "text")]),
    ("log.run.command.export", [(0, "path")]),
    ("log.run.command.redactTest", [(0, "text")]),
    ("log.succeeded.result.records", [(0, "records")]),
    ("log.succeeded.result.level", [(0, "level")]),
    ("log.succeeded.result.statistics", [(0, "statistics")]),
    ("log.succeeded.result.redacted", [(0, "text")]),
    ("db.run.command.put", [(2, "body")]),
    ("db.run.command.list", [(0, "query")]),
    ("db.run.command.preferenceGet", [(0, "name")]),
    ("db.run.command.preferenceUnset", [(0, "name")]),
    ("db.run.command.backup", [(0, "path")]),
    ("db.succeeded.result.document", [(0, "document")]),
    ("db.succeeded.result.documents", [(0, "documents")]),
    ("db.succeeded.result.removed", [(0, "name")]),
    ("db.succeeded.result.preference", [(0, "preference")]),
    ("db.succeeded.result.preferences", [(0, "preferences")]),
    ("db.succeeded.result.statistics", [(0, "statistics")]),
    ("db.succeeded.result.backedUp", [(0, "path")]),
    ("db.succeeded.result.paths", [(0, "paths")]),
    ("api.run.command.request", [(0, "request")]),
    ("api.run.command.runSaved", [(1, "items")]),
    ("api.run.command.serviceAdd", [(0, "service")]),
    ("api.run.command.serviceShow", [(0, "name")]),
    ("api.run.command.serviceRemove", [(0, "name")]),
    ("api.run.command.serviceTest", [(0, "name")]),
    ("api.run.command.recent", [(0, "text")]),
    ("api.succeeded.result.service", [(0, "service")]),
    ("api.succeeded.result.services", [(0, "services")]),
    ("api.succeeded.result.added", [(0, "service")]),
    ("api.succeeded.result.removed", [(0, "name")]),
    ("api.succeeded.result.recent", [(0, "searches")]),
    ("api.succeeded.result.cache", [(0, "responses")]),
    ("api.succeeded.result.cleared", [(0, "count")]),
    ("api.succeeded.result.cancelled", [(0, "jobs")]),
    ("keychain.run.command.set", [(1, "input")]),
    ("keychain.succeeded.result.created", [(0, "status")]),
    ("keychain.succeeded.result.status", [(0, "status")]),
    ("keychain.succeeded.result.checked", [(0, "status")]),
    ("keychain.succeeded.result.accepted", [(0, "acceptance")]),
    ("keychain.succeeded.result.names", [(0, "names")]),
    ("keychain.succeeded.result.warned", [(0, "warning"), (1, "result")]),
    ("shell.run.command.echo", [(0, "words")]),
    ("shell.run.command.assert", [(0, "condition")]),
    ("shell.run.command.help", [(0, "words")]),
    ("shell.run.command.effects", [(0, "effects")]),
    ("shell.run.command.open", [(0, "link")]),
    ("shell.run.command.source", [(0, "file")]),
    ("shell.run.command.exit", [(0, "code")]),
    ("session.run.command.record", [(0, "path")]),
    ("session.run.command.mark", [(0, "name")]),
    ("session.run.command.goto", [(0, "target")]),
    ("session.run.command.assert", [(0, "condition")]),
    ("session.run.command.action", [(0, "target")]),
    ("session.run.command.diff", [(0, "from"), (1, "to")]),
    ("session.run.command.timeline", [(0, "query")]),
    ("session.run.command.fork", [(0, "target")]),
    ("session.run.command.bisect", [(0, "file")]),
    ("session.run.command.verify", [(0, "files")]),
    ("session.run.command.replay", [(0, "query")]),
    ("session.run.command.graph", [(0, "file")]),
    ("session.run.command.causes", [(0, "file")]),
    ("session.run.command.stats", [(0, "file")]),
    ("session.run.command.test", [(0, "file")]),
    ("session.succeeded.result.marked", [(0, "name")]),
    ("session.succeeded.result.travelled", [(0, "step")]),
    ("session.succeeded.result.state", [(0, "json")]),
    ("session.succeeded.result.asserted", [(0, "condition")]),
    ("session.succeeded.result.step", [(0, "step")]),
    ("session.succeeded.result.differences", [(0, "diff")]),
    ("session.succeeded.result.timeline", [(0, "timeline")]),
    ("session.succeeded.result.forked", [(0, "fork")]),
    ("session.succeeded.result.bisected", [(0, "bisection")]),
    ("session.succeeded.result.verified", [(0, "checks")]),
    ("session.succeeded.result.replayed", [(0, "check")]),
    ("session.succeeded.result.graph", [(0, "text")]),
    ("session.succeeded.result.test", [(0, "source")]),
    ("session.succeeded.result.stats", [(0, "figures")]),
    ("db.run.command.put.body.json", [(0, "text")]),
    ("db.run.command.put.body.file", [(0, "path")]),
    ("keychain.run.command.set.input.file", [(0, "path")]),
    ("keychain.succeeded.result.warned.result.created", [(0, "status")]),
    ("keychain.succeeded.result.warned.result.status", [(0, "status")]),
    ("keychain.succeeded.result.warned.result.checked", [(0, "status")]),
    ("keychain.succeeded.result.warned.result.accepted", [(0, "acceptance")]),
    ("keychain.succeeded.result.warned.result.names", [(0, "names")]),
    ("session.succeeded.result.travelled.step.origin.link", [(0, "link")]),
    ("session.succeeded.result.travelled.step.origin.program", [(0, "name")]),
    ("session.succeeded.result.step.step.origin.link", [(0, "link")]),
    ("session.succeeded.result.step.step.origin.program", [(0, "name")]),
    ("session.succeeded.result.timeline.timeline.entries.*.origin.link", [(0, "link")]),
    ("session.succeeded.result.timeline.timeline.entries.*.origin.program", [(0, "name")]),
  ]
}
