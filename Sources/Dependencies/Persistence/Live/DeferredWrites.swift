import Synchronization

/// Changes that are written together.
protocol DeferredBatch: Sendable {
  /// Creates an empty batch.
  init()

  var isEmpty: Bool { get }
}

/// Writes that do not block their callers. The first change is written immediately. Changes that
/// arrive during a write or in the tenth of a second after it are written together.
///
/// Waiting changes are lost if the process is killed or if they cannot be written. `throwFailure()`
/// throws the error of such a write.
final class DeferredWrites<Batch: DeferredBatch>: Sendable {
  private struct State {
    var waiting = Batch()
    var writing: Batch?
    /// The number of the waiting batch. The batches before it were written or are being written.
    var number = 0
    var isRunning = false
    var pause: Task<Void, Never>?
    /// Callers that wait until the batch with that number is written.
    var callers: [Int: (number: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    var lastCaller = 0
    /// The error of the last failed write, or `nil` once it was thrown.
    var failure: PersistenceError?

    mutating func takeCallers(
      where isTaken: (_ number: Int) -> Bool
    ) -> [CheckedContinuation<Void, Never>] {
      let taken = callers.filter { isTaken($0.value.number) }
      for caller in taken.keys { callers[caller] = nil }
      return taken.values.map(\.continuation)
    }
  }

  private let interval: Duration
  private let write: @Sendable (Batch) async throws(PersistenceError) -> Void
  private let state = Mutex(State())

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - interval: The pause after each batch.
  ///   - write: Called with one batch after the other, in order, from a detached task.
  init(
    every interval: Duration = .milliseconds(100),
    write: @escaping @Sendable (Batch) async throws(PersistenceError) -> Void
  ) {
    self.interval = interval
    self.write = write
  }

  /// Changes the waiting batch and schedules a write.
  ///
  /// - Parameter change: Receives the waiting batch, and the batch that is being written.
  func add<Result>(_ change: (inout Batch, _ writing: Batch?) -> Result) -> Result {
    let (result, mustStart) = state.withLock { state in
      let result = change(&state.waiting, state.writing)
      guard !state.isRunning, !state.waiting.isEmpty else { return (result, false) }
      state.isRunning = true
      return (result, true)
    }
    if mustStart { Task.detached { await self.run() } }
    return result
  }

  /// Throws the error of a write that failed since the last call, if there is one.
  func throwFailure() throws(PersistenceError) {
    let failure = state.withLock { state in
      let failure = state.failure
      state.failure = nil
      return failure
    }
    if let failure { throw failure }
  }

  /// Calls `body` with the waiting batch and with the batch that is being written.
  func look<Result>(_ body: (_ waiting: Batch, _ writing: Batch?) -> Result) -> Result {
    state.withLock { body($0.waiting, $0.writing) }
  }

  /// Returns when all changes so far are written, or when the task is cancelled.
  func flush() async {
    let caller = state.withLock { state in
      state.lastCaller += 1
      return state.lastCaller
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if Task.isCancelled || (state.waiting.isEmpty && state.writing == nil) { return true }
          let number = state.waiting.isEmpty ? state.number - 1 : state.number
          state.callers[caller] = (number, continuation)
          state.pause?.cancel()
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { $0.callers.removeValue(forKey: caller) }
      waiting?.continuation.resume()
    }
  }

  /// Discards the waiting batch. A batch that is being written is not affected.
  func dropWaiting() {
    let callers = state.withLock { state in
      state.waiting = Batch()
      let number = state.number
      return state.takeCallers { $0 >= number }
    }
    for caller in callers { caller.resume() }
  }

  private func run() async {
    while let batch = next() {
      let failure = await failure(of: batch)
      let (callers, pause) = state.withLock { state in
        state.writing = nil
        state.failure = failure ?? state.failure
        let number = state.number
        let written = state.takeCallers { $0 < number }
        // A remaining caller waits for changes that arrived during the write.
        guard state.callers.isEmpty else { return (written, nil as Task<Void, Never>?) }
        let pause = Task { [interval] in _ = try? await Task.sleep(for: interval) }
        state.pause = pause
        return (written, pause)
      }
      for caller in callers { caller.resume() }
      await pause?.value
    }
  }

  private func failure(of batch: Batch) async -> PersistenceError? {
    do throws(PersistenceError) {
      try await write(batch)
      return nil
    } catch {
      return error
    }
  }

  private func next() -> Batch? {
    state.withLock { state in
      state.pause = nil
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      let batch = state.waiting
      state.waiting = Batch()
      state.writing = batch
      state.number += 1
      return batch
    }
  }
}
