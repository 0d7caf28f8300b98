import SwiftBoardBoard
import SwiftBoardDependencies

/// What `media` counts: its commands, and kinds of failures. Services and terms are typed, and so
/// in no event.
enum MediaEvents {
  static func events(of action: MediaAction, _ state: MediaState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .failed(_, let failure), .addition(_, .failed(let failure)):
      [AnalyticsEvent("media.failed", of: failure)]
    default: []
    }
  }
}
