import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

/// Decides in which order consent is stored and takes effect.
///
/// ```text
/// on  ─► analytics.store ─► stored ─► analytics.apply ─► applied ─► succeeded
/// off ─► analytics.apply ─► applied ─► analytics.store ─► stored ─► succeeded
/// ```
/// Consent that cannot be stored is not in effect, but consent that is withdrawn ends at once.
struct AnalyticsReducer: Reducer {
  /// The preference with the consent.
  static let preference = "analytics.consent"
  /// The most events that `analytics show` prints.
  static let shown = 20

  func reduce(
    _ state: inout AnalyticsState, _ action: AnalyticsAction, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    switch action {
    case .run(let context, .on): return store(true, context.job, dependencies)
    case .run(let context, .off): return apply(false, context.job, dependencies)
    case .run(let context, .status): return status(context.job, dependencies)
    case .run(let context, .show): return show(context.job, dependencies)
    case .stored(let job, let consent):
      return consent
        ? apply(true, job, dependencies)
        : .send(.succeeded(job: job, result: .consent(isGiven: false)))
    case .applied(let job, let consent):
      state.consent = consent
      return consent
        ? .send(.succeeded(job: job, result: .consent(isGiven: true)))
        : store(false, job, dependencies)
    case .succeeded(_, .status(let consent, _)):
      state.consent = consent
      return []
    case .bootstrap: return bootstrap(dependencies)
    case .bootstrapped(let consent):
      if let consent { state.consent = consent }
      return []
    case .succeeded, .failed: return []
    }
  }

  private func store(
    _ consent: Bool, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.store") {
      // What was done before does not count, even if the consent is found before it is applied.
      if !dependencies.analytics.hasConsent { dependencies.analytics.setConsent(false) }
      try await dependencies.persistence.setPreference(Self.preference, to: "\(consent)")
      return .stored(job: job, consent: consent)
    }
    .catch { .failed(job: job, failure: Failure($0, dependencies)) }
    .cancellable(id: job)
  }

  private func apply(
    _ consent: Bool, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.apply") {
      dependencies.analytics.setConsent(consent)
      return .applied(job: job, consent: consent)
    }
    .cancellable(id: job)
  }

  private func bootstrap(_ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.bootstrap") {
      .bootstrapped(consent: try await consent(dependencies))
    }
    .catch { _ in .bootstrapped(consent: nil) }
  }

  /// What a later session will find is the consent; this one may not have read it yet.
  private func consent(_ dependencies: Dependencies) async throws -> Bool {
    let json = try await dependencies.persistence.preference(Self.preference)
    return json.map { $0 == "true" } ?? dependencies.analytics.hasConsent
  }

  private func status(_ job: Int, _ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.status") {
      let isGiven = try await consent(dependencies)
      let providers = dependencies.analytics.statistics()
      return .succeeded(job: job, result: .status(consent: isGiven, providers: providers))
    }
    .catch { .failed(job: job, failure: Failure($0, dependencies)) }
    .cancellable(id: job)
  }

  private func show(_ job: Int, _ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.show") {
      let events = dependencies.analytics.recent(limit: Self.shown)
      return .succeeded(job: job, result: .events(events: events))
    }
    .cancellable(id: job)
  }
}
