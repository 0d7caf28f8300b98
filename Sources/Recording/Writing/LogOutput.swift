import SwiftBoardSystem

/// The file of a recording, of which there is always a number of whole lines: writes, retries short
/// writes, and after a failure leaves it at the end of a line.
struct LogOutput: ~Copyable {
  struct Failure {
    /// The step of the first line that is not in the file.
    let step: Int
    /// The last step that is in the file for certain.
    let kept: Int
    let error: LogIOError
  }

  /// Nanoseconds between two looks for the file's name.
  private static let lookInterval: UInt64 = 50_000_000

  private var sink: any LogSink
  /// The file to continue in, which has its first line already.
  private var next: (any LogSink)?
  /// Bytes in the file.
  private var size: Int
  private var isBroken = false
  private var lastLook: UInt64 = 0
  private let synchronizes: Bool
  /// What is written next; and between two writes memory for it, to be exchanged for lines that
  /// were collected.
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
      return Failure(step: whole.lost, kept: whole.kept, error: error)
    }
    size += lines.bytes.count
    guard synchronizes else { return nil }
    do throws(LogIOError) {
      try sink.synchronize()
      return nil
    } catch {
      isBroken = true
      let none = lines.whole(in: 0)
      return Failure(step: none.lost, kept: none.kept, error: error)
    }
  }

  /// The name that the file has lost; `nil` while it has it.
  ///
  /// - Parameter always: Without it there is a look every 50 ms, and the time is all that a call
  ///   costs.
  mutating func missingName(always: Bool) -> String? {
    guard !isBroken else { return nil }
    let now = coarseNanoseconds()
    guard always || now &- lastLook >= LogOutput.lookInterval else { return nil }
    lastLook = now
    return sink.missingName()
  }

  /// Gets the next file and writes its first line there. After a failure there is none, and this
  /// file is as it was: lines that wait can still be written.
  ///
  /// - Parameter step: The step that is not in a file when the next one cannot be had.
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

  /// Gives the prepared file up.
  mutating func abandon(_ rotation: any LogRotation) {
    next.take()?.close()
    rotation.abandon()
  }

  /// Goes on in the prepared file; this one has been ended. After a failure nothing follows.
  ///
  /// - Parameters:
  ///   - size: Bytes of the prepared file.
  ///   - step: The step that is not in a file when this fails.
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

  /// Writes `new` over the last lines `old` of the file; `new` is longer. A failed write leaves
  /// `old` there.
  ///
  /// A crash in between may leave a mixture of both, which the checksums reveal: these lines, all
  /// after the last digest, are then lost even if they had been synchronized.
  mutating func replaceTail(_ old: [UInt8], with new: [UInt8], step: Int) -> Failure? {
    guard !isBroken else { return nil }
    let start = size - old.count
    let (_, error) = LogOutput.put(new, at: start, into: sink)
    if let error {
      isBroken = true
      _ = LogOutput.put(old, at: start, into: sink)
      try? sink.truncate(to: size)
      return Failure(step: step, kept: step, error: error)
    }
    size = start + new.count
    guard synchronizes else { return nil }
    do throws(LogIOError) {
      try sink.synchronize()
      return nil
    } catch {
      isBroken = true
      return Failure(step: step, kept: step, error: error)
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
