import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// The queues of SABnzbd and NZBGet.
  public static let downloads = Feature(
    name: "downloads", summary: "the queues of SABnzbd and NZBGet: list, add, pause, history",
    state: DownloadsState(), reducer: DownloadsReducer(), commands: DownloadsCommands.table,
    outcome: { action, _, context in DownloadsOutcomes.outcome(of: action, context) },
    link: DownloadsCommands.words,
    events: { action, _ in
      // Services and addresses are typed, and so in no event.
      switch action {
      case .run(let context, _): [AnalyticsEvent(context.name)]
      case .failed(_, let failure): [AnalyticsEvent("downloads.failed", of: failure)]
      default: []
      }
    },
    cancelled: { state, job in if !state.changes.contains(job) { state.end(job) } },
    endsCancelled: { state, job in state.changes.contains(job) }, forget: { $0.forget() },
    continued: { state, running in
      state.pending.removeAll { !running.contains($0.job) }
      state.changes?.keep(running)
    },
    volatile: [
      "answered.answer.queue.queue.speed", "answered.answer.queue.queue.entries[*].left",
      "answered.answer.queue.queue.entries[*].secondsLeft",
    ],
    passesWordsOn: true, secretWords: DownloadsCommands.secretWords,
    candidates: { kind, _, dependencies in
      guard kind == .downloadService else { return [] }
      return await dependencies.persistence.serviceNames(of: DownloadProgram.self)
    }, version: nil)
}
