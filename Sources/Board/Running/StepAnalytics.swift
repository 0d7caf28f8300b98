import SwiftBoardDependencies
import Synchronization

/// Tracks the events that features derive from steps, once it is known that the user has given
/// consent.
///
/// Consent is a preference. It is read as soon as a command has opened the database; analytics does
/// not open it. Until then, at most 100 events wait. A replay tracks nothing.
final class StepAnalytics: Sendable {
  private struct State {
    var isLoaded = false
    /// The task that reads the consent, once there is one.
    var loading: Task<Void, Never>?
    var waiting: [AnalyticsEvent] = []
  }

  private let analytics: any Analytics
  private let persistence: any PersistenceService
  private let state = Mutex(State())

  init(_ dependencies: Dependencies) {
    analytics = dependencies.analytics
    persistence = dependencies.persistence
  }

  /// Tracks the events of a step. `events` is not called if the user has not given consent.
  func track(_ events: () -> [AnalyticsEvent]) {
    if analytics.isConsentDecided {
      // What came before does not count, and the preference decides nothing any more.
      state.withLock { state in
        guard !state.isLoaded else { return }
        state.isLoaded = true
        state.waiting = []
      }
      if analytics.hasConsent { for event in events() { analytics.track(event) } }
      return
    }
    let isOpen = persistence.isOpen
    state.withLock { state in
      guard !state.isLoaded else { return }
      if state.waiting.count < 100 { state.waiting += events() }
      guard isOpen, state.loading == nil, !state.waiting.isEmpty else { return }
      state.loading = Task { await load() }
    }
  }

  /// Waits until the consent is read, if a step has asked for it. Otherwise, a program that ends
  /// would lose the events that wait, and would leave the database open.
  func finish() async {
    await state.withLock { $0.loading }?.value
  }

  private func load() async {
    let json = try? await persistence.preference(Preference.analyticsConsent)
    let events = state.withLock { state -> [AnalyticsEvent] in
      guard !state.isLoaded else { return [] }
      state.isLoaded = true
      defer { state.waiting = [] }
      guard json == "true", !analytics.isConsentDecided else { return [] }
      analytics.setConsent(true)
      return state.waiting
    }
    for event in events { analytics.track(event) }
  }
}
