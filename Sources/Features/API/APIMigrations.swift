import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON

enum APIMigrations {
  /// Each leads one version of the board's recordings up.
  static let all = [labels, answers, savedLast, bodies]

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

  /// Up to schema 4 an answer repeated its request, of which it needs what of it is shown; and one
  /// effect did everything for a request, from its service to its answer.
  private static let answers = LogMigration(
    from: 4,
    editAction: { action in
      if let request = action["answered"]["request"] {
        action["answered"]["request"] = nil
        if let view = view(request) { action["answered"]["view"] = view }
      }
      action["answered"]["kept"] = nil
      action.update(
        at: JSONPathPattern([.key("answered"), .key("answer"), .key("captured"), .any])
      ) {
        captured in
        guard let failure = captured["failure"] else { return }
        captured["failure"] = nil
        captured["problem"] = .object(
          ["error", "message"].compactMap { name in failure[name].map { .init(name, $0) } })
      }
    },
    editEffects: { action, effects in
      let requests = ["api.request", "api.service.test"]
      guard action["run"] != nil, let effect = effects.first, requests.contains(effect.name)
      else { return }
      // `api/7` was the place of the effects of a job; the services were not in the state.
      let job = effect.id.map { String($0.drop { $0 != "/" }.dropFirst()) } ?? ""
      effects = [
        LogEffect(name: "api.bootstrap", id: "api/requests/\(job)/\(job)", kind: "task")
      ]
    })

  /// Up to schema 5, a request was kept under its name after its answer.
  private static let savedLast = LogMigration(
    from: 5,
    editAction: { action in
      let request = action["run"]["command"]["request"]["request"]
      guard request["save"] != nil else { return }
      action["run"]["command"]["request"]["request"]["isSavedLast"] = true
    },
    changesState: { $0["run"]["command"]["request"]["request"]["save"] != nil })

  /// Up to schema 8, a body that is text was written as text whatever its escapes, and was taken
  /// for bytes if that was too long.
  private static let bodies = LogMigration(
    from: 8,
    editAction: { action in
      guard let text = action["answered"]["answer"]["text"]?.stringValue, !text.isReadableAsJSON
      else { return }
      action["answered"]["answer"]["text"] = nil
      action["answered"]["answer"]["base64"] = .string(Data(text.utf8).base64EncodedString())
    },
    changesState: { action in
      let base64 = action["answered"]["answer"]["base64"]?.stringValue
      let bytes = base64.flatMap { Data(base64Encoded: $0) }
      return bytes.flatMap { String(validating: $0, as: UTF8.self) } != nil
    })

  /// What an answer shows, of a request; `nil` where that is the body, as everywhere.
  private static func view(_ request: JSON) -> JSON? {
    var view: [JSON.Member] = []
    for name in ["shown", "isPretty", "select"] {
      guard let value = request[name], name != "shown" || value != "body" else { continue }
      view.append(.init(name, value))
    }
    return view.isEmpty ? nil : .object(view)
  }
}
