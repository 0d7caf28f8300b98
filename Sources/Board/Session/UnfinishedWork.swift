import Synchronization

/// The work of a board that leaves files if the program exits in the middle: live replays, whose
/// homes have what services answered, and forks. The board ends after it, also if its commands have
/// ended.
final class UnfinishedWork: Sendable {
  private struct State {
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Runs work. If it is cancelled, it ends with what it has to remove.
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

  /// Waits until no such work runs.
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
