import Synchronization

/// An archive of the records in a ring.
struct RingArchive: LogArchive {
  let ring: RingSink
  let redactor: Redactor

  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogRecordReader {
    RingReader(ring, newest: newest, filter, follows: follows, redactor: redactor)
  }

  func clear() async throws(FileError) { ring.clear() }
}

/// Reads a ring. Records that are dropped from the ring before they are read are skipped.
final class RingReader: LogRecordReader {
  let unreadable = 0
  private let ring: RingSink
  private let filter: LogFilter
  private let redactor: Redactor?
  /// The number of the first record that is not read.
  private let end: Int?
  private let position: Mutex<Int>

  init(
    _ ring: RingSink, newest: Int?, _ filter: LogFilter, follows: Bool, redactor: Redactor?
  ) {
    self.ring = ring
    self.filter = filter
    self.redactor = redactor
    let (records, next) = ring.records(from: 0, to: nil, limit: .max)
    end = follows ? nil : next
    var start = next - records.count
    if let newest {
      var left = max(0, newest)
      start = next
      for record in records.reversed() {
        guard left > 0 else { break }
        start -= 1
        if filter.matches(redactor?.redact(record) ?? record) { left -= 1 }
      }
    }
    position = Mutex(start)
  }

  func next(_ limit: Int) async throws(FileError) -> [LogRecord] {
    position.withLock { position in
      var found: [LogRecord] = []
      while found.count < limit {
        let (records, next) = ring.records(from: position, to: end, limit: limit - found.count)
        position = next
        if records.isEmpty { break }
        for record in records {
          let record = redactor?.redact(record) ?? record
          if filter.matches(record) { found.append(record) }
        }
      }
      return found
    }
  }
}

extension Redactor {
  /// Returns the record without secrets registered since it was written.
  func redact(_ record: LogRecord) -> LogRecord {
    var record = record
    record.message = redact(record.message)
    record.fields = record.fields.map(redact)
    return record
  }
}
