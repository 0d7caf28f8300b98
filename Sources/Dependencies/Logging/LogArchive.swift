/// The stored log records: in files, those of every process that writes to them; in memory, those
/// of this process.
public protocol LogArchive: Sendable {
  /// Starts reading at the oldest matching record.
  ///
  /// Records logged in this process before the call are included.
  ///
  /// - Parameters:
  ///   - newest: The number of newest matching records to start with instead. 0 starts at the end.
  ///     Earlier records are not read.
  ///   - follows: Whether to include records that are written later. Otherwise, the reader ends
  ///     with those that exist at the time of the call.
  /// - Throws: `FileError` if the records cannot be read.
  /// - Complexity: Memory for one page, regardless of `newest`.
  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogRecordReader
  /// Removes the stored records of all processes.
  ///
  /// - Throws: `FileError`.
  func clear() async throws(FileError)
}

/// Reads stored records page by page, in the order in which they were written. One caller at a
/// time.
public protocol LogRecordReader: Sendable {
  /// Returns the next records, at most `limit`. Returns none if there are no more. A reader that
  /// follows can be called again later.
  ///
  /// - Throws: `FileError` if the records cannot be read.
  func next(_ limit: Int) async throws(FileError) -> [LogRecord]
  /// The number of lines so far that are not records, for example from another program.
  var unreadable: Int { get }
}

/// A filter for log records; by default, every record matches.
public struct LogFilter: Sendable, Equatable {
  /// The minimum level.
  public var level: LogLevel?
  /// Only records that contain this text in message, category or fields, which are `key=value`.
  public var text: String?
  /// Only records written at this time or later, in wall-clock microseconds since 1970.
  public var since: Int64?
  /// Only records caused by this step of the session or by its effects.
  public var step: Int?

  /// Creates a filter that every record matches.
  public init() {}

  /// Returns whether a record matches. Linear in its text.
  public func matches(_ record: LogRecord) -> Bool {
    if let level, record.level < level { return false }
    if let since, record.time < since { return false }
    if let step, !record.fields.contains(LogField("step", String(step))) { return false }
    guard let text, !text.isEmpty else { return true }
    return [record.message, record.category].contains { $0.end(ofFirst: text) != nil }
      || record.fields.contains { "\($0.key)=\($0.value)".end(ofFirst: text) != nil }
  }
}

/// An archive of records in memory, for a logger that stores none elsewhere.
struct FixedArchive: LogArchive {
  let records: @Sendable () -> [LogRecord]
  let remove: @Sendable () -> Void

  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogRecordReader {
    let ring = RingSink(capacity: .max)
    for record in records() { ring.write(record) }
    return RingReader(ring, newest: newest, filter, follows: false, redactor: nil)
  }

  func clear() async throws(FileError) { remove() }
}
