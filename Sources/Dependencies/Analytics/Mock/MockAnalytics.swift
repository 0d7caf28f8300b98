import Synchronization

/// Analytics for tests. It keeps the events tracked with consent in memory.
public final class MockAnalytics: Analytics {
  private struct State {
    var hasConsent: Bool
    var isDecided: Bool
    var events: [AnalyticsEvent] = []
  }

  private let state: Mutex<State>

  /// - Parameter consent: The initial consent, off by default.
  public init(consent: Bool = false) {
    state = Mutex(State(hasConsent: consent, isDecided: consent))
  }

  /// The events tracked since consent was given, in order.
  public var events: [AnalyticsEvent] { state.withLock { $0.events } }

  /// Stores the event if there is consent. O(1) amortized.
  public func track(_ event: AnalyticsEvent) {
    state.withLock { state in
      if state.hasConsent { state.events.append(event) }
    }
  }

  /// Withdrawing consent removes the stored events.
  public func setConsent(_ granted: Bool) {
    state.withLock { state in
      (state.hasConsent, state.isDecided) = (granted, true)
      if !granted { state.events = [] }
    }
  }

  /// Returns the newest of `events`.
  public func recent(limit: Int) -> [AnalyticsEvent] { events.suffix(limit) }

  /// The consent as set last.
  public var hasConsent: Bool { state.withLock { $0.hasConsent } }
  /// Whether consent was set.
  public var isConsentDecided: Bool { state.withLock { $0.isDecided } }
}

extension MockAnalytics {
  /// Creates a mock with consent and two sample events.
  public static var preview: MockAnalytics {
    let mock = MockAnalytics(consent: true)
    mock.track(AnalyticsEvent("board.opened"))
    mock.track(AnalyticsEvent("api.get", properties: [LogField("service", "example")]))
    return mock
  }
}
