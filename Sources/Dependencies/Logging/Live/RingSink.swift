import Synchronization

/// Keeps the newest records in memory. A write costs a lock and a copy, and allocates nothing once
/// the ring is full.
package final class RingSink: LogRecordSink {
  private struct State {
    var records: [LogRecord] = []
    /// The index of the oldest record once the ring is full.
    var next = 0
    /// The number of records written so far, which is the number of the next record.
    var written = 0
    /// The numbers of records written so far by level.
    var counts = Array(repeating: 0, count: LogLevel.allCases.count)
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// Creates an empty ring.
  ///
  /// - Parameter capacity: The maximum number of records, at least 1. Memory grows up to it with
  ///   the records.
  package init(capacity: Int = 1024) {
    self.capacity = max(1, capacity)
  }

  /// Stores the record, replacing the oldest once the ring is full. Acquires one lock.
  package func write(_ record: LogRecord) {
    // The replaced record is released after the lock.
    var record = record
    state.withLock { state in
      state.written += 1
      state.counts[record.level.rawValue] += 1
      if state.records.count < capacity {
        state.records.append(record)
      } else {
        swap(&state.records[state.next], &record)
        state.next = state.next + 1 == capacity ? 0 : state.next + 1
      }
    }
  }

  /// The numbers of records written so far by level.
  var counts: [Int] { state.withLock { $0.counts } }

  /// Returns the newest `limit` records, oldest first.
  package func recent(limit: Int = .max) -> [LogRecord] {
    let (records, next) = state.withLock { ($0.records, $0.next) }
    let count = min(max(0, limit), records.count)
    return ((records.count - count)..<records.count).map {
      records[(next + $0) % records.count]
    }
  }

  /// Returns the oldest records with numbers from `number` and before `end`, and the number after
  /// them. The first record ever written has the number 0.
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

  /// Removes all records and frees their memory.
  package func clear() {
    var old: [LogRecord] = []
    state.withLock { state in
      swap(&state.records, &old)
      state.next = 0
    }
    withExtendedLifetime(old) {}
  }
}
