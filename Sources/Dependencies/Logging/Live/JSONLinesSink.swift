import SwiftBoardSystem

/// Writes one JSON object per line (`LogRecordLine`) to a file with mode 0600. A missing folder is
/// created with 0700.
///
/// Nothing is opened before the first record. The sink writes on its own thread. The caller only
/// adds the record to a queue of at most 8192 records and 8 MiB. Records of 20 ms are written
/// together, which keeps the thread from waking for each of them. Records that do not fit, and
/// records that the disk refuses, are dropped and counted. Each record is a new attempt, so writing
/// resumes when there is space again. The next line that is written reports the number of lost
/// records. Records of level `error` and above are synchronized to the disk.
///
/// The file is rotated before it would exceed `maxBytes`. `maxFiles` files are kept, including the
/// current one. Several processes may write to the same path.
public final class JSONLinesSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let losses = Shared(LogLosses())
  private let path: String
  private let maxFiles: Int
  private let system: FileSystem

  /// Creates a sink without opening a file.
  ///
  /// - Parameters:
  ///   - maxBytes: The size at which the file is rotated. The default is 4 MiB.
  ///   - maxFiles: The number of files to keep, including the current one.
  ///   - onFullDisk: Called once, on the sink's thread, when a record was lost because the disk is
  ///     full.
  public convenience init(
    path: String, maxBytes: Int = 4 << 20, maxFiles: Int = 5,
    onFullDisk: @escaping @Sendable () -> Void = {}
  ) {
    self.init(
      path: path, maxBytes: maxBytes, maxFiles: maxFiles, system: FileSystem(),
      onFullDisk: onFullDisk)
  }

  init(
    path: String, maxBytes: Int, maxFiles: Int, system: FileSystem,
    onFullDisk: @escaping @Sendable () -> Void = {}
  ) {
    self.path = path
    self.maxFiles = maxFiles
    self.system = system
    let file = Shared(
      LineFile(path: path, maxBytes: maxBytes, maxFiles: maxFiles, system: system))
    let losses = losses
    var limits = BackgroundWorker<LogRecord>.Limits()
    limits.batch = limits.elements
    limits.pause = .milliseconds(20)
    worker = BackgroundWorker(limits: limits) { records in
      var text: [UInt8] = []
      let wasFull = file.value.withLock { $0.wasFull }
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
      if !wasFull, file.value.withLock({ $0.wasFull }) { onFullDisk() }
      records = []
    }
  }

  /// Adds the record to the queue with one lock. Drops and counts it if the queue is full.
  public func write(_ record: LogRecord) {
    if !worker.add(
      record, bytes: record.approximateBytes, isUrgent: record.level >= .warning)
    {
      losses.value.withLock { $0.count += 1 }
    }
  }

  /// Blocks the thread until the queue is written.
  public func flush(deadline: ContinuousClock.Instant) -> Bool {
    worker.flush(deadline: deadline)
  }

  /// Returns the lines of the file and of its rotated files, from all processes.
  public func archive(redactor: Redactor) -> (any LogArchive)? {
    LogFileArchive(
      path: path, maxFiles: maxFiles, system: system, redactor: redactor
    ) { [worker] in worker.flush(deadline: .now.advanced(by: .seconds(30))) }
  }

  /// The number of records that were dropped because the queue was full or a write failed.
  public var dropped: Int { losses.value.withLock { $0.count } }
}

extension LogRecord {
  var approximateBytes: Int {
    fields.reduce(128 + category.utf8.count + message.utf8.count) {
      $0 + 32 + $1.key.utf8.count + $1.value.utf8.count
    }
  }
}
