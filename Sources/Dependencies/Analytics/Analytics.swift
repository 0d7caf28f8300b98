/// Counts the use of features, with the user's consent. Consent is off by default, and while it is
/// off nothing is kept or sent.
public protocol Analytics: Service {
  /// Returns at once; a slow or failing provider does not delay the caller.
  func track(_ event: AnalyticsEvent)
  /// Taking consent back empties every queue.
  func setConsent(_ granted: Bool)
  /// Whether events are taken at the moment.
  var hasConsent: Bool { get }
}

/// An anonymous record of one use of a feature.
public struct AnalyticsEvent: Sendable, Equatable, Codable {
  /// What was done, in the form `feature.deed`: `api.get`.
  public var name: String
  /// What is counted with it. No secrets and nothing that people typed; live analytics redacts both
  /// parts nevertheless.
  public var properties: [LogField]

  /// An event; its time and id are added when it is tracked.
  public init(_ name: String, properties: [LogField] = []) {
    self.name = name
    self.properties = properties
  }
}
