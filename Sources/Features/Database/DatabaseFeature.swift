import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// Documents and preferences in a database.
  public static let db = Feature(
    name: "db", summary: "documents and preferences in a database", state: DatabaseState(),
    reducer: DatabaseReducer(), commands: DatabaseCommands.table,
    outcome: { action, _, _ in DatabaseOutcomes.outcome(of: action) },
    partialOutcome: DatabaseOutcomes.partialOutcome,
    link: { link in
      switch link.path.count {
      case 0 where link.query.isEmpty: ["db", "stats"]
      case 1: ["db", "list", link.path[0]]
      case 2: ["db", "get", link.path[0], link.path[1]]
      default: nil
      }
    },
    events: { action, _ in
      switch action {
      case .run(let context, _, _): [AnalyticsEvent(context.name)]
      case .succeeded(_, .imported(_, let counts), _):
        [
          AnalyticsEvent(
            "db.imported",
            properties: [
              LogField("added", "\(counts.added)"), LogField("replaced", "\(counts.replaced)"),
            ])
        ]
      case .failed(_, let failure): [AnalyticsEvent("db.failed", of: failure)]
      default: []
      }
    },
    cancelled: { state, job in
      guard !state.isChanging(job) else { return }
      state.takePending(job)
      state.endRead(job)
    },
    endsCancelled: { state, job in state.isChanging(job) },
    forget: { $0.forget() },
    replacesData: { action in
      switch action {
      // An import that fails or is cancelled has written a part.
      case .checked(let request, taken: nil), .imported(let request, _): request.isReread != false
      default: false
      }
    },
    continued: { state, running in
      state.forgetNames()
      state.keep(running)
    },
    volatile: [
      "contents.contents", "contents.failure", "succeeded.result.put.isNew",
      "succeeded.result.healthy.missing",
      "succeeded.result.document.document.updated",
      "succeeded.result.documents.documents[*].updated", "listed.documents[*].updated",
      "succeeded.result.paths",
      "succeeded.result.statistics.statistics.paths",
      "succeeded.result.statistics.statistics.bytes",
    ],
    passesWordsOn: true, bootstrap: { $0.isLoaded == false ? .bootstrap : nil },
    candidates: { kind, _, dependencies in
      switch kind {
      case .collection: (try? await dependencies.persistence.collections()) ?? []
      case .preference: ((try? await dependencies.persistence.preferences()) ?? []).map(\.name)
      default: []
      }
    }, version: nil, migrations: DatabaseMigrations.all)
}
