/// A value that a reduction drew, as written in a log.
public struct LoggedDraw: Sendable, Hashable, CustomStringConvertible {
  /// A generator, which determines the form of its values.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// `2026-11-20T22:45:01.250331Z`: UTC, always six digits of microseconds.
    case date
    /// Microseconds since the clock's origin, in decimal.
    case clock
    /// A UUID with capital letters and hyphens.
    case uuid
    /// The result of one `next()` of the generator: a `UInt64` in decimal.
    case random
  }

  /// The generator that was asked.
  public let kind: Kind
  /// The value, in the form of its kind.
  public let value: String

  /// Creates a draw. Does not check that `value` has the form of `kind`; readers of logs do.
  public init(kind: Kind, value: String) {
    self.kind = kind
    self.value = value
  }

  /// Returns a reading of a monotonic clock.
  public static func clock(microseconds: Int64) -> LoggedDraw {
    LoggedDraw(kind: .clock, value: String(microseconds))
  }

  /// Returns one word of the random generator.
  public static func random(_ value: UInt64) -> LoggedDraw {
    LoggedDraw(kind: .random, value: String(value))
  }

  /// Returns an identifier, with its letters capitalized.
  public static func uuid(_ text: String) -> LoggedDraw {
    LoggedDraw(kind: .uuid, value: text.uppercased())
  }

  /// Returns the fixed value that a replay serves if the log has none. It is never a live value.
  static func placeholder(_ kind: Kind) -> LoggedDraw {
    switch kind {
    case .date: LoggedDraw(kind: kind, value: "1970-01-01T00:00:00.000000Z")
    case .clock, .random: LoggedDraw(kind: kind, value: "0")
    case .uuid: LoggedDraw(kind: kind, value: "00000000-0000-0000-0000-000000000000")
    }
  }

  /// The kind and the value.
  public var description: String { "\(kind.rawValue) \(value)" }
}
