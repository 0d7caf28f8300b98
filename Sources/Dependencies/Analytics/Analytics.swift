/// Counts what people use, for those who agreed. Consent is off by default, and while it is off nothing is kept or sent.
public protocol Analytics: Sendable {
  /// Returns at once; a slow or failing provider delays nobody.
  func track(_ event: AnalyticsEvent)
  /// Taking consent back empties every queue.
  func setConsent(_ granted: Bool)
  var hasConsent: Bool { get }
}

public struct AnalyticsEvent: Sendable, Equatable, Codable {
  public var name: String
  public var properties: [LogField]

  public init(_ name: String, properties: [LogField] = []) {
    self.name = name
    self.properties = properties
  }
}
