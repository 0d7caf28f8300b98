import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// A file in memory that fails on purpose.
final class MemorySink: LogSink {
  struct Faults {
    /// Bytes that fit on the disk.
    var capacity = Int.max
    /// Bytes that one call takes at most.
    var longestWrite = Int.max
    /// Every other call is interrupted.
    var interrupts = false
    var synchronizeFails = false
    /// The call of `write`, and of `synchronize`, that fails, counted from 1.
    var failingWrite: Int?
    var failingSynchronization: Int?
    var truncateFails = false
  }

  struct Content {
    var bytes: [UInt8] = []
    var faults: Faults
    var writes = 0
    var synchronizations = 0
    var closed = false
    var interrupted = false
  }

  private let content: Mutex<Content>
  private let onWrite: @Sendable () -> Void

  init(_ faults: Faults = Faults(), onWrite: @escaping @Sendable () -> Void = {}) {
    content = Mutex(Content(faults: faults))
    self.onWrite = onWrite
  }

  var now: Content { content.withLock { $0 } }
  var bytes: [UInt8] { now.bytes }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    let result: Result<Int, LogIOError> = content.withLock { content in
      content.writes += 1
      if content.faults.interrupts {
        content.interrupted.toggle()
        if content.interrupted { return .failure(LogIOError(code: EINTR, operation: "write")) }
      }
      if content.writes == content.faults.failingWrite {
        return .failure(LogIOError(code: EIO, operation: "write"))
      }
      let fits = max(0, content.faults.capacity - offset)
      let count = min(bytes.count, content.faults.longestWrite, fits)
      guard count > 0 else { return .failure(LogIOError(code: ENOSPC, operation: "write")) }
      while content.bytes.count < offset + count { content.bytes.append(0) }
      for index in 0..<count { content.bytes[offset + index] = bytes[index] }
      return .success(count)
    }
    onWrite()
    return try result.get()
  }

  func truncate(to size: Int) throws(LogIOError) {
    let fails = content.withLock { content in
      if content.faults.truncateFails { return true }
      content.bytes.removeLast(max(0, content.bytes.count - size))
      return false
    }
    if fails { throw LogIOError(code: EIO, operation: "ftruncate") }
  }

  func synchronize() throws(LogIOError) {
    let fails = content.withLock { content in
      content.synchronizations += 1
      return content.faults.synchronizeFails
        || content.synchronizations == content.faults.failingSynchronization
    }
    if fails { throw LogIOError(code: EIO, operation: "fsync") }
  }

  func close() {
    content.withLock { $0.closed = true }
  }
}
