import SwiftBoardSystem

/// One value drawn from the world outside a reduction: the thing that makes a rerun differ.
public enum Draw: Sendable, Equatable {
  /// Wall-clock microseconds since 1970.
  case date(Int64)
  /// Monotonic microseconds since the clock's own origin.
  case clock(Int64)
  /// An identifier.
  case uuid(UUID)
  /// 64 random bits.
  case random(UInt64)

  /// Which generator was asked.
  public enum Kind: String, Sendable {
    /// In the order of the cases of `Draw`.
    case date, clock, uuid, random
  }
}

/// Intercepts the draws of a generator: it may record the value, or return another one (replay).
/// `live` draws the real value. A value of another kind than requested is ignored, and the real one
/// is drawn.
public typealias DrawInterceptor = @Sendable (_ kind: Draw.Kind, _ live: () -> Draw) -> Draw

extension Duration {
  /// Whole microseconds, rounded up, so that a sleep never ends early; saturates at the ends of
  /// `Int64`.
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
