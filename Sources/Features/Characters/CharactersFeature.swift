import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// The characters of a series, from a service and from a cache: a list, one character, a search.
  public static let characters = Feature(
    name: "characters", summary: "the characters of Rick and Morty: list, detail, search",
    state: CharactersState(), reducer: CharactersReducer(), commands: CharactersCommands.table,
    outcome: { action, state, _ in CharactersOutcomes.outcome(of: action, in: state) },
    link: CharactersCommands.words,
    events: { action, _ in
      // What is searched for is typed, and so in no event.
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
    },
    cancelled: { state, job in state.end(job) },
    endsCancelled: { state, job in state.changes.contains(job) }, forget: { $0.forget() },
    continued: { state, running in
      state.forgetRecent()
      state.changes?.keep(running)
    },
    volatile: [
      "list.action.loaded.answer.verdict", "detail.action.loaded.answer.verdict",
      "search.action.loaded.answer.verdict", "search.action.recalled.texts",
      "recent.searches[*].at", "bootstrapped.recent", "bootstrapped.failure",
    ],
    passesWordsOn: true, bootstrap: { $0.search.knowsRecent == false ? .bootstrap : nil },
    version: nil)
}

private func answered(_ verdict: CacheVerdict) -> AnalyticsEvent {
  AnalyticsEvent("characters.answered", properties: [LogField("verdict", verdict.rawValue)])
}
