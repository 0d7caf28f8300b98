import SwiftBoardSystem

/// Writes one JSON object per line (`LogRecordLine`) to a file with mode 0600. A missing folder is
/// created with 0700.
///
/// Nothing is opened before the first record. The sink writes on its own thread. The caller only
/// adds the record to a queue of at most 8192 records and 8 MiB. Records of 20 ms are written
/// together, which keeps the thread from waking for each of them. Records that do not fit, and
/// records that the disk refuses, are dropped and counted. Each record is a new attempt, so writing
/// resumes when there is space again. The next line that is written reports the number of lost
/// records, and `shutDown` reports those that no line reports. Records of level `error` and above
/// are synchronized to the disk.
///
/// The file is rotated before it would exceed `maxBytes`. `maxFiles` files are kept, including the
/// current one. Several processes may write to the same path.
public final class JSONLinesSink: LogRecordSink {
  private let worker: BackgroundWorker<LogRecord>
  private let losses = Shared(LogLosses())
  private let path: String
  private let maxFiles: Int
  private let system: FileSystem
  private let onLoss: @Sendable (_ message: String) -> Void

  /// Creates a sink without opening a file.
  ///
  /// - Parameters:
  ///   - maxBytes: The size at which the file is rotated. The default is 4 MiB.
  ///   - maxFiles: The number of files to keep, including the current one.
  ///   - onLoss: Called at most once with a message for the user: on the sink's thread when a
  ///     record was lost because the disk is full, or else by `shutDown`.
  public convenience init(
    path: String, maxBytes: Int = 4 << 20, maxFiles: Int = 5,
    onLoss: @escaping @Sendable (_ message: String) -> Void = { _ in }
  ) {
    self.init(
      path: path, maxBytes: maxBytes, maxFiles: maxFiles, system: FileSystem(), onLoss: onLoss)
  }

  init(
    path: String, maxBytes: Int, maxFiles: Int, system: FileSystem,
    onLoss: @escaping @Sendable (_ message: String) -> Void = { _ in }
  ) {
    self.onLoss = onLoss
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
      let (refused, problem, isFull) = file.value.withLock { file in
        (file.append(lines, sync: sync), file.problem, file.wasFull)
      }
      losses.value.withLock { losses in
        losses.count += refused
        if refused > 0 { losses.problem = problem.map { "\(path) cannot be written: \($0)" } }
        losses.isReported = losses.isReported || isFull
      }
      if isFull, !wasFull {
        onLoss("the disk is full, or a file may not grow: lines of the log \(path) are lost")
      }
      records = []
    }
  }

  /// Adds the record to the queue with one lock. Drops and counts it if the queue is full.
  public func write(_ record: LogRecord) {
    if !worker.add(
      record, bytes: record.approximateBytes, isUrgent: record.level >= .warning)
    {
      losses.value.withLock { losses in
        losses.count += 1
        losses.problem = nil
      }
    }
  }

  /// Blocks the thread until the queue is written.
  public func flush(deadline: ContinuousClock.Instant) -> Bool {
    worker.flush(deadline: deadline)
  }

  /// Flushes, and reports the records that are lost, unless a line of the file, `reportLosses` or
  /// another report has done so.
  public func shutDown(deadline: ContinuousClock.Instant) -> Bool {
    let isFlushed = flush(deadline: deadline)
    let losses = losses.value.withLock { losses in
      defer { losses.isReported = losses.isReported || losses.unreported > 0 || !isFlushed }
      return losses
    }
    guard !losses.isReported else { return isFlushed }
    let late = "\(path) was not written in time; another process may have locked it"
    let count = losses.unreported
    if count > 0 {
      let lost = count == 1 ? "1 record of the log is" : "\(count) records of the log are"
      onLoss("\(lost) lost: \(losses.problem ?? late)")
    } else if !isFlushed {
      onLoss("records of the log are lost: \(late)")
    }
    return isFlushed
  }

  /// Returns the lines of the file and of its rotated files, from all processes.
  public func archive(redactor: Redactor) -> (any LogArchive)? {
    LogFileArchive(
      path: path, maxFiles: maxFiles, system: system, redactor: redactor
    ) { [worker] in worker.flush(deadline: .now.advanced(by: .seconds(30))) }
  }

  /// The number of records that were dropped because the queue was full or a write failed.
  public var dropped: Int { losses.value.withLock { $0.count } }

  /// Returns why the last record was dropped.
  public func reportLosses() -> String? {
    losses.value.withLock { losses in
      losses.told = losses.count
      return losses.problem
    }
  }
}

extension LogRecord {
  var approximateBytes: Int {
    fields.reduce(128 + category.utf8.count + message.utf8.count) {
      $0 + 32 + $1.key.utf8.count + $1.value.utf8.count
    }
  }
}
