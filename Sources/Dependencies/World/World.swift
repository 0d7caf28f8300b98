import SwiftBoardSystem

/// A value drawn from outside a reduction. Draws are what can differ between two runs.
public enum Draw: Sendable, Equatable {
  /// Wall-clock microseconds since 1970.
  case date(Int64)
  /// Monotonic microseconds since the clock's own origin.
  case clock(Int64)
  /// An identifier.
  case uuid(UUID)
  /// 64 random bits.
  case random(UInt64)

  /// The kind of generator.
  public enum Kind: String, Sendable {
    /// The kinds in the order of the cases of `Draw`.
    case date, clock, uuid, random
  }
}

/// Intercepts the draws of a generator, to record the value or to return another one in a replay.
/// `live` draws the real value. If the interceptor returns a value of another kind, it is ignored,
/// and the real value is drawn.
public typealias DrawInterceptor = @Sendable (_ kind: Draw.Kind, _ live: () -> Draw) -> Draw

extension Duration {
  /// The duration in whole microseconds, rounded up so that a sleep never ends early, and clamped
  /// to the range of `Int64`.
  public var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let rest = attoseconds / 1_000_000_000_000
    let up: Int64 = attoseconds % 1_000_000_000_000 > 0 ? 1 : 0
    let (sum, overflowed) = whole.addingReportingOverflow(rest + up)
    return overflowed ? (whole < 0 ? .min : .max) : sum
  }
}
