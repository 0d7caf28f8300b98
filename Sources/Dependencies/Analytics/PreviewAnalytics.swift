/// Analytics with consent and two sample events; otherwise like `MockAnalytics`.
public final class PreviewAnalytics: Analytics {
  private let base = MockAnalytics(consent: true)

  public init() {
    base.track(AnalyticsEvent("board.opened"))
    base.track(AnalyticsEvent("api.get", properties: [LogField("service", "example")]))
  }

  public var events: [AnalyticsEvent] { base.events }
  public func track(_ event: AnalyticsEvent) { base.track(event) }
  public func setConsent(_ granted: Bool) { base.setConsent(granted) }
  public var hasConsent: Bool { base.hasConsent }
}
