/// Analytics with consent and two sample events; otherwise like `MockAnalytics`.
public final class PreviewAnalytics: Analytics {
  private let base = MockAnalytics(consent: true)

  /// With both samples tracked.
  public init() {
    base.track(AnalyticsEvent("board.opened"))
    base.track(AnalyticsEvent("api.get", properties: [LogField("service", "example")]))
  }

  /// The samples and what was tracked since, in order.
  public var events: [AnalyticsEvent] { base.events }
  /// As `MockAnalytics` does.
  public func track(_ event: AnalyticsEvent) { base.track(event) }
  /// As `MockAnalytics` does: taking consent back forgets the samples too.
  public func setConsent(_ granted: Bool) { base.setConsent(granted) }
  /// True at first.
  public var hasConsent: Bool { base.hasConsent }
}
