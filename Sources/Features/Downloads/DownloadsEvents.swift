import SwiftBoardBoard
import SwiftBoardDependencies

/// What `downloads` counts: its commands, and kinds of failures. Services and addresses are typed,
/// and so in no event.
enum DownloadsEvents {
  static func events(of action: DownloadsAction, _ state: DownloadsState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .failed(_, let failure): [AnalyticsEvent("downloads.failed", of: failure)]
    default: []
    }
  }
}
