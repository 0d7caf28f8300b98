/// Writes records from a minimum level on to a `LogStore`, in batches and in order.
///
/// At most 8192 records wait for the store. Records that do not fit are dropped and counted, and so
/// is a batch that the store refuses. The store must not log.
package final class StoreSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let level: LogLevel
  private let failed = Shared(0)

  /// - Parameter level: The minimum level of the records.
  package init(store: any LogStore, level: LogLevel = .trace) {
    self.level = level
    let failed = failed
    worker = BackgroundWorker { records in
      let batch = records
      records = []
      // This blocks the worker's own thread, not one of the cooperative pool.
      waitForTask {
        do {
          try await store.appendLogRecords(batch)
        } catch {
          failed.value.withLock { $0 += batch.count }
        }
      }
    }
  }

  /// Adds the record to the queue if it has the sink's minimum level. Acquires one lock.
  package func write(_ record: LogRecord) {
    guard record.level >= level else { return }
    worker.add(record, bytes: record.approximateBytes)
  }

  /// Blocks the thread, which must not be one that the store needs.
  package func flush(deadline: ContinuousClock.Instant) -> Bool {
    worker.flush(deadline: deadline)
  }

  /// The number of records that were dropped because the queue was full or the store refused their
  /// batch.
  package var dropped: Int { worker.dropped + failed.value.withLock { $0 } }
}
