import SwiftBoardSystem
import Synchronization

/// The logger: decides by level, redacts, bounds, keeps the newest records in memory and hands them
/// to its sinks.
///
/// A call whose level is off costs a few nanoseconds, allocates nothing and builds no message. One
/// that is on costs the redaction (about a nanosecond a byte) and, for each sink, what putting a
/// record into a queue costs; no sink is waited for. A record is redacted first and bounded then:
/// messages of more than 16 KiB, field values of more than 4 KiB and fields beyond the 64th are
/// cut, with a note.
public final class LiveLogger: Logger {
  /// Takes secrets out of text. What is registered is also taken out of the records in memory when
  /// they are read.
  public let redactor: Redactor
  private let levels: LevelTable
  private let date: DateGenerator
  private let ring: RingSink
  private let sinks: [any LogRecordSink]
  private let counts = Mutex(Counts())

  private struct Counts {
    var byLevel = Array(repeating: 0, count: LogLevel.allCases.count)
    var dropped = 0
  }

  /// A logger that keeps the newest 1024 records in memory.
  ///
  /// - Parameters:
  ///   - sinks: Where records go besides the memory.
  ///   - date: Gives each record its time. Not that of the dependencies: writing a log is no draw.
  ///   - level: The least level written, for every category without one of its own.
  public convenience init(
    sinks: [any LogRecordSink] = [], date: DateGenerator = .live, level: LogLevel = .info,
    redactor: Redactor = Redactor()
  ) {
    self.init(sinks: sinks, date: date, level: level, ring: RingSink(), redactor: redactor)
  }

  init(
    sinks: [any LogRecordSink], date: DateGenerator, level: LogLevel, ring: RingSink,
    redactor: Redactor
  ) {
    self.sinks = sinks
    self.date = date
    self.levels = LevelTable(level)
    self.ring = ring
    self.redactor = redactor
  }

  /// A few nanoseconds, no allocation.
  public func isEnabled(_ level: LogLevel, category: String) -> Bool {
    levels.isEnabled(level, category: category)
  }

  /// Redacts and shortens the record, keeps it, and passes it to the sinks. Records that a sink
  /// logs are dropped and counted.
  public func write(
    _ level: LogLevel, category: String, message: String, fields: [LogField]
  ) {
    write(
      LogRecord(
        time: date.now, level: level, category: category, message: message, fields: fields),
      LogCause.current)
  }

  /// Takes a record with its own time.
  func write(_ record: LogRecord, _ cause: LogCause? = nil) {
    guard !LogRecursion.isInside else {
      counts.withLock { $0.dropped += 1 }
      return
    }
    let pass = redactor.pass()
    var record = LogRecord(
      time: record.time, level: record.level, category: clean(record.category, limit: 128, pass),
      message: clean(record.message, limit: 16 << 10, pass), fields: clean(record.fields, pass))
    if let cause { record.fields += cause.fields }
    counts.withLock { $0.byLevel[record.level.rawValue] += 1 }
    ring.write(record)
    guard !sinks.isEmpty else { return }
    LogRecursion.enter()
    defer { LogRecursion.leave() }
    for sink in sinks { sink.write(record) }
  }

  /// The newest records in memory, without what was registered as secret since they were written.
  public func recent(limit: Int) -> [LogRecord] {
    ring.recent(limit: limit).map(redactor.redact)
  }

  /// What the first sink keeps that can be read back, such as `JSONLinesSink`; without one the
  /// memory.
  public var archive: any LogArchive {
    for sink in sinks {
      if let archive = sink.archive(redactor: redactor) { return archive }
    }
    return RingArchive(ring: ring, redactor: redactor)
  }

  /// Empties the memory; sinks keep what they have.
  public func clear() { ring.clear() }

  /// Takes effect with the next record. A category keeps its own level when the common one changes.
  public func setLevel(_ level: LogLevel, category: String?) {
    levels.set(level, category: category)
  }

  /// The category's own level, else the common one.
  public func level(category: String?) -> LogLevel { levels.level(category: category) }

  /// One lock, and one for each sink.
  public func statistics() -> LoggerStatistics {
    let counts = counts.withLock { $0 }
    var byName: [String: Int] = [:]
    for level in LogLevel.allCases { byName[level.name] = counts.byLevel[level.rawValue] }
    return LoggerStatistics(
      counts: byName, dropped: sinks.reduce(counts.dropped) { $0 + $1.dropped })
  }

  /// Waits up to two seconds; see `flush(within:)`. It blocks the thread: call it at a shutdown,
  /// not from an effect.
  public func flush() { _ = flush(within: .seconds(2)) }

  /// Returns when what was written so far has reached every sink; false when the time was over
  /// first. It blocks the thread.
  @discardableResult
  public func flush(within duration: Duration) -> Bool {
    let deadline = ContinuousClock().now.advanced(by: duration)
    return sinks.reduce(true) { $1.flush(deadline: deadline) && $0 }
  }

  /// Flushes on a thread of its own, because a sink that writes to a database needs the threads of
  /// the task pool.
  public func shutDown(within duration: Duration) async -> Bool {
    await DetachedThread.run { self.flush(within: duration) }
  }

  private func clean(_ fields: [LogField], _ pass: Redactor.Pass) -> [LogField] {
    if fields.count <= 64, pass.isClean(fields, keyLimit: 128, valueLimit: 4 << 10) {
      return fields
    }
    var cleaned = fields.prefix(64).map { field in
      let field = pass.redact(field)
      return LogField(bounded(field.key, limit: 128), bounded(field.value, limit: 4 << 10))
    }
    if fields.count > 64 { cleaned.append(LogField("omitted", "\(fields.count - 64) fields")) }
    return cleaned
  }

  private func clean(_ text: String, limit: Int, _ pass: Redactor.Pass) -> String {
    pass.isClean(text, limit: limit) ? text : bounded(pass.redact(text), limit: limit)
  }

  private func bounded(_ text: String, limit: Int) -> String {
    let count = text.utf8.count
    guard count > limit else { return text }
    let end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
    return text[..<scalar(atOrBefore: end, in: text)] + "… (cut: \(count) bytes)"
  }

  /// A scalar is not cut in two.
  private func scalar(atOrBefore index: String.Index, in text: String) -> String.Index {
    var index = index
    while index.samePosition(in: text.unicodeScalars) == nil, index > text.startIndex {
      index = text.utf8.index(before: index)
    }
    return index
  }
}
