import Synchronization

/// A clock that is advanced manually. Tasks that sleep on it do not wait in real time.
///
/// Advancing wakes sleepers in the order of their deadlines, and sleepers with equal deadlines in
/// the order in which they went to sleep. It runs the executor until nothing is ready before it
/// moves to the next deadline, so a task that wakes, works and sleeps again does so at the right
/// time. The result is deterministic.
///
/// A clock runs only the tasks of its own executor. Stores with a common time share a clock.
public final class TestClock: Clock, Sendable {
  /// An instant, as the time since the beginning of the clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the beginning of the clock.
    public let offset: Duration

    /// Creates an instant at a time since the beginning of the clock.
    public init(offset: Duration) {
      self.offset = offset
    }

    /// Returns the instant that is `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the duration until `other`, which is negative if `other` is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns whether `a` is before `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    /// The offset.
    public var description: String { String(describing: offset) }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers = SleeperQueue()
    /// The ids of sleepers that were cancelled before their continuation existed.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())
  /// The executor of the tasks that sleep on this clock.
  public let executor: ManualExecutor

  /// Creates a clock at time zero, without sleepers.
  ///
  /// - Parameter executor: The executor of the tasks that sleep on this clock. A `TestStore` with
  ///   this clock runs its effects on it.
  public init(executor: ManualExecutor = ManualExecutor()) {
    self.executor = executor
  }

  /// The instant to which the clock was advanced.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero, since time is exact.
  public var minimumResolution: Duration { .zero }

  /// The deadlines of all sleepers, in the order in which they will wake.
  ///
  /// - Complexity: O(n log n).
  public var sleepers: [Instant] { state.withLock { $0.sleepers.deadlines } }

  /// The next deadline, or `nil` without sleepers.
  ///
  /// - Complexity: O(log n) for each cancelled sleeper that this removes.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.nextDeadline } }

  /// Suspends until the clock is advanced to `deadline`. Returns immediately if `deadline` has
  /// passed, which is so for a sleep of zero.
  ///
  /// - Complexity: O(log n) in the number of sleepers.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state -> Int? in
      guard deadline > state.now else { return nil }
      state.nextID += 1
      return state.nextID
    }
    guard let id else { return }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state -> Bool in
          if state.cancelled.remove(id) != nil { return true }
          state.sleepers.insert(continuation, id: id, deadline: deadline)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> SleeperQueue.Continuation? in
        if let sleeper = state.sleepers.remove(id: id) { return sleeper }
        state.cancelled.insert(id)
        return nil
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Advances time one deadline at a time, and after each runs the executor until nothing is ready.
  /// Without a duration, it only runs what is ready. Costs the same as `advance(to:)`.
  public func advance(by duration: Duration = .zero) {
    advance(to: now.advanced(by: duration))
  }

  /// Advances time to `instant`, never back. Sleepers are woken on the calling thread.
  ///
  /// - Complexity: O(log n) for each sleeper that wakes, and the cost of the tasks that run.
  public func advance(to instant: Instant) {
    // Tasks that are about to sleep begin at the current time.
    executor.run()
    while wakeNext(until: instant) { executor.run() }
    state.withLock { $0.now = Swift.max($0.now, instant) }
  }

  /// Advances time from deadline to deadline until there are no sleepers.
  ///
  /// - Parameter limit: The maximum number of deadlines, since a task that sleeps repeatedly may
  ///   never end.
  /// - Returns: Whether there are no sleepers left.
  /// - Complexity: As `advance(to:)`.
  @discardableResult
  public func run(limit: Int = 10_000) -> Bool {
    executor.run()
    for _ in 0..<Swift.max(0, limit) {
      guard wakeNext(until: nil) else { return true }
      executor.run()
    }
    return state.withLock { $0.sleepers.isEmpty }
  }

  /// Reports remaining sleepers, for the end of a test that uses a clock without a store. It runs
  /// the executor first, and reports one failure with at most five deadlines.
  ///
  /// - Complexity: O(n log n) in the number of sleepers, plus the work of ready tasks.
  public func checkNoSleepers(
    report: TestReporter, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    executor.run()
    let deadlines = sleepers
    guard !deadlines.isEmpty else { return }
    let shown = deadlines.prefix(5).map { "  at \($0)" }.joined(separator: "\n")
    let rest = deadlines.count > 5 ? "\n  and \(deadlines.count - 5) later" : ""
    report(
      TestFailure(
        kind: .sleeping,
        message: "\(count(deadlines.count, "task")) \(deadlines.count == 1 ? "sleeps" : "sleep") "
          + "on the clock, which shows \(now), and would wake\n\(shown)\(rest)\n"
          + "Advance the clock, call run(), or cancel what sleeps.",
        location: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)))
  }

  /// Advances to the next deadline and resumes its sleepers. Returns false if no sleeper is due.
  private func wakeNext(until limit: Instant?) -> Bool {
    let due = state.withLock { state -> [SleeperQueue.Continuation] in
      guard let deadline = state.sleepers.nextDeadline else { return [] }
      if let limit, deadline > limit { return [] }
      state.now = Swift.max(state.now, deadline)
      return state.sleepers.removeAll(due: deadline)
    }
    for continuation in due { continuation.resume() }
    return !due.isEmpty
  }
}
