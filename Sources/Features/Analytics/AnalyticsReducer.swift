import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// Decides in which order consent is stored and takes effect.
///
/// ```text
/// on ─► analytics.store ─► analytics.store.end ─► stored ─► analytics.apply ─► applied
///                                                                    applied ─► succeeded
/// off ─► analytics.apply ─► applied ─► analytics.store ─► stored ─► succeeded
/// status ─► analytics.status ─► read ─► succeeded
/// bootstrap ─► analytics.bootstrap ─► bootstrapped
/// ```
/// Consent that cannot be stored is not in effect, but consent that is withdrawn ends at once.
/// Therefore `on` can be cancelled until its consent is stored, and `off` cannot be cancelled.
struct AnalyticsReducer: Reducer {
  /// The most events that `analytics show` prints.
  static let shown = 20

  func reduce(
    _ state: inout AnalyticsState, _ action: AnalyticsAction, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    switch action {
    case .run(let context, .on): return store(context.job, &state, dependencies)
    case .run(let context, .off):
      state.changes?.begin(context.job)
      return apply(false, context.job, state, dependencies)
    case .run(let context, .status): return status(context.job, dependencies)
    case .run(let context, .show): return show(context.job, dependencies)
    case .stored(let job, let consent):
      return consent
        ? apply(true, job, state, dependencies)
        : .send(.succeeded(job: job, result: .consent(isGiven: false)))
    case .applied(let job, let consent):
      state.consent = consent
      return consent
        ? .send(.succeeded(job: job, result: .consent(isGiven: true)))
        : withdraw(job, state, dependencies)
    case .succeeded(_, .status(let consent, _)):
      state.consent = consent
      return []
    case .bootstrap: return bootstrap(dependencies)
    case .bootstrapped(let stored, let inEffect, _):
      state.consent = stored ?? inEffect ?? state.consent
      return []
    case .read(let job, let stored, let inEffect, let providers):
      // What a later session will find is the consent; this one may not have read it yet.
      let result = AnalyticsResult.status(consent: stored ?? inEffect, providers: providers)
      return .send(.succeeded(job: job, result: result))
    case .succeeded(let job, _), .failed(let job, _):
      state.changes?.end(job)
      return []
    }
  }

  /// Stores consent, unless it is cancelled before.
  private func store(
    _ job: Int, _ state: inout AnalyticsState, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    .change(name: "analytics.store", job: job, in: &state.changes, dependencies) {
      try await store(true, dependencies)
    } report: {
      .stored(job: job, consent: true)
    } failure: {
      .failed(job: job, failure: $0)
    }
  }

  /// Stores that consent is withdrawn, which is in effect by now.
  private func withdraw(
    _ job: Int, _ state: AnalyticsState, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    let work: [Effect<AnalyticsAction>] = .task(name: "analytics.store") {
      try await store(false, dependencies)
      return .stored(job: job, consent: false)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    return state.changes.contains(job) ? work : work.cancellable(id: job)
  }

  private func store(_ consent: Bool, _ dependencies: Dependencies) async throws {
    // What was done before does not count, even if the consent is found before it is applied.
    dependencies.analytics.setConsent(dependencies.analytics.hasConsent)
    try await dependencies.persistence.setPreference(
      Preference.analyticsConsent, to: "\(consent)")
  }

  private func apply(
    _ consent: Bool, _ job: Int, _ state: AnalyticsState, _ dependencies: Dependencies
  ) -> [Effect<AnalyticsAction>] {
    let work: [Effect<AnalyticsAction>] = .task(name: "analytics.apply") {
      dependencies.analytics.setConsent(consent)
      return .applied(job: job, consent: consent)
    }
    return state.changes.contains(job) ? work : work.cancellable(id: job)
  }

  private func bootstrap(_ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.bootstrap") { [analytics = dependencies.analytics] in
      .bootstrapped(consent: try await stored(dependencies), inEffect: analytics.hasConsent)
    }
    .catchFailure(dependencies) { .bootstrapped(consent: nil, failure: $0) }
  }

  private func status(_ job: Int, _ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.status") { [analytics = dependencies.analytics] in
      .read(
        job: job, stored: try await stored(dependencies), inEffect: analytics.hasConsent,
        providers: analytics.statistics())
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Returns the stored consent. A withdrawal by another process, or by `db preference set`, is in
  /// effect from here on.
  private func stored(_ dependencies: Dependencies) async throws -> Bool? {
    let hadConsent = dependencies.analytics.hasConsent
    let consent = try await dependencies.persistence.preference(Preference.analyticsConsent)
      .map { $0 == "true" }
    if hadConsent, consent == false { dependencies.analytics.setConsent(false) }
    return consent
  }

  private func show(_ job: Int, _ dependencies: Dependencies) -> [Effect<AnalyticsAction>] {
    .task(name: "analytics.show") {
      let events = dependencies.analytics.recent(limit: Self.shown)
      return .succeeded(job: job, result: .events(events: events))
    }
    .cancellable(id: job)
  }
}
