import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// The libraries of Radarr, Sonarr and Lidarr.
  public static let media = Feature(
    name: "media", summary: "the libraries of Radarr, Sonarr and Lidarr: list, add, calendar",
    state: MediaState(), reducer: MediaReducer(), commands: MediaCommands.table,
    outcome: { action, state, _ in MediaOutcomes.outcome(of: action, in: state) },
    link: MediaCommands.words,
    events: { action, _ in
      // Services and terms are typed, and so in no event.
      switch action {
      case .run(let context, _): [AnalyticsEvent(context.name)]
      case .failed(_, let failure), .addition(_, .failed(let failure)):
        [AnalyticsEvent("media.failed", of: failure)]
      default: []
      }
    },
    cancelled: { state, job in if !state.endsCancelled(job) { state.end(job) } },
    endsCancelled: { state, job in state.endsCancelled(job) }, forget: { $0.forget() },
    continued: { state, running in
      for job in state.pending.map(\.job) where !running.contains(job) { state.end(job) }
    },
    volatile: [
      "answered.answer.library.library.verdict", "answered.answer.queue.queue.entries[*].left",
      "answered.answer.queue.queue.entries[*].timeLeft",
    ],
    passesWordsOn: true,
    candidates: { kind, _, dependencies in
      guard kind == .mediaService else { return [] }
      return await dependencies.persistence.serviceNames(of: MediaProgram.self)
    }, version: nil)
}
