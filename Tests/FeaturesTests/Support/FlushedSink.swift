import SwiftBoardDependencies

/// Keeps no record of a log, and calls back when it is flushed.
struct FlushedSink: LogRecordSink {
  let onFlush: @Sendable () -> Void

  func write(_ record: LogRecord) {}

  func flush(deadline: ContinuousClock.Instant) -> Bool {
    onFlush()
    return true
  }
}
