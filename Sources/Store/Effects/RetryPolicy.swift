/// How often to try, and how long to wait between.
///
/// ```swift
/// .task(name: "load") { .loaded(try await client.load()) }
///   .retry(.exponential(.milliseconds(200), attempts: 5), clock: clock)
///   .catch { .failed("\($0)") }
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// How the wait grows from one failure to the next.
  public enum Backoff: Sendable, Hashable {
    /// Always the same.
    case constant(Duration)
    /// Once this, then twice this, then three times this.
    case linear(Duration)
    /// First this, then each time the factor times the one before. A factor that is not above zero
    /// counts as 1.
    case exponential(Duration, factor: Double)
  }

  /// How waits are spread, so that many effects that failed together do not retry together.
  public enum Jitter: Sendable, Hashable {
    /// Not at all.
    case none
    /// Anywhere from nothing to the whole wait.
    case full
    /// Half of the wait, and anywhere from nothing to the other half.
    case equal
    /// Anywhere from the first wait to three times the one before, at most the maximum. The
    /// back-off says where it begins, not how it grows.
    case decorrelated
  }

  /// How often the work is done at most, the first time included. Less than 1 counts as 1.
  public var attempts: Int
  /// How the wait grows.
  public var backoff: Backoff
  /// No wait is longer.
  public var maximum: Duration

  /// A policy from its parts. A wait below zero counts as zero.
  @inlinable
  public init(attempts: Int, backoff: Backoff, maximum: Duration = .seconds(60)) {
    self.attempts = attempts
    self.backoff = backoff
    self.maximum = maximum
  }

  /// The same wait each time. `attempts` as in the property.
  @inlinable
  public static func constant(_ wait: Duration, attempts: Int) -> RetryPolicy {
    RetryPolicy(attempts: attempts, backoff: .constant(wait), maximum: wait)
  }

  /// Waits of once, twice, three times `step`.
  ///
  /// - Parameters:
  ///   - maximum: No wait is longer.
  ///   - attempts: The first time included.
  @inlinable
  public static func linear(
    _ step: Duration, maximum: Duration = .seconds(60), attempts: Int
  ) -> RetryPolicy {
    RetryPolicy(attempts: attempts, backoff: .linear(step), maximum: maximum)
  }

  /// Waits of `first`, `first · factor`, `first · factor²` …
  ///
  /// - Parameters:
  ///   - factor: Not above zero, or no number, counts as 1; below 1 the waits shrink.
  ///   - maximum: No wait is longer.
  ///   - attempts: The first time included.
  @inlinable
  public static func exponential(
    _ first: Duration, factor: Double = 2, maximum: Duration = .seconds(60), attempts: Int
  ) -> RetryPolicy {
    RetryPolicy(
      attempts: attempts, backoff: .exponential(first, factor: factor), maximum: maximum)
  }
}
