import Synchronization

/// The live replays of a board that have begun to use services. The board ends after them, so that
/// their homes, which have what services answered, are removed.
final class RunningReplays: Sendable {
  private struct State {
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Runs a replay. A cancelled one ends with what it has to remove.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    state.withLock { $0.count += 1 }
    defer { end() }
    return try await body()
  }

  private func end() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.count -= 1
      guard state.count == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until no replay runs.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.count > 0 { state.waiting.append(continuation) }
        return state.count == 0
      }
      if isIdle { continuation.resume() }
    }
  }
}
