/// The number of attempts of an effect, and the waits between them.
///
/// ```swift
/// .task(name: "load") { .loaded(try await client.load()) }
///   .retry(.exponential(.milliseconds(200), attempts: 5), clock: clock)
///   .catch { .failed("\($0)") }
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// The growth of the wait from one failure to the next.
  public enum Backoff: Sendable, Hashable {
    /// The same wait each time.
    case constant(Duration)
    /// Waits of once, twice, three times this duration, and so on.
    case linear(Duration)
    /// Waits that begin with this duration and are multiplied by the factor each time. A factor
    /// that is not above zero counts as 1.
    case exponential(Duration, factor: Double)
  }

  /// The random variation of waits, so that many effects that failed together do not retry
  /// together.
  public enum Jitter: Sendable, Hashable {
    /// No variation.
    case none
    /// A random duration from zero to the whole wait.
    case full
    /// Half of the wait, and a random duration from zero to the other half.
    case equal
    /// A random duration from the first wait to three times the previous one, at most the maximum.
    /// The back-off only determines the first wait.
    case decorrelated
  }

  /// The maximum number of attempts, including the first. Less than 1 counts as 1.
  public var attempts: Int
  /// The growth of the wait.
  public var backoff: Backoff
  /// The maximum wait.
  public var maximum: Duration

  /// Creates a policy. A wait below zero counts as zero.
  @inlinable
  public init(attempts: Int, backoff: Backoff, maximum: Duration = .seconds(60)) {
    self.attempts = attempts
    self.backoff = backoff
    self.maximum = maximum
  }

  /// Returns a policy with the same wait each time.
  ///
  /// - Parameter attempts: The maximum number of attempts, including the first.
  @inlinable
  public static func constant(_ wait: Duration, attempts: Int) -> RetryPolicy {
    RetryPolicy(attempts: attempts, backoff: .constant(wait), maximum: wait)
  }

  /// Returns a policy with waits of once, twice, three times `step`, and so on.
  ///
  /// - Parameters:
  ///   - maximum: The maximum wait.
  ///   - attempts: The maximum number of attempts, including the first.
  @inlinable
  public static func linear(
    _ step: Duration, maximum: Duration = .seconds(60), attempts: Int
  ) -> RetryPolicy {
    RetryPolicy(attempts: attempts, backoff: .linear(step), maximum: maximum)
  }

  /// Returns a policy with waits of `first`, `first · factor`, `first · factor²` and so on.
  ///
  /// - Parameters:
  ///   - factor: The growth of the wait. A factor that is NaN or not above zero counts as 1. With a
  ///     factor below 1 the waits shrink.
  ///   - maximum: The maximum wait.
  ///   - attempts: The maximum number of attempts, including the first.
  @inlinable
  public static func exponential(
    _ first: Duration, factor: Double = 2, maximum: Duration = .seconds(60), attempts: Int
  ) -> RetryPolicy {
    RetryPolicy(
      attempts: attempts, backoff: .exponential(first, factor: factor), maximum: maximum)
  }
}
