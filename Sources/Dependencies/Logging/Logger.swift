/// Takes log records. Never throws, never blocks on a slow sink and never calls back: a sink that fails counts what it
/// dropped.
public protocol Logger: Sendable {
  /// Whether a record of this level and category would go anywhere. Cheap: it is asked before the message is built.
  func isEnabled(_ level: LogLevel, category: String) -> Bool
  /// Takes a record whose level was enabled. `time` is set by the logger.
  func write(
    _ level: LogLevel, category: String, message: String, fields: [LogField])

  /// The newest `limit` records in memory, oldest of them first.
  func recent(limit: Int) -> [LogRecord]
  /// Removes what is in memory.
  func clear()
  /// The least level that is written for the category; `nil` stands for every category without one of its own.
  func setLevel(_ level: LogLevel, category: String?)
  func level(category: String?) -> LogLevel
  func statistics() -> LogStatistics
  /// What a sink would write in place of `text`.
  func redact(_ text: String) -> String
  /// From now on every sink writes `«secret:NAME»` in place of the value, also base64, percent-encoded and JSON-escaped.
  /// Values under four bytes are not registered: they would blank innocent text.
  func registerSecret(_ value: [UInt8], name: String)
  /// Returns when what was written so far has reached its sinks.
  func flush()
}

extension Logger {
  /// Writes one record. Neither the message nor the fields are built unless the level is enabled.
  ///
  /// Always inlined, so that a disabled call is one question and a branch: no closure is made.
  @inlinable @inline(__always)
  public func log(
    _ message: @autoclosure () -> String, level: LogLevel = .info, category: String = "board",
    fields: @autoclosure () -> [LogField] = []
  ) {
    guard isEnabled(level, category: category) else { return }
    write(level, category: category, message: message(), fields: fields())
  }
}

public enum LogLevel: Int, Sendable, Codable, Comparable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  @inlinable
  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

public struct LogField: Sendable, Equatable, Codable {
  public var key: String
  public var value: String

  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

public struct LogRecord: Sendable, Equatable, Codable {
  /// Wall-clock microseconds since 1970.
  public var time: Int64
  public var level: LogLevel
  public var category: String
  public var message: String
  public var fields: [LogField]

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

public struct LogStatistics: Sendable, Equatable, Codable {
  /// Records taken since the start, by level.
  public var counts: [String: Int]
  /// Records a sink could not take.
  public var dropped: Int

  public init(counts: [String: Int], dropped: Int) {
    self.counts = counts
    self.dropped = dropped
  }
}
