/// A sink for a destination that may block or fail, such as a pipe or a service. It has its own
/// queue and thread, so it delays neither callers nor other sinks.
///
/// Records that do not fit into the queue are dropped and counted, and so is a batch for which the
/// closure throws. A record before the next batch reports the number of lost records.
public final class QueuedSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let losses = Shared(LogLosses())

  /// - Parameters:
  ///   - capacity: The maximum number of waiting records.
  ///   - write: Writes records, oldest first. Called on the sink's thread, never concurrently. It
  ///     must not log: such records are dropped and counted.
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

  /// Adds the record to the queue with one lock. Drops and counts it if the queue is full.
  public func write(_ record: LogRecord) {
    if !worker.add(record, bytes: record.approximateBytes) {
      losses.value.withLock { $0.count += 1 }
    }
  }

  /// Blocks the thread until the queue is written.
  public func flush(deadline: ContinuousClock.Instant) -> Bool {
    worker.flush(deadline: deadline)
  }

  /// The number of records that did not fit or whose batch failed.
  public var dropped: Int { losses.value.withLock { $0.count } }
}

/// The number of records that a sink has lost.
struct LogLosses: Sendable {
  var count = 0
  /// The number of lost records that lines report.
  var said = 0
  /// The number of lost records when a caller of the sink last reported them.
  var told = 0
  /// Why the last of them was lost, if that is known.
  var problem: String?
  /// Whether a loss was reported outside of the log.
  var isReported = false

  /// The number of lost records that no line reports yet.
  var unsaid: Int { count - said }
  /// The number of lost records that neither a line nor a caller has reported.
  var unreported: Int { count - max(said, told) }
}

extension LogRecord {
  /// Creates a record that reports missing records before it.
  static func lost(_ count: Int, at time: Int64) -> LogRecord {
    LogRecord(
      time: time, level: .warning, category: "log",
      message: count == 1 ? "1 record was lost" : "\(count) records were lost")
  }
}
