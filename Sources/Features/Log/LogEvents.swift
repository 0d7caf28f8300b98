import SwiftBoardBoard
import SwiftBoardDependencies

/// What `log` counts: its commands, and kinds of failures.
enum LogEvents {
  static func events(of action: LogAction, _ state: LogState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .failed(_, let failure): [AnalyticsEvent("log.failed", of: failure)]
    default: []
    }
  }
}
