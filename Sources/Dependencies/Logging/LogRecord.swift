/// The severity of a record, in ascending order.
public enum LogLevel: Int, Sendable, Codable, Comparable, CaseIterable {
  /// The cases in ascending order. Their names appear in files and on the command line.
  case trace, debug, info, notice, warning, error, critical

  /// Returns whether `a` is less severe than `b`.
  @inlinable
  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// A name and a value that belong to a message.
public struct LogField: Sendable, Equatable, Codable {
  /// The name. Some names (`token`, `password`, `authorization` …) always have their value
  /// redacted.
  public var key: String
  /// The value as text, truncated to 4 KiB.
  public var value: String

  /// Creates a field. It is redacted when it is logged.
  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

/// A log record.
public struct LogRecord: Sendable, Equatable, Codable {
  /// The length in bytes above which a logger cuts a message.
  package static let longestMessage = 16 << 10

  /// The time in wall-clock microseconds since 1970.
  public var time: Int64
  /// The severity.
  public var level: LogLevel
  /// The subject, for example `api`.
  public var category: String
  /// The message, redacted and truncated if it comes from a logger.
  public var message: String
  /// The fields in the order given, at most 64 if the record comes from a logger.
  public var fields: [LogField]

  /// Creates a record without redaction.
  public init(
    time: Int64, level: LogLevel, category: String, message: String, fields: [LogField] = []
  ) {
    self.time = time
    self.level = level
    self.category = category
    self.message = message
    self.fields = fields
  }
}
