import CCurl
import SwiftBoardSystem
import Synchronization

/// A buffer between the task that reads a body and the engine's thread, which sends it. Holds less
/// than a megabyte.
final class UploadPipe: Sendable {
  private struct State {
    var pieces: [Data] = []
    /// The number of bytes of the first piece that were already read.
    var offset = 0
    var count = 0
    var isEnded = false
    var failure: APIError?
    /// Whether the engine waits for more bytes.
    var isPaused = false
    var isClosed = false
    /// Whether bytes were read since the beginning of the body.
    var wasRead = false
    /// The number of times that the body was started again.
    var rewinds = 0
    var feeder: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?

    mutating func takeFeeder() -> CheckedContinuation<Void, Never>? {
      defer { feeder = nil }
      return feeder
    }
  }

  private static let capacity = 1 << 19
  let upload: APIUpload
  private let state = Mutex(State())

  init(_ upload: APIUpload) { self.upload = upload }

  /// The error of reading the body, if it failed.
  var failure: APIError? { state.withLock { $0.failure } }

  // MARK: On the engine's thread

  /// Fills the buffer with the available bytes. Returns their number, 0 at the end, or a code of
  /// libcurl to pause or to stop.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let (count, feeder) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      if state.failure != nil { return (Int(CURL_READFUNC_ABORT), nil) }
      var filled = 0
      while filled < buffer.count, let piece = state.pieces.first {
        let part = min(buffer.count - filled, piece.count - state.offset)
        piece.copyBytes(
          to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + part)]),
          from: (piece.startIndex + state.offset)..<(piece.startIndex + state.offset + part))
        filled += part
        state.offset += part
        guard state.offset == piece.count else { break }
        state.pieces.removeFirst()
        state.count -= piece.count
        state.offset = 0
      }
      if filled > 0 { state.wasRead = true }
      if filled == 0, !state.isEnded {
        state.isPaused = true
        return (Int(CURL_READFUNC_PAUSE), nil)
      }
      return (filled, state.count < Self.capacity && !state.isEnded ? state.takeFeeder() : nil)
    }
    feeder?.resume()
    return count
  }

  /// Starts the body again. Returns false if it is not repeatable.
  func rewind() -> Bool {
    let (isDone, feeder) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      if !state.wasRead { return (true, nil) }
      guard upload.isRepeatable else { return (false, nil) }
      state.pieces = []
      state.offset = 0
      state.count = 0
      state.isEnded = false
      state.wasRead = false
      state.rewinds += 1
      return (true, state.takeFeeder())
    }
    feeder?.resume()
    return isDone
  }

  /// Closes the pipe. No more bytes are read.
  func close() {
    let (feeder, task) = state.withLock { state in
      state.isClosed = true
      state.pieces = []
      defer { state.task = nil }
      return (state.takeFeeder(), state.task)
    }
    feeder?.resume()
    task?.cancel()
  }

  // MARK: In the task

  /// Starts to read the body until the pipe is closed.
  ///
  /// - Parameter resume: Called if the engine waits for more bytes.
  func start(resume: @escaping @Sendable () -> Void) {
    let task = Task { await feed(resume: resume) }
    state.withLock { $0.task = task }
  }

  private func feed(resume: @escaping @Sendable () -> Void) async {
    var rewinds = 0
    while !state.withLock({ $0.isClosed }) {
      do throws(APIError) {
        try await feed(rewinds, resume)
      } catch {
        return change(resume) { $0.failure = error }
      }
      // After a broken connection, libcurl may ask for the body again.
      let last = rewinds
      rewinds = await wait { $0.rewinds != last } ?? last
    }
  }

  private func feed(_ rewinds: Int, _ resume: @Sendable () -> Void) async throws(APIError) {
    let next = try await upload.open()
    var left = upload.length
    while let piece = try await next() {
      if let rest = left {
        left = rest - Int64(piece.count)
        if rest < piece.count { throw Self.changed }
      }
      guard !piece.isEmpty else { continue }
      change(resume) { state in
        guard state.rewinds == rewinds else { return }
        state.pieces.append(piece)
        state.count += piece.count
      }
      let current = await wait { $0.rewinds != rewinds || $0.count < Self.capacity }
      guard current == rewinds else { return }
    }
    if let left, left != 0 { throw Self.changed }
    change(resume) { if $0.rewinds == rewinds { $0.isEnded = true } }
  }

  private static var changed: APIError {
    APIError(.file, "the size of the body changed while it was sent")
  }

  private func change(_ resume: @Sendable () -> Void, _ body: (inout State) -> Void) {
    let wasPaused = state.withLock { state in
      body(&state)
      defer { state.isPaused = false }
      return state.isPaused
    }
    if wasPaused { resume() }
  }

  /// Waits until `isDone` returns true. Returns the number of rewinds, or `nil` if the pipe is
  /// closed.
  private func wait(until isDone: @Sendable (borrowing State) -> Bool) async -> Int? {
    while true {
      let (rewinds, isClosed, isThere) = state.withLock { state in
        (state.rewinds, state.isClosed, isDone(state))
      }
      if isClosed { return nil }
      if isThere { return rewinds }
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isClosed || isDone(state) { return true }
          state.feeder = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    }
  }
}
