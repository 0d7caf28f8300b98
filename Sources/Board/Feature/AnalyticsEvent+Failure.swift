import SwiftBoardCommandLine
import SwiftBoardDependencies

extension AnalyticsEvent {
  /// Creates an event that counts a failure by its kind and exit code. Its message is not part of
  /// the event.
  public init(_ name: String, of failure: Failure) {
    self.init(
      name, properties: [LogField("error", failure.error), LogField("code", "\(failure.code)")])
  }
}
