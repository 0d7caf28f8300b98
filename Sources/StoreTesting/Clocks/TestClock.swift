import Synchronization

/// A clock that stands still until it is advanced: nothing that sleeps on it waits for real.
///
/// Advancing wakes sleepers in the order of their deadlines, those of one deadline in the order in
/// which they fell asleep, and runs the executor until nothing is ready before it moves on to the
/// next deadline. So who wakes, works and sleeps again does it at the right moment. Nothing yields,
/// nothing is left to chance.
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

    /// The moment `duration` later. O(1).
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// How long it is until `other`; negative where that is past. O(1).
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether `a` comes before `b`. O(1).
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

  /// A clock at the beginning of time, with nobody asleep.
  ///
  /// - Parameter executor: Where the tasks run that sleep here; a `TestStore` with this clock runs
  ///   its effects on it.
  public init(executor: ManualExecutor = ManualExecutor()) {
    self.executor = executor
  }

  /// The moment to which the clock was advanced. One lock.
  public var now: Instant { state.withLock { $0.now } }
  /// Zero: every difference counts. O(1).
  public var minimumResolution: Duration { .zero }

  /// When those who sleep will wake, in the order in which they will. O(n log n).
  public var sleepers: [Instant] { state.withLock { $0.sleepers.deadlines } }

  /// When the next one wakes; `nil` where nobody sleeps. O(1), and O(log n) for each who was
  /// cancelled before.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.nextDeadline } }

  /// Suspends until the clock is advanced to `deadline`; returns at once where that is past. O(log
  /// n) of those who sleep.
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

  /// Moves time to `instant`; never back. Who is to be woken is woken on the calling thread.
  ///
  /// - Complexity: O(log n) for each sleeper that wakes, and what the tasks do that run then.
  public func advance(to instant: Instant) {
    // Who is about to fall asleep does so at the present moment.
    executor.run()
    while wakeNext(until: instant) { executor.run() }
    state.withLock { $0.now = Swift.max($0.now, instant) }
  }

  /// Moves time from deadline to deadline until nobody sleeps.
  ///
  /// - Parameter limit: The most deadlines to go through: what sleeps again and again would have no
  ///   end.
  /// - Returns: Whether nobody sleeps any more.
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

  /// Reports whoever sleeps here: for the end of a test that uses a clock without a store. It runs
  /// the executor first; reported is one failure with the deadlines of at most five.
  ///
  /// - Complexity: O(n log n) of those who sleep, and what is ready.
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

  /// Goes to the next deadline and resumes all who sleep until then. False where nobody is due.
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
