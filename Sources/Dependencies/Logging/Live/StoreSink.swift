import Dispatch

/// Hands records from a level on to a `LogStore`, in batches and in order.
///
/// At most 8192 records wait for the store; what does not fit is dropped and counted, and so is a
/// batch that the store refuses. The store must not log.
package final class StoreSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let level: LogLevel
  private let failed = Shared(0)

  /// - Parameter level: Records below it are none of this sink's.
  package init(store: any LogStore, level: LogLevel = .trace) {
    self.level = level
    let failed = failed
    worker = BackgroundWorker { records in
      let batch = records
      records = []
      // The worker's own thread waits, none of the cooperative pool.
      let done = DispatchSemaphore(value: 0)
      Task.detached(priority: .utility) {
        do {
          try await store.appendLogRecords(batch)
        } catch {
          failed.value.withLock { $0 += batch.count }
        }
        done.signal()
      }
      done.wait()
    }
  }

  /// Puts the record into the queue, from the sink's level on. One lock.
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
