/// A destination of log records. A sink gets records that are redacted and bounded already.
///
/// It must return at once (what may wait belongs on its own thread), must not throw and must not
/// log: what a sink logs is dropped and counted.
public protocol LogRecordSink: Sendable {
  /// Takes a record. Returns at once.
  func write(_ record: LogRecord)
  /// Returns when what was written so far is where it belongs; false when the deadline came first.
  func flush(deadline: ContinuousClock.Instant) -> Bool
  /// Records that the sink was given and could not keep.
  var dropped: Int { get }
  /// The records that it keeps, for reading; `nil` for a sink whose records cannot be read back.
  ///
  /// - Parameter redactor: Takes out of a record what was registered as secret since it was
  ///   written.
  func archive(redactor: Redactor) -> (any LogArchive)?
}

extension LogRecordSink {
  /// Nothing is waiting.
  public func flush(deadline: ContinuousClock.Instant) -> Bool { true }
  /// Nothing was dropped.
  public var dropped: Int { 0 }
  /// Nothing can be read back.
  public func archive(redactor: Redactor) -> (any LogArchive)? { nil }
}
