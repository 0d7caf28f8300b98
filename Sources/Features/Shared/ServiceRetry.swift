import SwiftBoardStore

/// The pauses before a request to a service is sent again.
enum ServiceRetry {
  /// In milliseconds.
  static let firstPause: Int64 = 200
  /// In milliseconds. Pauses double up to it and stay there, so that a user sees progress and
  /// notices when the service recovers.
  static let longestPause: Int64 = 60_000
}

extension RetryPolicy {
  /// The policy for a request to a service, with at most `retries` attempts after the first.
  static func service(retries: Int) -> RetryPolicy {
    .exponential(
      .milliseconds(ServiceRetry.firstPause), maximum: .milliseconds(ServiceRetry.longestPause),
      attempts: max(retries, retries &+ 1))
  }
}
