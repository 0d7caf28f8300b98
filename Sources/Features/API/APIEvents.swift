import SwiftBoardBoard
import SwiftBoardDependencies

/// What `api` counts: its commands, the class of an answer's status, the part of the cache in it,
/// and kinds of failures. Addresses and names of services are typed, and so in no event.
enum APIEvents {
  static func events(of action: APIAction, _ state: APIState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .answered(_, let answer, _):
      [
        AnalyticsEvent(
          "api.answered",
          properties: [
            LogField("status", "\(answer.status / 100)xx"),
            LogField("verdict", answer.verdict.rawValue),
          ])
      ]
    case .failed(_, let failure, _): [AnalyticsEvent("api.failed", of: failure)]
    default: []
    }
  }
}
