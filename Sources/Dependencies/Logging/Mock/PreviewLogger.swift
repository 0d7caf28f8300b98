/// A logger with a few sample records in memory, for looking at what is built on it. Otherwise like
/// `MockLogger`.
public final class PreviewLogger: Logger {
  private let base: MockLogger

  /// The samples are one second apart and end with the date given.
  public init(date: DateGenerator = .fixed()) {
    let samples = Self.samples
    let end = date.now
    let start = end - Int64(samples.count - 1) * 1_000_000
    let next = Shared<Int64>(start)
    base = MockLogger(
      date: DateGenerator {
        let time = next.value.withLock { time in
          defer { time += 1_000_000 }
          return time
        }
        return time <= end ? time : date.now
      })
    for sample in samples {
      base.write(
        sample.level, category: sample.category, message: sample.message, fields: sample.fields)
    }
  }

  private static let samples = [
    LogRecord(time: 0, level: .info, category: "board", message: "board opened"),
    LogRecord(
      time: 0, level: .debug, category: "api", message: "GET https://api.example.com/status",
      fields: [LogField("status", "200"), LogField("ms", "42")]),
    LogRecord(time: 0, level: .notice, category: "keychain", message: "keychain unlocked"),
    LogRecord(
      time: 0, level: .warning, category: "api", message: "answer from the cache is stale",
      fields: [LogField("service", "example")]),
    LogRecord(
      time: 0, level: .error, category: "db", message: "database is busy",
      fields: [LogField("operation", "put")]),
  ]

  /// As `MockLogger` decides: every level is on.
  public func isEnabled(_ level: LogLevel, category: String) -> Bool {
    base.isEnabled(level, category: category)
  }

  /// Keeps the record behind the samples.
  public func write(_ level: LogLevel, category: String, message: String, fields: [LogField]) {
    base.write(level, category: category, message: message, fields: fields)
  }

  /// The newest, samples included.
  public func recent(limit: Int) -> [LogRecord] { base.recent(limit: limit) }
  /// Forgets the samples too.
  public func clear() { base.clear() }
  /// As in `MockLogger`.
  public func setLevel(_ level: LogLevel, category: String?) {
    base.setLevel(level, category: category)
  }
  /// As in `MockLogger`.
  public func level(category: String?) -> LogLevel { base.level(category: category) }
  /// Counts the samples too.
  public func statistics() -> LogStatistics { base.statistics() }
  /// The one that its records go through.
  public var redactor: Redactor { base.redactor }
  /// Nothing to wait for.
  public func flush() { base.flush() }
}
