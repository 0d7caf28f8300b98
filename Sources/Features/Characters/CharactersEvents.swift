import SwiftBoardBoard
import SwiftBoardDependencies

/// What `characters` counts: its commands, the part of the cache in answers, and kinds of failures.
/// What is searched for is typed, and so in no event.
enum CharactersEvents {
  static func events(of action: CharactersAction, _ state: CharactersState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .list(.loaded(_, let answer)), .search(.loaded(_, let answer)):
      [answered(answer.verdict)]
    case .detail(.loaded(_, let answer)): [answered(answer.verdict)]
    case .list(.failed(_, _, let error)), .detail(.failed(_, _, let error)),
      .search(.failed(_, let error)), .detail(.imageFailed(_, let error)):
      [AnalyticsEvent("characters.failed", of: error.failure)]
    case .failed(_, let failure): [AnalyticsEvent("characters.failed", of: failure)]
    default: []
    }
  }

  private static func answered(_ verdict: CacheVerdict) -> AnalyticsEvent {
    AnalyticsEvent("characters.answered", properties: [LogField("verdict", verdict.rawValue)])
  }
}
