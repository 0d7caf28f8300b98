import SwiftBoardSystem

/// Writes whole lines to the file of a recording. Continues partial writes, and after a failure
/// truncates the file to the end of a line.
struct LogOutput: ~Copyable {
  struct Failure {
    /// The first step that is not in the file.
    let step: Int
    /// The last step that is certainly in the file.
    let kept: Int
    let error: LogIOError
  }

  /// The interval between checks of the file's name, in nanoseconds.
  private static let lookInterval: UInt64 = 50_000_000

  private var sink: any LogSink
  /// The next file, whose first line has been written.
  private var next: (any LogSink)?
  /// The size of the file in bytes.
  private var size: Int
  private var isBroken = false
  private var lastLook: UInt64 = 0
  private let synchronizes: Bool
  /// The lines to write. Between two writes, an empty buffer to swap with the collected lines.
  var lines = WriteBuffer()

  /// - Parameter size: The current size of the file in bytes.
  init(_ sink: any LogSink, synchronizes: Bool, size: Int = 0) {
    self.sink = sink
    self.synchronizes = synchronizes
    self.size = size
  }

  /// Writes and removes all `lines`, in one system call unless the system writes them partially.
  mutating func write() -> Failure? {
    defer { lines.removeAll() }
    guard !isBroken, !lines.isEmpty else { return nil }
    let (written, error) = LogOutput.put(
      UnsafeRawBufferPointer(lines.bytes.bytes()), at: size, into: sink)
    if let error {
      isBroken = true
      let whole = lines.whole(in: written)
      size += whole.bytes
      // What another program has changed is left as it is.
      if error != .changed { try? sink.truncate(to: size) }
      return Failure(step: whole.kept + 1, kept: whole.kept, error: error)
    }
    size += lines.bytes.count
    return synchronize(kept: lines.before)
  }

  /// Returns the path if it no longer refers to the file, otherwise `nil`.
  ///
  /// - Parameter always: Whether to check on every call. Otherwise the path is checked at most
  ///   every 50 ms, and other calls only read the clock.
  mutating func missingName(always: Bool) -> String? {
    guard !isBroken else { return nil }
    let now = coarseNanoseconds()
    guard always || now &- lastLook >= LogOutput.lookInterval else { return nil }
    lastLook = now
    return sink.missingName()
  }

  /// Creates the next file and writes its first line. After a failure, there is no next file and
  /// the current one is unchanged, so buffered lines can still be written to it.
  ///
  /// - Parameter step: The first lost step if this fails.
  mutating func prepare(_ rotation: any LogRotation, header: [UInt8], step: Int) -> Failure? {
    guard !isBroken else { return nil }
    do throws(LogIOError) {
      let file = try rotation.next()
      next = file
      let (_, error) = LogOutput.put(header, at: 0, into: file)
      if let error { throw error }
      if synchronizes { try file.synchronize() }
      return nil
    } catch {
      abandon(rotation)
      return Failure(step: step, kept: step - 1, error: error)
    }
  }

  /// Closes and removes the prepared file.
  mutating func abandon(_ rotation: any LogRotation) {
    next.take()?.close()
    rotation.abandon()
  }

  /// Continues in the prepared file. The current one must have been ended. After a failure, nothing
  /// more is written.
  ///
  /// - Parameters:
  ///   - size: The size of the prepared file in bytes.
  ///   - step: The first lost step if this fails.
  mutating func rotate(_ rotation: any LogRotation, size: Int, step: Int) -> Failure? {
    guard !isBroken, let next else { return nil }
    do throws(LogIOError) {
      try rotation.commit()
    } catch {
      abandon(rotation)
      isBroken = true
      return Failure(step: step, kept: step - 1, error: error)
    }
    sink.close()
    sink = next
    self.next = nil
    self.size = size
    return nil
  }

  /// Overwrites the last lines `old` of the file with `new`, which is longer. If writing fails,
  /// restores `old`.
  ///
  /// A crash in between may leave a mixture of both, which the checksums reveal. These lines, all
  /// after the last digest, are then lost even if they were synchronized.
  mutating func replaceTail(_ old: [UInt8], with new: [UInt8], step: Int) -> Failure? {
    guard !isBroken else { return nil }
    let start = size - old.count
    let (_, error) = LogOutput.put(new, at: start, into: sink)
    if let error {
      isBroken = true
      if error != .changed {
        _ = LogOutput.put(old, at: start, into: sink)
        try? sink.truncate(to: size)
      }
      return Failure(step: step + 1, kept: step, error: error)
    }
    size = start + new.count
    return synchronize(kept: step)
  }

  /// Synchronizes the file, if the recording does.
  ///
  /// - Parameter kept: The last step that is certainly in the file if this fails.
  private mutating func synchronize(kept: Int) -> Failure? {
    guard synchronizes else { return nil }
    do throws(LogIOError) {
      try sink.synchronize()
      return nil
    } catch {
      isBroken = true
      return Failure(step: kept + 1, kept: kept, error: error)
    }
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
