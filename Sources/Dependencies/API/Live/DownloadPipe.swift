import SwiftBoardSystem
import Synchronization

/// A buffer between the engine's thread, which receives a body, and the task that reads it. Asks
/// for no more when it holds about a megabyte.
final class DownloadPipe: Sendable {
  private struct State {
    var buffer = Data()
    var end: Result<APITiming, APIError>?
    /// Whether the engine waits for space.
    var isPaused = false
    var taker: CheckedContinuation<Void, Never>?
  }

  /// The size from which no more pieces are taken. The piece that reaches it is taken whole.
  private static let capacity = 1 << 20
  private let state = Mutex(State())

  // MARK: On the engine's thread

  /// Returns whether the buffer can take a piece. If not, the engine waits for space.
  func hasSpace() -> Bool {
    state.withLock { state in
      state.isPaused = state.buffer.count >= Self.capacity
      return !state.isPaused
    }
  }

  /// Appends a piece.
  func append(_ piece: UnsafeRawBufferPointer) {
    let taker = state.withLock { state in
      // Reserve the whole capacity, because growing the buffer would copy it each time.
      if state.buffer.isEmpty { state.buffer.reserveCapacity(Self.capacity + piece.count) }
      state.buffer.append(contentsOf: piece)
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume()
  }

  /// Ends the body.
  func finish(_ end: Result<APITiming, APIError>) {
    let taker = state.withLock { state in
      state.end = end
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume()
  }

  // MARK: In the task

  /// The timing of the response, or `nil` before its end.
  var timing: APITiming? { state.withLock { try? $0.end?.get() } }

  /// Takes all received bytes and waits if there are none. Returns `nil` at the end.
  ///
  /// - Parameter resume: Called if the engine waits for space.
  func take(resume: @Sendable () -> Void) async throws(APIError) -> Data? {
    while true {
      var wasPaused = false
      let result: Result<Data?, APIError>? = state.withLock { state in
        guard state.buffer.isEmpty else {
          wasPaused = state.isPaused
          state.isPaused = false
          defer { state.buffer = Data() }
          return .success(state.buffer)
        }
        return state.end.map { $0.map { _ in nil } }
      }
      if wasPaused { resume() }
      if let result { return try result.get() }
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if !state.buffer.isEmpty || state.end != nil { return true }
          state.taker = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }
}
