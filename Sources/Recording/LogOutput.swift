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

  private final class Lines: @unchecked Sendable {
    // Unchecked: it is behind one of the two locks, and goes from one to the other while both are held.
    // So the run-time checks of exclusive access would find nothing, at half the cost of a line.
    @exclusivity(unchecked) var bytes = LineBuffer()
    /// Where each collected line ends in `bytes`, and its step.
    @exclusivity(unchecked) var ends: [(end: Int, step: Int)] = []
  }

  private struct File {
    var sink: any LogSink
    /// Bytes in the file, always whole lines.
    var size = 0
    var broken = false
    /// Memory of the lines that were written last, to be filled again.
    var spare = Lines()
  }

  /// Memory that is kept from one flush to the next, at most.
  private static let kept = 1 << 20

  private let synchronizes: Bool
  private let lines = Mutex(Lines())
  private let file: Mutex<File>

  /// - Parameter size: Bytes that are in the file already.
  init(_ sink: any LogSink, synchronizes: Bool, size: Int = 0) {
    file = Mutex(File(sink: sink, size: size))
    self.synchronizes = synchronizes
  }

  struct Waiting {
    let bytes: Int
    /// Whether nothing waited before.
    let isFirst: Bool
  }

  /// Adds the line that `build` appends. Returns what waits now.
  func append(step: Int, _ build: (inout LineBuffer) -> Void) -> Waiting {
    lines.withLock { lines in
      let isFirst = lines.ends.isEmpty
      build(&lines.bytes)
      lines.ends.append((lines.bytes.count, step))
      return Waiting(bytes: lines.bytes.count, isFirst: isFirst)
    }
  }

  /// Writes what was collected, in one system call where the system takes it whole.
  func flush() -> Failure? {
    file.withLock { file in flush(&file) }
  }

  private func flush(_ file: inout File) -> Failure? {
    lines.withLock { swap(&$0, &file.spare) }
    defer {
      file.spare.bytes.removeAll(keeping: LogOutput.kept)
      file.spare.ends.removeAll(keepingCapacity: true)
    }
    let ends = file.spare.ends
    guard !file.broken, let last = ends.last else { return nil }
    let count = file.spare.bytes.count
    let (written, error) = LogOutput.put(
      UnsafeRawBufferPointer(file.spare.bytes.bytes()), at: file.size, into: file.sink)
    if let error {
      file.broken = true
      file.size += ends.last(where: { $0.end <= written })?.end ?? 0
      try? file.sink.truncate(to: file.size)
      return Failure(step: ends.first(where: { $0.end > written })?.step ?? last.step, error: error)
    }
    file.size += count
    guard synchronizes else { return nil }
    do throws(LogIOError) {
      try file.sink.synchronize()
      return nil
    } catch {
      file.broken = true
      return Failure(step: ends.first?.step ?? last.step, error: error)
    }
  }

  /// Writes what was collected, which ends the file, and goes on in the next one, whose first line is `header`. After a failure
  /// the file is ended and nothing follows.
  ///
  /// - Parameter step: The step that is not in a file when the next one cannot be had.
  func rotate(_ rotation: any LogRotation, header: [UInt8], step: Int) -> Failure? {
    file.withLock { file in
      if let failure = flush(&file) { return failure }
      guard !file.broken else { return nil }
      do throws(LogIOError) {
        let next = try rotation.next()
        let (_, error) = LogOutput.put(header, at: 0, into: next)
        if let error {
          next.close()
          throw error
        }
        do throws(LogIOError) {
          if synchronizes { try next.synchronize() }
          try rotation.commit()
        } catch {
          next.close()
          throw error
        }
        file.sink.close()
        file.sink = next
        file.size = header.count
        return nil
      } catch {
        rotation.abandon()
        file.broken = true
        return Failure(step: step, error: error)
      }
    }
  }

  /// Writes `new` over the last lines `old` of the file; `new` is longer. A failure leaves `old` there.
  func replaceTail(_ old: [UInt8], with new: [UInt8], step: Int) -> Failure? {
    file.withLock { file in
      guard !file.broken else { return nil }
      let start = file.size - old.count
      let (_, error) = LogOutput.put(new, at: start, into: file.sink)
      if let error {
        file.broken = true
        _ = LogOutput.put(old, at: start, into: file.sink)
        try? file.sink.truncate(to: file.size)
        return Failure(step: step, error: error)
      }
      file.size = start + new.count
      return nil
    }
  }

  func close() {
    file.withLock { file in
      file.broken = true
      file.sink.close()
    }
  }

  private static func put(
    _ bytes: [UInt8], at offset: Int, into sink: any LogSink
  ) -> (written: Int, error: LogIOError?) {
    bytes.withUnsafeBytes { put($0, at: offset, into: sink) }
  }

  private static func put(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, into sink: any LogSink
  ) -> (written: Int, error: LogIOError?) {
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
