/// One value that a reduction drew, as it is in a log.
public struct LoggedDraw: Sendable, Hashable, CustomStringConvertible {
  /// Which generator was asked, and how its value is written.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// `2026-11-20T22:45:01.250331Z`: UTC, always six digits of microseconds.
    case date
    /// Microseconds since the clock's own origin, decimal.
    case clock
    /// Capital letters, with hyphens.
    case uuid
    /// One `next()` of the generator: a UInt64, decimal.
    case random

    /// The raw value, without a String.
    var text: StaticString {
      switch self {
      case .date: "date"
      case .clock: "clock"
      case .uuid: "uuid"
      case .random: "random"
      }
    }
  }

  /// Which generator.
  public let kind: Kind
  /// The value in the form of its kind.
  public let value: String

  /// A draw as a log has it. Whether `value` has the form of `kind` is not checked here; a reader
  /// of logs checks it.
  public init(kind: Kind, value: String) {
    self.kind = kind
    self.value = value
  }

  /// A reading of a monotonic clock.
  public static func clock(microseconds: Int64) -> LoggedDraw {
    LoggedDraw(kind: .clock, value: String(microseconds))
  }

  /// One word of the random generator.
  public static func random(_ value: UInt64) -> LoggedDraw {
    LoggedDraw(kind: .random, value: String(value))
  }

  /// An identifier; small letters become capital ones.
  public static func uuid(_ text: String) -> LoggedDraw {
    LoggedDraw(kind: .uuid, value: text.uppercased())
  }

  /// What a replay hands out where the log has nothing to serve: always the same, never a live
  /// value.
  static func placeholder(_ kind: Kind) -> LoggedDraw {
    switch kind {
    case .date: LoggedDraw(kind: kind, value: "1970-01-01T00:00:00.000000Z")
    case .clock, .random: LoggedDraw(kind: kind, value: "0")
    case .uuid: LoggedDraw(kind: kind, value: "00000000-0000-0000-0000-000000000000")
    }
  }

  public var description: String { "\(kind.rawValue) \(value)" }
}
