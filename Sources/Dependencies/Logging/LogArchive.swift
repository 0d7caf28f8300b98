/// The log records that are kept: in files those of every process that writes to them, in memory
/// those of this one.
public protocol LogArchive: Sendable {
  /// Begins to read, at the oldest of the records that match.
  ///
  /// What was logged in this process before the call is among the records.
  ///
  /// - Parameters:
  ///   - newest: Begins at the newest so many of them instead; 0 begins at the end. The records
  ///     before are not read.
  ///   - follows: Records that are written later follow. Otherwise the reader ends with those that
  ///     are there at the call.
  /// - Throws: `FileError` where what is kept cannot be read.
  /// - Complexity: The memory of a page, whatever `newest` is.
  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogReader
  /// Removes what is kept, for every process.
  ///
  /// - Throws: `FileError`.
  func clear() async throws(FileError)
}

/// Reads kept records page by page, in the order in which they were written. One caller at a time.
public protocol LogReader: Sendable {
  /// The next records, at most `limit`. None where no more are there: a reader that follows can be
  /// asked again later.
  ///
  /// - Throws: `FileError` where what is kept cannot be read.
  func next(_ limit: Int) async throws(FileError) -> [LogRecord]
  /// The lines so far that are no records, such as one that another program has written.
  var unreadable: Int { get }
}

/// Which log records; everything unless it says so.
public struct LogFilter: Sendable, Equatable {
  /// At least this level.
  public var level: LogLevel?
  /// With this text in message, category or fields.
  public var text: String?
  /// Written at this time or later; wall-clock microseconds since 1970.
  public var since: Int64?
  /// That this step of the session, or an effect of it, caused.
  public var step: Int?

  /// Every record.
  public init() {}

  /// Whether a record is one of these. O(its text).
  public func matches(_ record: LogRecord) -> Bool {
    if let level, record.level < level { return false }
    if let since, record.time < since { return false }
    if let step, !record.fields.contains(LogField("step", String(step))) { return false }
    guard let text, !text.isEmpty else { return true }
    return record.message.contains(text) || record.category.contains(text)
      || record.fields.contains { $0.key.contains(text) || $0.value.contains(text) }
  }
}

/// Records that are in memory already, for a logger that keeps none elsewhere.
struct FixedArchive: LogArchive {
  let records: @Sendable () -> [LogRecord]
  let remove: @Sendable () -> Void

  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogReader {
    let ring = RingSink(capacity: .max)
    for record in records() { ring.write(record) }
    return RingReader(ring, newest: newest, filter, follows: false, redactor: nil)
  }

  func clear() async throws(FileError) { remove() }
}
