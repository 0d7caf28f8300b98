import SwiftBoardSystem
import Synchronization

/// A logger that filters by level, redacts and truncates records, keeps the newest in memory, and
/// passes them to its sinks.
///
/// A call with a disabled level takes a few nanoseconds, allocates nothing and builds no message.
/// An enabled call costs the redaction (about a nanosecond per byte) and, for each sink, the time
/// to queue a record. It never waits for a sink. A record is redacted first and then truncated:
/// messages above 16 KiB, field values above 4 KiB and fields after the 64th are cut, with a note.
public final class LiveLogger: Logger {
  /// Removes secrets from text. Secrets registered later are removed from the records in memory
  /// when they are read.
  public let redactor: Redactor
  private let levels: LevelTable
  private let date: DateGenerator
  private let ring: RingSink
  private let sinks: [any LogRecordSink]
  /// The number of records that were dropped because a sink logged them inside a write.
  private let dropped = Atomic(0)

  /// Creates a logger that keeps the newest 1024 records in memory.
  ///
  /// - Parameters:
  ///   - sinks: Additional destinations of records.
  ///   - date: The generator of the records' times. It is not that of the dependencies, because
  ///     writing a log must not be a draw.
  ///   - level: The minimum level of categories without their own.
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

  /// Takes a few nanoseconds, without allocation.
  public func isEnabled(_ level: LogLevel, category: String) -> Bool {
    levels.isEnabled(level, category: category)
  }

  /// Redacts and truncates the record, stores it, and passes it to the sinks. Records that a sink
  /// logs are dropped and counted.
  public func write(
    _ level: LogLevel, category: String, message: String, fields: [LogField]
  ) {
    write(
      LogRecord(
        time: date.now, level: level, category: category, message: message, fields: fields),
      LogCause.current)
  }

  /// Writes a record with its own time.
  func write(_ record: LogRecord, _ cause: LogCause? = nil) {
    guard !LogRecursion.isInside else {
      dropped.add(1, ordering: .relaxed)
      return
    }
    let pass = redactor.pass()
    var record = LogRecord(
      time: record.time, level: record.level, category: clean(record.category, limit: 128, pass),
      message: clean(record.message, limit: LogRecord.longestMessage, pass),
      fields: clean(record.fields, pass))
    if let cause { record.fields += cause.fields }
    ring.write(record)
    guard !sinks.isEmpty else { return }
    LogRecursion.enter()
    defer { LogRecursion.leave() }
    for sink in sinks { sink.write(record) }
  }

  /// Returns the newest records in memory, without secrets registered since they were written.
  public func recent(limit: Int) -> [LogRecord] {
    ring.recent(limit: limit).map(redactor.redact)
  }

  /// The archive of the first sink that has one, such as `JSONLinesSink`, or else the records in
  /// memory.
  public var archive: any LogArchive {
    for sink in sinks {
      if let archive = sink.archive(redactor: redactor) { return archive }
    }
    return RingArchive(ring: ring, redactor: redactor)
  }

  /// Removes the records in memory. Sinks keep theirs.
  public func clear() { ring.clear() }

  /// Sets a level from the next record on. A category keeps its own level when the common one
  /// changes.
  public func setLevel(_ level: LogLevel, category: String?) {
    levels.set(level, category: category)
  }

  /// Returns the category's own level, or else the common one.
  public func level(category: String?) -> LogLevel { levels.level(category: category) }

  /// Acquires a lock of the records in memory, and one for each sink.
  public func statistics() -> LoggerStatistics {
    let counts = ring.counts
    var byName: [String: Int] = [:]
    for level in LogLevel.allCases { byName[level.name] = counts[level.rawValue] }
    let dropped = dropped.load(ordering: .relaxed)
    return LoggerStatistics(
      counts: byName, dropped: sinks.reduce(dropped) { $0 + $1.dropped })
  }

  /// Flushes every sink on a thread of its own, because a sink that writes to a database needs the
  /// threads of the task pool.
  public func flush(within duration: Duration) async -> Bool {
    let deadline = ContinuousClock().now.advanced(by: duration)
    return await DetachedThread.run { [sinks] in
      sinks.reduce(true) { $1.flush(deadline: deadline) && $0 }
    }
  }

  /// Writes the note. A loss has the reason of a sink that lost a record meanwhile, and is then
  /// reported: the end of the program does not do it again.
  public func write(note text: String) async throws(LogNoteError) {
    let dropped = sinks.map(\.dropped)
    try await log(note: text)
    let losing = zip(sinks, dropped).filter { $0.dropped > $1 }.map(\.0)
    if losing.isEmpty { return }
    let reasons = losing.map { $0.reportLosses() }
    throw .dropped(reason: reasons.compactMap(\.self).first)
  }

  /// Like `flush(within:)`, but shuts the sinks down.
  public func shutDown(within duration: Duration) async -> Bool {
    let deadline = ContinuousClock().now.advanced(by: duration)
    return await DetachedThread.run { [sinks] in
      sinks.reduce(true) { $1.shutDown(deadline: deadline) && $0 }
    }
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
    return text[..<scalar(atOrBefore: end, in: text)] + "... (cut: \(count) bytes)"
  }

  /// Returns an index at a scalar boundary, so that no scalar is split.
  private func scalar(atOrBefore index: String.Index, in text: String) -> String.Index {
    var index = index
    while index.samePosition(in: text.unicodeScalars) == nil, index > text.startIndex {
      index = text.utf8.index(before: index)
    }
    return index
  }
}
