import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// The feature `analytics`: consent to counting, and what is counted.
  public static let analytics = Feature(
    name: "analytics", summary: "count the use of commands, with consent only",
    state: AnalyticsState(), reducer: AnalyticsReducer(), commands: AnalyticsCommands.table,
    outcome: { action, _, _ in AnalyticsOutcomes.outcome(of: action) },
    link: { link in link.path.isEmpty ? ["analytics", "status"] : nil },
    endsCancelled: { state, job in state.changes.contains(job) },
    continued: { state, running in
      state.consent = nil
      state.changes?.keep(running)
    },
    volatile: [
      "bootstrapped.consent", "bootstrapped.inEffect", "bootstrapped.failure",
      "read.stored", "read.inEffect", "read.providers",
      "succeeded.result.status.consent", "succeeded.result.status.providers",
      "succeeded.result.events.events",
    ],
    bootstrap: { $0.consent == nil ? .bootstrap : nil }, version: nil)
}

enum AnalyticsCommands {
  static let table = CommandTable<FeatureCommand<AnalyticsAction>>([
    CommandSpec(
      ["analytics", "on"], "count commands and kinds of failures, and nothing that is typed",
      examples: ["analytics on"]
    ) { _ in .analytics(.on) },
    CommandSpec(
      ["analytics", "off"], "stop counting, and forget what has not been delivered",
      examples: ["analytics off"]
    ) { _ in .analytics(.off) },
    CommandSpec(
      ["analytics", "status"], "say whether there is consent, and what became of the events",
      examples: ["analytics status"]
    ) { _ in .analytics(.status) },
    CommandSpec(
      ["analytics", "show"], "show the newest events of this session",
      examples: ["analytics show"]
    ) { _ in .analytics(.show) },
  ])
}

extension FeatureCommand<AnalyticsAction> {
  fileprivate static func analytics(_ command: AnalyticsCommand) -> Self {
    Self { .run(context: $0, command: command) }
  }
}

enum AnalyticsOutcomes {
  static func outcome(of action: AnalyticsAction) -> Outcome? {
    switch action {
    case .run, .stored, .applied, .bootstrap, .bootstrapped, .read: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, .consent(let isGiven)):
      Outcome(
        job: job, value: ["consent": .bool(isGiven)],
        notes: [
          isGiven
            ? "analytics is on: commands and kinds of failures are counted, nothing that is typed"
            : "analytics is off"
        ])
    case .succeeded(let job, .status(let consent, let providers)):
      Outcome(
        job: job,
        value: ["consent": .bool(consent), "providers": .array(providers.map(json))],
        presentation: .fields(
          [("consent", consent ? "yes" : "no")] + providers.map { ($0.provider, text($0)) }))
    case .succeeded(let job, .events(let events)):
      Outcome(
        job: job, value: .array(events.map(json)),
        presentation: .table(
          columns: [Column("event", priority: 2), Column("properties", priority: 1)],
          rows: events.map { [$0.name, text($0.properties)] })
      ).withMarks
    }
  }

  private static func json(_ statistics: AnalyticsStatistics) -> JSON {
    [
      "provider": .string(statistics.provider), "delivered": JSON(statistics.delivered),
      "dropped": JSON(statistics.dropped), "waiting": JSON(statistics.waiting),
    ]
  }

  private static func json(_ event: AnalyticsEvent) -> JSON {
    [
      "event": .string(event.name),
      "properties": .object(event.properties.map { .init($0.key, .string($0.value)) }),
    ]
  }

  private static func text(_ statistics: AnalyticsStatistics) -> String {
    "\(statistics.delivered) delivered, \(statistics.dropped) dropped, \(statistics.waiting) waiting"
  }

  private static func text(_ fields: [LogField]) -> String {
    fields.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }
}
