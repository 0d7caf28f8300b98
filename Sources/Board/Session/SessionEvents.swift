import SwiftBoardDependencies

/// What `session` counts: its commands, and kinds of failures.
enum SessionEvents {
  static func events(of action: SessionAction) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _, _): [AnalyticsEvent(context.name)]
    case .failed(_, let failure, _): [AnalyticsEvent("session.failed", of: failure)]
    default: []
    }
  }
}
