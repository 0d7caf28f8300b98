/// A logger for tests. Every level is enabled, records stay in memory, and time comes from the
/// given generator.
///
/// Levels, redaction and bounds are the same as in `LiveLogger`.
public final class MockLogger: Logger {
  private let base: LiveLogger

  /// - Parameters:
  ///   - records: The initial records. They are redacted and truncated, and count as logged.
  ///   - capacity: The maximum number of records. The oldest are dropped first.
  public init(
    records: [LogRecord] = [], date: DateGenerator = .fixed(), level: LogLevel = .trace,
    capacity: Int = 100_000, redactor: Redactor = Redactor()
  ) {
    base = LiveLogger(
      sinks: [], date: date, level: level, ring: RingSink(capacity: capacity), redactor: redactor)
    for record in records { base.write(record) }
  }

  /// The records, oldest first.
  public var records: [LogRecord] { base.recent(limit: .max) }

  /// Behaves like `LiveLogger`.
  public func isEnabled(_ level: LogLevel, category: String) -> Bool {
    base.isEnabled(level, category: category)
  }

  /// Stores the record, redacted and truncated like by `LiveLogger`.
  public func write(_ level: LogLevel, category: String, message: String, fields: [LogField]) {
    base.write(level, category: category, message: message, fields: fields)
  }

  /// Returns the newest of `records`.
  public func recent(limit: Int) -> [LogRecord] { base.recent(limit: limit) }
  /// The records in memory. Uses no file.
  public var archive: any LogArchive { base.archive }
  /// Removes the records.
  public func clear() { base.clear() }
  /// Behaves like `LiveLogger`.
  public func setLevel(_ level: LogLevel, category: String?) {
    base.setLevel(level, category: category)
  }
  /// Behaves like `LiveLogger`.
  public func level(category: String?) -> LogLevel { base.level(category: category) }
  /// Returns the numbers of records. Only records logged inside a sink are dropped.
  public func statistics() -> LoggerStatistics { base.statistics() }
  /// The redactor applied to the records.
  public var redactor: Redactor { base.redactor }
  /// Returns true immediately, because no record is waiting.
  public func flush(within duration: Duration) async -> Bool { true }
}

extension MockLogger {
  /// Creates a mock with five sample records.
  public static var preview: MockLogger { preview(redactor: Redactor()) }

  static func preview(redactor: Redactor) -> MockLogger {
    MockLogger(records: samples, redactor: redactor)
  }

  /// The sample records, one second apart. The last one has the mock's date.
  private static var samples: [LogRecord] {
    func record(
      _ seconds: Int64, _ level: LogLevel, _ category: String, _ message: String,
      _ fields: [LogField] = []
    ) -> LogRecord {
      LogRecord(
        time: DateGenerator.mockStart + seconds * 1_000_000, level: level, category: category,
        message: message, fields: fields)
    }
    return [
      record(-4, .info, "board", "board opened"),
      record(
        -3, .debug, "api", "GET https://api.example.com/status",
        [LogField("status", "200"), LogField("ms", "42")]),
      record(-2, .notice, "keychain", "keychain unlocked"),
      record(
        -1, .warning, "api", "answer from the cache is stale", [LogField("service", "example")]),
      record(0, .error, "db", "database is busy", [LogField("operation", "put")]),
    ]
  }
}
