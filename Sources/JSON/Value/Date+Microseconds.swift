#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Date {
  /// Returns the date that canonical JSON, and with it a recording, has of this one: the nearest
  /// whole microsecond.
  ///
  /// Round a date before it enters an action that is recorded. Otherwise the reducer receives the
  /// date itself, and a replay the rounded one. Dates outside of the years 0000 to 9999, which
  /// cannot be recorded, are returned as they are.
  public func roundedToMicroseconds() -> Date {
    Timestamp.microseconds(of: self).map(Timestamp.date(microseconds:)) ?? self
  }
}
