import Synchronization

/// Analytics for tests: keeps in memory what was tracked with consent.
public final class MockAnalytics: Analytics {
  private struct State {
    var hasConsent: Bool
    var events: [AnalyticsEvent] = []
  }

  private let state: Mutex<State>

  /// - Parameter consent: Off, as everywhere.
  public init(consent: Bool = false) {
    state = Mutex(State(hasConsent: consent))
  }

  /// The tracked entries since consent was given, in order.
  public var events: [AnalyticsEvent] { state.withLock { $0.events } }

  /// Keeps the event, with consent only. O(1) amortised.
  public func track(_ event: AnalyticsEvent) {
    state.withLock { state in
      if state.hasConsent { state.events.append(event) }
    }
  }

  /// Taking consent back forgets what was kept.
  public func setConsent(_ granted: Bool) {
    state.withLock { state in
      state.hasConsent = granted
      if !granted { state.events = [] }
    }
  }

  /// As it was set last.
  public var hasConsent: Bool { state.withLock { $0.hasConsent } }
}

extension MockAnalytics {
  /// A mock with consent and two sample events; a new one at every mention.
  public static var preview: MockAnalytics {
    let mock = MockAnalytics(consent: true)
    mock.track(AnalyticsEvent("board.opened"))
    mock.track(AnalyticsEvent("api.get", properties: [LogField("service", "example")]))
    return mock
  }
}
