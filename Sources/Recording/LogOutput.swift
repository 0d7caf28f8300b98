#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of a recording, of which there is always a number of whole lines: writes, retries short writes, and after a failure leaves
/// it at the end of a line.
struct LogOutput: ~Copyable {
  struct Failure {
    /// The step of the first line that is not in the file.
    let step: Int
    let error: LogIOError
  }

  private var sink: any LogSink
  /// Bytes in the file.
  private var size: Int
  private var isBroken = false
  private let synchronizes: Bool
  /// What is written next; and between two writes memory for it, to be exchanged for lines that were collected.
  var lines = WaitingLines()

  /// - Parameter size: Bytes that are in the file already.
  init(_ sink: any LogSink, synchronizes: Bool, size: Int = 0) {
    self.sink = sink
    self.synchronizes = synchronizes
    self.size = size
  }

  /// Writes `lines`, in one system call where the system takes them whole, and empties it.
  mutating func write() -> Failure? {
    defer { lines.removeAll() }
    guard !isBroken, !lines.isEmpty else { return nil }
    let (written, error) = LogOutput.put(
      UnsafeRawBufferPointer(lines.bytes.bytes()), at: size, into: sink)
    if let error {
      isBroken = true
      let whole = lines.whole(in: written)
      size += whole.bytes
      try? sink.truncate(to: size)
      return Failure(step: whole.lost, error: error)
    }
    size += lines.bytes.count
    guard synchronizes else { return nil }
    do throws(LogIOError) {
      try sink.synchronize()
      return nil
    } catch {
      isBroken = true
      return Failure(step: lines.whole(in: 0).lost, error: error)
    }
  }

  /// Ends the file and goes on in the next one, whose first line is `header`. After a failure the file is ended and nothing follows.
  ///
  /// - Parameter step: The step that is not in a file when the next one cannot be had.
  mutating func rotate(_ rotation: any LogRotation, header: [UInt8], step: Int) -> Failure? {
    guard !isBroken else { return nil }
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
      sink.close()
      sink = next
      size = header.count
      return nil
    } catch {
      rotation.abandon()
      isBroken = true
      return Failure(step: step, error: error)
    }
  }

  /// Writes `new` over the last lines `old` of the file; `new` is longer. A failure leaves `old` there.
  mutating func replaceTail(_ old: [UInt8], with new: [UInt8], step: Int) -> Failure? {
    guard !isBroken else { return nil }
    let start = size - old.count
    let (_, error) = LogOutput.put(new, at: start, into: sink)
    if let error {
      isBroken = true
      _ = LogOutput.put(old, at: start, into: sink)
      try? sink.truncate(to: size)
      return Failure(step: step, error: error)
    }
    size = start + new.count
    return nil
  }

  mutating func close() {
    isBroken = true
    sink.close()
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
