/// The waits of one retried effect, one after the other: a pure value, apart from the words it
/// draws.
@usableFromInline
struct RetrySchedule: Sendable {
  @usableFromInline let backoff: RetryPolicy.Backoff
  @usableFromInline let maximum: Duration
  @usableFromInline let jitter: RetryPolicy.Jitter
  @usableFromInline var attemptsLeft: Int
  /// What the back-off says for the next wait, at most the maximum.
  @usableFromInline var planned: Duration
  /// The first wait, from which decorrelated waits begin.
  @usableFromInline let first: Duration
  /// The last wait, from which decorrelated waits continue.
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

  /// How long to wait before the next attempt; `nil` if there is none. Draws one word unless jitter
  /// is `none`.
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
      // The bound keeps the product within what a duration can hold.
      let upper = min(last, .seconds(1 << 60)) * 3
      last = min(maximum, Self.point(in: first, upper, random()))
      return last
    }
  }

  @inlinable
  mutating func grow() {
    // Compared before it is computed: a sum or product beyond the maximum may be beyond what a
    // duration can hold.
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

  /// From `lower` on, as far towards `upper` as the word is towards its own maximum.
  @inlinable
  static func point(in lower: Duration, _ upper: Duration, _ word: UInt64) -> Duration {
    lower + (upper - lower) * (Double(word) / Double(UInt64.max))
  }
}
