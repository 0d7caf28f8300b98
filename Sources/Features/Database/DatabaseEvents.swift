import SwiftBoardBoard
import SwiftBoardDependencies

/// What `db` counts: its commands, and kinds of failures.
enum DatabaseEvents {
  static func events(of action: DatabaseAction, _ state: DatabaseState) -> [AnalyticsEvent] {
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
  }
}
