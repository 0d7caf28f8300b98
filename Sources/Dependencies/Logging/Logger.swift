/// Takes log records. Never throws, never blocks on a slow sink and never calls back: a sink that
/// fails counts what it dropped.
public protocol Logger: Service {
  /// Whether a record of this level and category would go anywhere. Cheap: it is asked before the
  /// message is built.
  func isEnabled(_ level: LogLevel, category: String) -> Bool
  /// Takes a record whose level was enabled. `time` is set by the logger.
  func write(
    _ level: LogLevel, category: String, message: String, fields: [LogField])

  /// The newest `limit` records in memory, oldest of them first.
  func recent(limit: Int) -> [LogRecord]
  /// Removes what is in memory.
  func clear()
  /// The records that are kept, those of other processes too where a sink keeps a file.
  var archive: any LogArchive { get }
  /// The least level that is written for the category; `nil` stands for every category without one
  /// of its own.
  func setLevel(_ level: LogLevel, category: String?)
  /// The level that counts for the category; `nil` asks for the common one.
  func level(category: String?) -> LogLevel
  /// What was taken and dropped since the start.
  func statistics() -> LoggerStatistics
  /// Takes secrets out of text, by value and by position. What it knows is shared with whatever
  /// else shows or keeps text.
  var redactor: Redactor { get }
  /// Returns when what was written so far has reached its sinks.
  func flush()
}

extension Logger {
  /// What is in memory at the moment of reading; nothing follows.
  public var archive: any LogArchive {
    FixedArchive(records: { recent(limit: .max) }, remove: { clear() })
  }

  /// What a sink would write in place of `text`.
  public func redact(_ text: String) -> String { redactor.redact(text) }

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

/// How bad it is, the least first.
public enum LogLevel: Int, Sendable, Codable, Comparable, CaseIterable {
  /// The cases are in ascending order; their names appear in files and on the command line.
  case trace, debug, info, notice, warning, error, critical

  @inlinable
  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// A name and a value that go with a message.
public struct LogField: Sendable, Equatable, Codable {
  /// Of some names (`token`, `password`, `authorization` …) the value is always redacted.
  public var key: String
  /// As text; cut at 4 KiB.
  public var value: String

  /// A field as it is; redacted when it is logged.
  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

/// One thing that was logged.
public struct LogRecord: Sendable, Equatable, Codable {
  /// Wall-clock microseconds since 1970.
  public var time: Int64
  /// How bad it is.
  public var level: LogLevel
  /// What it is about, for example `api`.
  public var category: String
  /// Redacted and cut where it comes out of a logger.
  public var message: String
  /// In the order given; at most 64 where it comes out of a logger.
  public var fields: [LogField]

  /// A record as a logger makes it; nothing is redacted here.
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

/// How much was logged.
public struct LoggerStatistics: Sendable, Equatable, Codable {
  /// Records by level: of a logger those since the start, of an archive those that are kept.
  public var counts: [String: Int]
  /// Records a sink of this process could not take.
  public var dropped: Int
  /// Records by category, where they were counted.
  public var categories: [String: Int]?
  /// Lines of an archive that are no records; `nil` for none.
  public var unreadable: Int?

  /// Counts at one moment.
  public init(
    counts: [String: Int], dropped: Int, categories: [String: Int]? = nil, unreadable: Int? = nil
  ) {
    self.counts = counts
    self.dropped = dropped
    self.categories = categories
    self.unreadable = unreadable
  }
}
