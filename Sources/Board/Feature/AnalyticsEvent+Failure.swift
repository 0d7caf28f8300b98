import SwiftBoardDependencies

extension AnalyticsEvent {
  /// Creates an event that counts a failure by its kind and exit code. The event does not contain
  /// the failure's message.
  public init(_ name: String, of failure: Failure) {
    self.init(
      name, properties: [LogField("error", failure.error), LogField("code", "\(failure.code)")])
  }
}
