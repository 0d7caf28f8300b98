import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// The feature `log`: a log of events for users.
  public static let log = Feature(
    name: "log", summary: "what happened, for people", state: LogState(), reducer: LogReducer(),
    commands: LogCommands.table,
    outcome: { action, _, context in LogOutcomes.outcome(of: action, context) },
    partialOutcome: LogOutcomes.partialOutcome,
    link: { link in link.path.isEmpty || link.path == ["tail"] ? ["log", "tail"] : nil },
    events: { action, _ in
      switch action {
      case .run(let context, _): [AnalyticsEvent(context.name)]
      case .failed(_, let failure): [AnalyticsEvent("log.failed", of: failure)]
      default: []
      }
    },
    endsCancelled: { state, job in state.changes.contains(job) },
    forget: { $0.forget() },
    continued: { state, running in
      // What loads them again does not load the levels of categories.
      (state.level, state.counts) = (nil, nil)
      state.changes?.keep(running)
    },
    // A live replay has its own log, without the records of earlier sessions.
    volatile: [
      "bootstrapped.level",
      "succeeded.counts", "listed.end", "succeeded.result.records.records",
      "succeeded.result.records.unreadable", "listed.records",
      "succeeded.result.statistics.statistics", "succeeded.result.exported.count",
      "succeeded.result.exported.unreadable",
    ], endlessEffects: ["log.follow"], bootstrap: { $0.level == nil ? .bootstrap : nil },
    version: nil, migrations: LogMigrations.all)
}
