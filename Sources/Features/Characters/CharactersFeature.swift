import SwiftBoardBoard

extension BoardFeatures {
  /// The characters of a series, from a service and from a cache: a list, one character, a search.
  public static let characters = Feature(
    name: "characters", summary: "the characters of Rick and Morty: list, detail, search",
    state: CharactersState(), reducer: CharactersReducer(), commands: CharactersCommands.table,
    outcome: { action, state, _ in CharactersOutcomes.outcome(of: action, in: state) },
    link: CharactersCommands.words, events: CharactersEvents.events,
    cancelled: { state, job in state.end(job) },
    endsCancelled: { state, job in state.changes.contains(job) }, forget: { $0.forget() },
    volatile: [
      "list.action.loaded.answer.verdict", "detail.action.loaded.answer.verdict",
      "search.action.loaded.answer.verdict", "search.action.recalled.texts",
      "recent.searches[*].at", "bootstrapped.recent", "bootstrapped.failure",
    ],
    passesWordsOn: true, bootstrap: { $0.search.knowsRecent == false ? .bootstrap : nil },
    version: nil)
}
