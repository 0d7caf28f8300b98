import Dispatch
import Synchronization

/// A value that one call uses at a time, on the thread of its caller or on a thread of its own.
///
/// A call that may take long, such as waiting for another process or reading many rows, would block
/// one of the few threads of the shared pool. It runs on the value's thread. The two changes of
/// threads take several times as long as most brief calls, so a brief call runs on its caller's
/// thread, except in three cases:
/// - Another call uses the value or waits for its thread. A call does not overtake a waiting one.
/// - The last brief call took longer than a millisecond, because the disk is slow.
/// - The call itself needs the thread, for example because a file has to be opened first.
final class ExclusiveValue<Value>: Sendable {
  private struct State {
    var value: Value
    /// Whether the last brief call took longer than a brief call may block its caller's thread.
    var isSlow = false
  }

  private static var briefLimit: Duration { .milliseconds(1) }

  private let state: Mutex<State>
  private let thread: ValueThread
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The number of calls that use the value's thread or wait for it.
  private let waiting = Atomic(0)

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - label: The name of the thread.
  ///   - now: The time by which brief calls are measured.
  init(
    _ value: consuming sending Value, label: String,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    state = Mutex(State(value: value))
    thread = ValueThread(label)
    self.now = now
  }

  /// Whether a call uses the value or waits for its thread. It may have ended when this returns.
  var isInUse: Bool {
    waiting.load(ordering: .relaxed) != 0 || state.withLockIfAvailable { _ in true } == nil
  }

  /// Calls `body` on the value's thread.
  func use<Result: Sendable, Failure: Error>(
    _ body: @Sendable (inout Value) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await runOnThread { (state) throws(Failure) -> Result in try body(&state.value) }
  }

  /// Calls `here` on the caller's thread. If that is not possible, or if `here` returns `nil`,
  /// calls `onThread` on the value's thread.
  ///
  /// - Parameters:
  ///   - here: Does not wait for anything but a fast disk. Changes nothing if it returns `nil`.
  ///   - onThread: Does the same without these limits.
  func useBriefly<Result: Sendable, Failure: Error>(
    here: @Sendable (inout Value) throws(Failure) -> Result?,
    onThread: @Sendable (inout Value) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if let result = try useHere(here) { return result }
    return try await runOnThread { (state) throws(Failure) -> Result in
      let start = now()
      defer { if now() - start <= Self.briefLimit { state.isSlow = false } }
      return try onThread(&state.value)
    }
  }

  /// Calls `body` on the caller's thread. Returns `nil` if that is not possible.
  func useHere<Result: Sendable, Failure: Error>(
    _ body: @Sendable (inout Value) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    guard waiting.load(ordering: .relaxed) == 0 else { return nil }
    return try state.withLockIfAvailable { (state) throws(Failure) -> Result? in
      guard !state.isSlow else { return nil }
      let start = now()
      defer { state.isSlow = now() - start > Self.briefLimit }
      return try body(&state.value)
    } ?? nil
  }

  private func runOnThread<Result: Sendable, Failure: Error>(
    _ body: @Sendable (inout State) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    waiting.add(1, ordering: .relaxed)
    defer { waiting.subtract(1, ordering: .relaxed) }
    return try await thread.run { () throws(Failure) -> Result in
      try state.withLock { (state) throws(Failure) -> Result in try body(&state) }
    }
  }
}

/// An actor that runs calls on a dispatch queue, one after the other and inside their tasks, so
/// that they see whether their task is cancelled.
private actor ValueThread {
  private let executor: QueueExecutor

  init(_ label: String) { executor = QueueExecutor(label) }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  func run<Result: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }
}

/// An executor that runs the jobs of an actor on its own dispatch queue.
private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
