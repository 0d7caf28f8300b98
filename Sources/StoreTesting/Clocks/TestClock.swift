import Synchronization

/// A clock that does not move until it is advanced: nothing that sleeps on it waits in real time.
///
/// Advancing wakes sleepers in the order of their deadlines, and sleepers with equal deadlines in
/// the order in which they went to sleep. It runs the executor until nothing is ready before it
/// moves to the next deadline, so a task that wakes, works and sleeps again does so at the right
/// time. The result is deterministic.
///
/// It drives the tasks of its own executor alone. Stores that share time share a clock.
public final class TestClock: Clock, Sendable {
  /// A moment, counted from the clock's beginning.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// How long after the clock's beginning.
    public let offset: Duration

    /// The moment so long after the clock's beginning.
    public init(offset: Duration) {
      self.offset = offset
    }

    /// The moment `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// How long it is until `other`; negative where that is past.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether `a` comes before `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    /// The offset.
    public var description: String { String(describing: offset) }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers = SleeperQueue()
    /// Cancelled before their continuation was there.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())
  /// Runs what sleeps on this clock.
  public let executor: ManualExecutor

  /// Creates a clock at the beginning of time, without sleepers.
  ///
  /// - Parameter executor: Where the tasks run that sleep here; a `TestStore` with this clock runs
  ///   its effects on it.
  public init(executor: ManualExecutor = ManualExecutor()) {
    self.executor = executor
  }

  /// The moment to which the clock was advanced. One lock.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero: every difference counts.
  public var minimumResolution: Duration { .zero }

  /// The deadlines of all sleepers, in the order in which they will wake. O(n log n).
  public var sleepers: [Instant] { state.withLock { $0.sleepers.deadlines } }

  /// The next deadline; `nil` without sleepers. O(log n) for each cancelled sleeper that this
  /// removes.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.nextDeadline } }

  /// Suspends until the clock is advanced to `deadline`; returns at once if that is past. O(log n)
  /// in the number of sleepers.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
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

  /// Moves time on, one deadline at a time; after each the executor runs until nothing is ready. As
  /// `advance(to:)`.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Advances time to `instant`, never back. Sleepers are woken on the calling thread.
  ///
  /// - Complexity: O(log n) for each sleeper that wakes, and what the tasks do that run then.
  public func advance(to instant: Instant) {
    // Tasks that are about to sleep do so at the present time.
    executor.run()
    while wakeNext(until: instant) { executor.run() }
    state.withLock { $0.now = Swift.max($0.now, instant) }
  }

  /// Advances time from deadline to deadline until there are no sleepers.
  ///
  /// - Parameter limit: The most deadlines to go through: what sleeps again and again would have no
  ///   end.
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
