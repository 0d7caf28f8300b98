import SwiftBoardSystem
import Synchronization

/// A file with one JSON object a line (`LogRecordLine`), mode 0600, in a folder made with 0700
/// where it is missing.
///
/// Nothing is opened before the first record. A thread of the sink's own writes; the caller pays
/// for putting the record into a queue of at most 8192 records and 8 MiB, and what does not fit
/// there is dropped and counted. So is what the disk refuses; each record tries anew, so that
/// writing continues when there is space again. A record in front of the next ones says how many
/// were lost. Records of level `error` and above are synchronised
/// to the disk.
///
/// The file is rotated before it would grow over `maxBytes`; `maxFiles` are kept, the current one
/// included. Several processes may write to the same path.
public final class JSONLinesSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let losses = Shared(LogLosses())
  private let path: String
  private let maxFiles: Int
  private let system: FileSystem

  /// A sink that has opened nothing yet.
  ///
  /// - Parameters:
  ///   - maxBytes: At which size the file is rotated; 4 MiB.
  ///   - maxFiles: How many are kept, the current one included.
  public convenience init(path: String, maxBytes: Int = 4 << 20, maxFiles: Int = 5) {
    self.init(path: path, maxBytes: maxBytes, maxFiles: maxFiles, system: FileSystem())
  }

  init(path: String, maxBytes: Int, maxFiles: Int, system: FileSystem) {
    self.path = path
    self.maxFiles = maxFiles
    self.system = system
    let file = LockedFile(
      LineFile(path: path, maxBytes: maxBytes, maxFiles: maxFiles, system: system))
    let losses = losses
    var limits = BackgroundWorker<LogRecord>.Limits()
    limits.batch = limits.elements
    worker = BackgroundWorker(limits: limits) { records in
      var text: [UInt8] = []
      let lost = losses.value.withLock { $0.unsaid }
      if lost > 0, let time = records.first?.time {
        LogRecordLine.append(.lost(lost, at: time), to: &text)
        if file.value.withLock({ $0.append([text[...]], sync: false) }) == 0 {
          losses.value.withLock { $0.said += lost }
        }
        text = []
      }
      var ends = [0]
      for record in records {
        LogRecordLine.append(record, to: &text)
        ends.append(text.count)
      }
      let lines = zip(ends, ends.dropFirst()).map { text[$0..<$1] }
      let sync = records.contains { $0.level >= .error }
      let refused = file.value.withLock { $0.append(lines, sync: sync) }
      if refused > 0 { losses.value.withLock { $0.count += refused } }
      records = []
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

  /// The lines of the file and of the rotated ones, whichever process wrote them.
  public func archive(redactor: Redactor) -> (any LogArchive)? {
    LogFileArchive(
      path: path, maxFiles: maxFiles, system: system, redactor: redactor
    ) { [worker] in _ = worker.flush(deadline: .now.advanced(by: .seconds(2))) }
  }

  /// The number of records that were dropped because the queue was full or a write failed.
  public var dropped: Int { losses.value.withLock { $0.count } }
}

/// A file that a closure can hold.
private final class LockedFile: Sendable {
  let value: Mutex<LineFile>

  init(_ file: sending LineFile) {
    value = Mutex(file)
  }
}

extension LogRecord {
  var approximateBytes: Int {
    fields.reduce(128 + category.utf8.count + message.utf8.count) {
      $0 + 32 + $1.key.utf8.count + $1.value.utf8.count
    }
  }
}
