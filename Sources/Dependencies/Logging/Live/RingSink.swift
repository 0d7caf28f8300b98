import Synchronization

/// The newest records, in memory. A write costs a lock and a copy, and nothing is allocated once
/// the ring is full.
package final class RingSink: LogRecordSink {
  private struct State {
    var records: [LogRecord] = []
    /// The oldest record's position once the ring is full.
    var next = 0
    /// How many were ever written: the number of the next.
    var written = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// A ring without records.
  ///
  /// - Parameter capacity: Less than 1 counts as 1. Memory grows up to it with the records.
  package init(capacity: Int = 1024) {
    self.capacity = max(1, capacity)
  }

  /// Keeps the record in place of the oldest once the ring is full. One lock.
  package func write(_ record: LogRecord) {
    // The dropped record is freed after the lock.
    let old = state.withLock { state -> LogRecord? in
      state.written += 1
      if state.records.count < capacity {
        state.records.append(record)
        return nil
      }
      let old = state.records[state.next]
      state.records[state.next] = record
      state.next = state.next + 1 == capacity ? 0 : state.next + 1
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// The newest `limit` records, oldest of them first.
  package func recent(limit: Int = .max) -> [LogRecord] {
    let (records, next) = state.withLock { ($0.records, $0.next) }
    let count = min(max(0, limit), records.count)
    return ((records.count - count)..<records.count).map {
      records[(next + $0) % records.count]
    }
  }

  /// The oldest records from a number on, before another one, and the number that follows them. The
  /// first record ever written has the number 0.
  func records(
    from number: Int, to end: Int?, limit: Int
  ) -> (records: [LogRecord], next: Int) {
    let (records, next, written) = state.withLock { ($0.records, $0.next, $0.written) }
    let oldest = written - records.count
    let start = min(max(number, oldest), written)
    let last = min(written, end ?? .max)
    guard start < last, limit > 0 else { return ([], max(start, number)) }
    let stop = start + min(limit, last - start)
    return ((start..<stop).map { records[(next + $0 - oldest) % records.count] }, stop)
  }

  /// Forgets all records and gives their memory back.
  package func clear() {
    let old = state.withLock { state in
      defer {
        let written = state.written
        state = State()
        state.written = written
      }
      return state
    }
    withExtendedLifetime(old) {}
  }
}
