/// The waits of one retried effect, in order. A pure value, except for the random words.
@usableFromInline
struct RetrySchedule: Sendable {
  @usableFromInline let backoff: RetryPolicy.Backoff
  @usableFromInline let maximum: Duration
  @usableFromInline let jitter: RetryPolicy.Jitter
  @usableFromInline var attemptsLeft: Int
  /// The next wait according to the back-off, at most the maximum.
  @usableFromInline var planned: Duration
  /// The first wait, which is the lower bound of decorrelated waits.
  @usableFromInline let first: Duration
  /// The last wait, from which the next decorrelated wait is computed.
  @usableFromInline var last: Duration

  @inlinable
  init(_ policy: RetryPolicy, jitter: RetryPolicy.Jitter) {
    backoff = policy.backoff
    maximum = max(.zero, policy.maximum)
    self.jitter = jitter
    attemptsLeft = policy.attempts
    let wait =
      switch policy.backoff {
      case .constant(let wait), .linear(let wait), .exponential(let wait, _): wait
      }
    first = max(.zero, min(wait, maximum))
    planned = first
    last = first
  }

  /// Returns the wait before the next attempt, or `nil` if there is none. Draws one word unless the
  /// jitter is `none`.
  @inlinable
  mutating func next(_ random: () -> UInt64) -> Duration? {
    attemptsLeft -= 1
    guard attemptsLeft > 0 else { return nil }
    defer { grow() }
    switch jitter {
    case .none: return planned
    case .full: return Self.point(in: .zero, planned, random())
    case .equal: return Self.point(in: planned / 2, planned, random())
    case .decorrelated:
      // The bound keeps the product within the range of `Duration`.
      let upper = min(last, .seconds(1 << 60)) * 3
      last = min(maximum, Self.point(in: first, upper, random()))
      return last
    }
  }

  @inlinable
  mutating func grow() {
    // Compared before it is computed, because a sum or product above the maximum could overflow.
    switch backoff {
    case .constant:
      break
    case .linear(let step):
      planned = step < maximum - planned ? max(.zero, planned + step) : maximum
    case .exponential(_, let factor):
      guard planned > .zero, factor > 0 else { break }
      planned = factor < maximum / planned ? planned * factor : maximum
    }
  }

  /// Returns the point between `lower` and `upper` that corresponds to the word's position in its
  /// range.
  @inlinable
  static func point(in lower: Duration, _ upper: Duration, _ word: UInt64) -> Duration {
    lower + (upper - lower) * (Double(word) / Double(UInt64.max))
  }
}
