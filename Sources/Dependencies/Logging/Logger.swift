/// A log. It never throws, never blocks on a slow sink, and never calls back. A sink that fails
/// counts the records that it drops.
public protocol Logger: Service {
  /// Returns whether a record of this level and category would be written. It is cheap, because it
  /// is called before the message is built.
  func isEnabled(_ level: LogLevel, category: String) -> Bool
  /// Writes a record whose level is enabled. The logger sets `time`.
  func write(
    _ level: LogLevel, category: String, message: String, fields: [LogField])

  /// Returns the newest `limit` records in memory, oldest first.
  func recent(limit: Int) -> [LogRecord]
  /// Removes the records in memory.
  func clear()
  /// The stored records, including those of other processes if a sink stores them in a file.
  var archive: any LogArchive { get }
  /// Sets the minimum level of a category, or, for `nil`, of every category without its own.
  func setLevel(_ level: LogLevel, category: String?)
  /// Returns the minimum level of a category, or, for `nil`, the common one.
  func level(category: String?) -> LogLevel
  /// Returns the numbers of records written and dropped since the start.
  func statistics() -> LoggerStatistics
  /// Removes secrets from text, by value and by position. It is shared by everything that shows or
  /// stores text.
  var redactor: Redactor { get }
  /// Waits until the records written so far have reached the sinks. Blocks no thread of the task
  /// pool. Returns false if the time runs out first.
  func flush(within duration: Duration) async -> Bool
}

extension Logger {
  /// The records in memory at the time of reading. Later records do not follow.
  public var archive: any LogArchive {
    FixedArchive(records: { recent(limit: .max) }, remove: { clear() })
  }

  /// Flushes, because nothing else is pending.
  public func shutDown(within duration: Duration) async -> Bool { await flush(within: duration) }

  /// Returns `text` as a sink would write it.
  public func redact(_ text: String) -> String { redactor.redact(text) }

  /// Writes a record. The message and the fields are only built if the level is enabled.
  ///
  /// Always inlined, so that a disabled call is one check and a branch, without creating a closure.
  @inlinable @inline(__always)
  public func log(
    _ message: @autoclosure () -> String, level: LogLevel = .info, category: String = "board",
    fields: @autoclosure () -> [LogField] = []
  ) {
    guard isEnabled(level, category: category) else { return }
    write(level, category: category, message: message(), fields: fields())
  }
}

/// The reason why a note was not logged.
public enum LogNoteError: Error, Sendable, Equatable {
  /// The level of the category `note` excludes notes.
  case disabled
  /// A sink lost a record in the meantime, which may be this one.
  case dropped
  /// A sink did not accept the record within 30 seconds. It may still do so.
  case late
}

extension Logger {
  /// Writes a note of the user, with the category `note`, and waits until the sinks have it.
  public func write(note text: String) async throws(LogNoteError) {
    guard isEnabled(.notice, category: "note") else { throw .disabled }
    let dropped = statistics().dropped
    log(text, level: .notice, category: "note")
    guard await flush(within: .seconds(30)) else { throw .late }
    guard statistics().dropped == dropped else { throw .dropped }
  }
}

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

/// The numbers of log records.
public struct LoggerStatistics: Sendable, Equatable, Codable {
  /// The number of records by level: for a logger since its start, for an archive those stored.
  public var counts: [String: Int]
  /// The number of records that sinks of this process have lost.
  public var dropped: Int
  /// The number of records by category, if they were counted.
  public var categories: [String: Int]?
  /// The number of lines in an archive that are not records, or `nil` if there are none.
  public var unreadable: Int?

  /// Creates statistics.
  public init(
    counts: [String: Int], dropped: Int, categories: [String: Int]? = nil, unreadable: Int? = nil
  ) {
    self.counts = counts
    self.dropped = dropped
    self.categories = categories
    self.unreadable = unreadable
  }
}
