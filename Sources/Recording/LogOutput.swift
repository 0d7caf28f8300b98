import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whole lines to a sink: counts, retries short writes, and after a failure leaves the file at the end of a line.
///
/// Lines are collected by `append` under one lock and written by `flush` under another, so that collecting never waits for the
/// disk. The locks are taken in the order file, lines.
final class LogOutput: Sendable {
  struct Failure {
    /// The step of the first line that is not in the file.
    let step: Int
    let error: LogIOError
  }

  private struct Lines {
    var bytes: [UInt8] = []
    /// Where each collected line ends in `bytes`, and its step.
    var ends: [(end: Int, step: Int)] = []
  }

  private struct File {
    /// Bytes in the file, always whole lines.
    var size = 0
    var broken = false
    /// The buffer last written, to be filled again.
    var spare: [UInt8] = []
  }

  private let sink: any LogSink
  private let synchronizes: Bool
  private let lines = Mutex(Lines())
  private let file = Mutex(File())

  init(_ sink: any LogSink, synchronizes: Bool) {
    self.sink = sink
    self.synchronizes = synchronizes
  }

  struct Waiting {
    let bytes: Int
    /// Whether nothing waited before.
    let isFirst: Bool
  }

  /// Adds the line that `build` appends. Returns what waits now.
  func append(step: Int, _ build: (inout [UInt8]) -> Void) -> Waiting {
    lines.withLock { lines in
      let isFirst = lines.ends.isEmpty
      build(&lines.bytes)
      lines.ends.append((lines.bytes.count, step))
      return Waiting(bytes: lines.bytes.count, isFirst: isFirst)
    }
  }

  /// Writes what was collected, in one system call where the system takes it whole.
  func flush() -> Failure? {
    file.withLock { file in
      var batch = Lines()
      swap(&batch.bytes, &file.spare)
      lines.withLock { swap(&$0, &batch) }
      defer {
        batch.bytes.removeAll(keepingCapacity: batch.bytes.count < 1 << 20)
        file.spare = batch.bytes
      }
      guard !file.broken, let last = batch.ends.last else { return nil }
      let (written, error) = put(batch.bytes, at: file.size)
      if let error {
        file.broken = true
        file.size += batch.ends.last(where: { $0.end <= written })?.end ?? 0
        try? sink.truncate(to: file.size)
        return Failure(
          step: batch.ends.first(where: { $0.end > written })?.step ?? last.step, error: error)
      }
      file.size += batch.bytes.count
      guard synchronizes else { return nil }
      do throws(LogIOError) {
        try sink.synchronize()
        return nil
      } catch {
        file.broken = true
        return Failure(step: batch.ends.first?.step ?? last.step, error: error)
      }
    }
  }

  /// Writes `new` over the last lines `old` of the file; `new` is longer. A failure leaves `old` there.
  func replaceTail(_ old: [UInt8], with new: [UInt8], step: Int) -> Failure? {
    file.withLock { file in
      guard !file.broken else { return nil }
      let start = file.size - old.count
      let (_, error) = put(new, at: start)
      if let error {
        file.broken = true
        _ = put(old, at: start)
        try? sink.truncate(to: file.size)
        return Failure(step: step, error: error)
      }
      file.size = start + new.count
      return nil
    }
  }

  func close() {
    file.withLock { file in
      file.broken = true
      sink.close()
    }
  }

  private func put(_ bytes: [UInt8], at offset: Int) -> (written: Int, error: LogIOError?) {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        do throws(LogIOError) {
          let count = try sink.write(rest, at: offset + written)
          guard count > 0 else { return (written, LogIOError(code: EIO, operation: "write")) }
          written += count
        } catch {
          guard error.code == EINTR else { return (written, error) }
        }
      }
      return (written, nil)
    }
  }
}
