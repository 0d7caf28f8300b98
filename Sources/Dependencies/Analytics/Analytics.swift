/// Counts the use of features, with the user's consent. Consent is off by default. Without consent,
/// nothing is stored or sent.
public protocol Analytics: Service {
  /// Tracks an event and returns immediately. A slow or failing provider does not delay the caller.
  func track(_ event: AnalyticsEvent)
  /// Sets the user's consent. Withdrawing it empties every queue.
  func setConsent(_ granted: Bool)
  /// Whether the user has given consent.
  var hasConsent: Bool { get }
  /// Whether consent was given or withdrawn in this process. If so, previously stored consent is
  /// ignored.
  var isConsentDecided: Bool { get }
  /// Returns the newest `limit` events of this process that were tracked with consent, oldest
  /// first.
  func recent(limit: Int) -> [AnalyticsEvent]
  /// Returns the statistics of the providers.
  func statistics() -> [AnalyticsStatistics]
}

extension Analytics {
  /// Returns whether the user has given consent.
  public var isConsentDecided: Bool { hasConsent }
  /// Returns no events, because none are stored.
  public func recent(limit: Int) -> [AnalyticsEvent] { [] }
  /// Returns none: there are no providers.
  public func statistics() -> [AnalyticsStatistics] { [] }
}

/// An anonymous record of one use of a feature.
public struct AnalyticsEvent: Sendable, Equatable, Codable {
  /// The name of the event, `feature.action`: `api.get`.
  public var name: String
  /// The counted properties. They must contain no secrets and no user input. Live analytics
  /// nevertheless redacts the name and the properties.
  public var properties: [LogField]

  /// Creates an event. Its time and id are added when it is tracked.
  public init(_ name: String, properties: [LogField] = []) {
    self.name = name
    self.properties = properties
  }
}
