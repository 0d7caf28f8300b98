import SwiftBoardSystem
import Synchronization

/// The body of one answer on its way from the engine's thread to the task that takes it. Holds
/// about a megabyte.
final class DownloadPipe: Sendable {
  private struct State {
    var buffer = Data()
    var end: Result<APITiming, APIError>?
    /// Whether the engine waits until there is space again.
    var isPaused = false
    var taker: CheckedContinuation<Void, Never>?
  }

  /// Not a hard limit: the piece that reaches it is taken whole.
  private static let capacity = 1 << 20
  private let state = Mutex(State())

  // MARK: on the engine's thread

  /// Takes a piece; false where it has to come again later.
  func offer(_ piece: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, taker) = state.withLock { state in
      guard state.buffer.count < Self.capacity else {
        state.isPaused = true
        return (false, nil as CheckedContinuation<Void, Never>?)
      }
      state.buffer.append(contentsOf: piece)
      defer { state.taker = nil }
      return (true, state.taker)
    }
    taker?.resume()
    return isTaken
  }

  /// Nothing comes any more.
  func finish(_ end: Result<APITiming, APIError>) {
    let taker = state.withLock { state in
      state.end = end
      defer { state.taker = nil }
      return state.taker
    }
    taker?.resume()
  }

  // MARK: in the task

  /// The timing, once everything has come.
  var timing: APITiming? { state.withLock { try? $0.end?.get() } }

  /// Takes all that has come, and waits for something before; `nil` at the end.
  ///
  /// - Parameter resume: Called where the engine waited for space.
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
