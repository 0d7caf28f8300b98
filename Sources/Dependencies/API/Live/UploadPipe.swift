import CCurl
import SwiftBoardSystem
import Synchronization

/// The body of one request on its way from the task that reads it to the engine's thread. Holds
/// less than a megabyte.
final class UploadPipe: Sendable {
  private struct State {
    var pieces: [Data] = []
    /// Bytes of the first piece that are gone already.
    var offset = 0
    var count = 0
    var isEnded = false
    var failure: APIError?
    /// Whether the engine waits for more.
    var isPaused = false
    var isClosed = false
    /// Whether anything was read since the beginning.
    var wasRead = false
    /// How often the body was begun anew.
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

  /// Why the body could not be read to its end.
  var failure: APIError? { state.withLock { $0.failure } }

  // MARK: on the engine's thread

  /// Fills the buffer as far as there is something; 0 at the end, or one of libcurl's codes.
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

  /// Begins anew; false where that cannot be done.
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

  /// Nothing is read any more.
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

  // MARK: in the task

  /// Begins to read the body, and hands it on until the pipe is closed.
  ///
  /// - Parameter resume: Called where the engine waited for more.
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
      // A connection that breaks may ask for the body once more.
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
    APIError(.file, "what was to be sent has changed its size meanwhile")
  }

  private func change(_ resume: @Sendable () -> Void, _ body: (inout State) -> Void) {
    let wasPaused = state.withLock { state in
      body(&state)
      defer { state.isPaused = false }
      return state.isPaused
    }
    if wasPaused { resume() }
  }

  /// Waits until the pipe is as `isDone` asks; `nil` once it is closed.
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
