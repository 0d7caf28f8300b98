import SwiftBoardDependencies

/// The rules of `Analytics`, as checks of an implementation.
///
/// ```swift
/// let checks = AnalyticsConformance {
///   let mock = MockAnalytics()
///   return AnalyticsConformance.Subject(mock) { mock.events }
/// }.checks
/// ```
public struct AnalyticsConformance: Sendable {
  /// Analytics without consent, and its events.
  public struct Subject: Sendable {
    /// The analytics.
    public var service: any Analytics
    /// Returns the events that were kept or delivered so far. It is called after the service has
    /// been shut down.
    public var events: @Sendable () async throws -> [AnalyticsEvent]

    /// Creates a subject for one check.
    public init(
      _ service: any Analytics, events: @escaping @Sendable () async throws -> [AnalyticsEvent]
    ) {
      self.service = service
      self.events = events
    }
  }

  private let make: @Sendable () async throws -> Subject

  /// Creates a suite. `make` returns new analytics for each call.
  public init(_ make: @escaping @Sendable () async throws -> Subject) { self.make = make }

  /// The checks of all rules: consent, order and completeness.
  public var checks: [ConformanceCheck] {
    let many = ["one", "two", "three"].map {
      AnalyticsEvent("a.\($0)", properties: [LogField("k", $0)])
    }
    return [
      check("consent is off, and nothing is kept without it", []) { analytics in
        try equal(analytics.hasConsent, false)
        analytics.track(AnalyticsEvent("a.b"))
      },
      check("with consent events come in their order, with their properties", many) { analytics in
        analytics.setConsent(true)
        try equal(analytics.hasConsent, true)
        for event in many { analytics.track(event) }
      },
      check("what was tracked before consent does not come", [AnalyticsEvent("a.after")]) {
        analytics in
        analytics.track(AnalyticsEvent("a.before"))
        analytics.setConsent(true)
        analytics.track(AnalyticsEvent("a.after"))
      },
      check("what is tracked after consent was taken back does not come", []) { analytics in
        analytics.setConsent(true)
        analytics.setConsent(false)
        try equal(analytics.hasConsent, false)
        analytics.track(AnalyticsEvent("a.b"))
      },
    ]
  }

  private func check(
    _ rule: String, _ expected: [AnalyticsEvent],
    _ body: @escaping @Sendable (_ analytics: any Analytics) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("Analytics", rule) {
      let subject = try await make()
      try await body(subject.service)
      try await holds(subject.service.shutDown(within: .seconds(60)), "nothing is left behind")
      let events = try await subject.events()
      try equal(events.map(\.name), expected.map(\.name))
      try equal(events.map(\.properties), expected.map(\.properties))
    }
  }
}
