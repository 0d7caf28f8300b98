/// A destination of log records, which are already redacted and truncated.
///
/// A sink must return immediately, so blocking work belongs on its own thread. It must not throw or
/// log: records that a sink logs are dropped and counted.
public protocol LogRecordSink: Sendable {
  /// Receives a record and returns immediately.
  func write(_ record: LogRecord)
  /// Waits until the records written so far have reached their destination. Returns false if the
  /// deadline is reached first.
  func flush(deadline: ContinuousClock.Instant) -> Bool
  /// Flushes at the end of the program. A sink can report there what it has lost. Returns false if
  /// the deadline is reached first.
  func shutDown(deadline: ContinuousClock.Instant) -> Bool
  /// The number of records that the sink has lost.
  var dropped: Int { get }
  /// Returns why the last of them was lost, for the user, or `nil` if that is not known. The caller
  /// reports the losses so far, and `shutDown` does not.
  func reportLosses() -> String?
  /// Returns the stored records for reading, or `nil` if they cannot be read back.
  ///
  /// - Parameter redactor: Removes secrets registered after a record was written.
  func archive(redactor: Redactor) -> (any LogArchive)?
}

extension LogRecordSink {
  /// Returns true: no record is waiting.
  public func flush(deadline: ContinuousClock.Instant) -> Bool { true }
  /// Flushes, because nothing else is pending.
  public func shutDown(deadline: ContinuousClock.Instant) -> Bool { flush(deadline: deadline) }
  /// Returns `nil`: no reason is known.
  public func reportLosses() -> String? { nil }
  /// 0: no record was dropped.
  public var dropped: Int { 0 }
  /// Returns `nil`: records cannot be read back.
  public func archive(redactor: Redactor) -> (any LogArchive)? { nil }
}
