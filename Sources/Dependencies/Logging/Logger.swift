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
  /// Writes a note of the user, with the category `note`, and waits until the sinks have it.
  func write(note text: String) async throws(LogNoteError)
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
  /// A sink lost a record in the meantime, which may be this one, for a reason if it is known.
  case dropped(reason: String?)
  /// A sink did not accept the record within 30 seconds. It may still do so.
  case late
}

extension Logger {
  /// Writes the note, and finds a loss by the number of dropped records, without a reason.
  public func write(note text: String) async throws(LogNoteError) {
    let dropped = statistics().dropped
    try await log(note: text)
    guard statistics().dropped == dropped else { throw .dropped(reason: nil) }
  }

  /// Writes a note and flushes, without looking for a loss.
  func log(note text: String) async throws(LogNoteError) {
    guard isEnabled(.notice, category: "note") else { throw .disabled }
    log(text, level: .notice, category: "note")
    guard await flush(within: .seconds(30)) else { throw .late }
  }
}
