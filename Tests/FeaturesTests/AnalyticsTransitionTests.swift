import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// What the reducer of `analytics` does with the consent; docs/features.md has the same as a table.
struct AnalyticsTransitionTests {
  enum Event: Hashable { case applied, status, bootstrapped }
  enum Stage: Hashable { case unknown, given, refused }

  static let transitions = TransitionTable<Stage, Event> {
    From(.unknown, .given, .refused).on(.applied).to(.given, .refused)
    From(.unknown).on(.status, .bootstrapped).to(.given, .refused)
    From(.given, .refused).on(.status, .bootstrapped).stays
  }

  @Test("a model: the consent is that of the last command, or what is found")
  func model() {
    let monitor = TransitionMonitor<AnalyticsState, AnalyticsAction, Stage, Event>(
      Self.transitions
    ) {
      $0.consent.map { $0 ? .given : .refused } ?? .unknown
    } action: { action in
      switch action {
      case .applied: .applied
      case .succeeded(_, .status): .status
      case .bootstrapped(_, _?, _): .bootstrapped
      default: nil
      }
    }
    @Sendable func run(
      _ command: AnalyticsCommand, _ random: inout SeededRandom
    ) -> AnalyticsAction {
      .run(
        context: context(
          "analytics", "analytics", job: Int.random(in: 1...Int(Int32.max), using: &random)),
        command: command)
    }
    let model = ModelTest(
      initialState: AnalyticsState(), reducer: BoardFeatures.analytics.reducer,
      moves: [
        .send { _, random in run(.on, &random) }, .send { _, random in run(.off, &random) },
        .send { _, random in run(.status, &random) }, .send { _, random in run(.show, &random) },
        .send(.bootstrap),
      ], invariants: [.transitions(monitor)]
    ) { run in
      var dependencies = Dependencies.mock
      dependencies.analytics = MockAnalytics(consent: run.seed % 2 == 0)
      let persistence = MockPersistenceService()
      if run.seed % 5 == 0 { persistence.failNext("preference", with: .full) }
      dependencies.persistence = persistence
      return dependencies
    }
    model.check(seeds: 1...40, length: 15, report: report)
    monitor.checkCoverage(report: report)
  }
}
