/// A sink for what may wait or fail, such as a pipe or a service: each has a queue and a thread of
/// its own, so that it delays neither callers nor other sinks.
///
/// What does not fit into the queue is dropped and counted, and so is a batch for which the closure
/// throws. A record in front of the next batch says how many were lost.
public final class QueuedSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let losses = Shared(LogLosses())

  /// - Parameters:
  ///   - capacity: How many records wait at most.
  ///   - write: Takes records, oldest first; called on the sink's thread, never concurrently. It
  ///     must not log: that is dropped and counted.
  public init(
    capacity: Int = 8192, _ write: @escaping @Sendable ([LogRecord]) throws -> Void
  ) {
    let losses = losses
    var limits = BackgroundWorker<LogRecord>.Limits()
    limits.elements = max(1, capacity)
    worker = BackgroundWorker(limits: limits) { records in
      let lost = losses.value.withLock { $0.unsaid }
      var batch = records
      records = []
      let count = batch.count
      if lost > 0, let first = batch.first { batch.insert(.lost(lost, at: first.time), at: 0) }
      do {
        try write(batch)
        losses.value.withLock { $0.said += lost }
      } catch {
        losses.value.withLock { $0.count += count }
      }
    }
  }

  /// Puts the record into the queue; one lock. Dropped and counted if the queue is full.
  public func write(_ record: LogRecord) {
    if !worker.add(record, bytes: record.approximateBytes) {
      losses.value.withLock { $0.count += 1 }
    }
  }

  /// Blocks the thread until the queue is empty and written.
  public func flush(deadline: ContinuousClock.Instant) -> Bool {
    worker.flush(deadline: deadline)
  }

  /// Records that did not fit, or whose batch failed.
  public var dropped: Int { losses.value.withLock { $0.count } }
}

/// Records that a sink was given and could not keep.
struct LogLosses: Sendable {
  var count = 0
  /// How many of them a record tells of.
  var said = 0

  var unsaid: Int { count - said }
}

extension LogRecord {
  /// Says that records are missing before this position.
  static func lost(_ count: Int, at time: Int64) -> LogRecord {
    LogRecord(
      time: time, level: .warning, category: "log",
      message: count == 1 ? "1 record was lost" : "\(count) records were lost")
  }
}
