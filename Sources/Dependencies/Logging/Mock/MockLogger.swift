/// A logger for tests: every level is on, records stay in memory, and time comes from the generator
/// given.
///
/// Levels, redaction and bounds are the same as in `LiveLogger`.
public final class MockLogger: Logger {
  private let base: LiveLogger

  /// - Parameters:
  ///   - records: What it starts with; each is redacted and cut, and counts as logged.
  ///   - capacity: How many records are kept; the oldest are dropped first.
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

  /// As `LiveLogger` decides.
  public func isEnabled(_ level: LogLevel, category: String) -> Bool {
    base.isEnabled(level, category: category)
  }

  /// Keeps the record, redacted and cut as by `LiveLogger`.
  public func write(_ level: LogLevel, category: String, message: String, fields: [LogField]) {
    base.write(level, category: category, message: message, fields: fields)
  }

  /// As `records`, the newest of them.
  public func recent(limit: Int) -> [LogRecord] { base.recent(limit: limit) }
  /// The records in memory; touches no file.
  public var archive: any LogArchive { base.archive }
  /// Forgets what was logged.
  public func clear() { base.clear() }
  /// As in `LiveLogger`.
  public func setLevel(_ level: LogLevel, category: String?) {
    base.setLevel(level, category: category)
  }
  /// As in `LiveLogger`.
  public func level(category: String?) -> LogLevel { base.level(category: category) }
  /// Nothing is dropped but what is logged from inside a sink.
  public func statistics() -> LoggerStatistics { base.statistics() }
  /// The one that its records go through.
  public var redactor: Redactor { base.redactor }
  /// Nothing to wait for.
  public func flush() { base.flush() }
}

extension MockLogger {
  /// A mock with five sample records; a new one at every mention.
  public static var preview: MockLogger { preview(redactor: Redactor()) }

  static func preview(redactor: Redactor) -> MockLogger {
    MockLogger(records: samples, redactor: redactor)
  }

  /// The records of the preview, one second apart; the last is of the mock's date.
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
