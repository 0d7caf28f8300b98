import Synchronization

/// A clock that stands still until it is advanced: nothing that sleeps on it waits for real.
///
/// Advancing wakes sleepers in the order of their deadlines, those of one deadline in the order in which they fell asleep, and
/// runs the executor until nothing is ready before it moves on to the next deadline. So who wakes, works and sleeps again does it at
/// the right moment. Nothing yields, nothing is left to chance.
///
/// It drives the tasks of its own executor alone. Stores that share time share a clock.
public final class TestClock: Clock, Sendable {
  /// A moment, counted from the clock's beginning.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    public let offset: Duration

    public init(offset: Duration) {
      self.offset = offset
    }

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    public var description: String { String(describing: offset) }
  }

  private struct Sleeper {
    let deadline: Instant
    let id: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    /// By deadline, then by id.
    var sleepers: [Sleeper] = []
    /// Cancelled before their continuation was there.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())
  /// Runs what sleeps on this clock.
  public let executor: ManualExecutor

  /// - Parameter executor: Where the tasks run that sleep here; a `TestStore` with this clock runs its effects on it.
  public init(executor: ManualExecutor = ManualExecutor()) {
    self.executor = executor
  }

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  /// When those who sleep will wake, in the order in which they will.
  public var sleepers: [Instant] { state.withLock { $0.sleepers.map(\.deadline) } }

  /// Suspends until the clock is advanced to `deadline`; returns at once where that is past.
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
          let sleeper = Sleeper(deadline: deadline, id: id, continuation: continuation)
          // Ids grow, so among equal deadlines the end is the right place.
          let index =
            state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
          state.sleepers.insert(sleeper, at: index)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves time on, one deadline at a time; after each the executor runs until nothing is ready.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Moves time to `instant`; never back.
  public func advance(to instant: Instant) {
    // Who is about to fall asleep does so at the present moment.
    executor.run()
    while wakeNext(until: instant) { executor.run() }
    state.withLock { $0.now = Swift.max($0.now, instant) }
  }

  /// Moves time from deadline to deadline until nobody sleeps.
  ///
  /// - Parameter limit: The most deadlines to go through: what sleeps again and again would have no end.
  /// - Returns: Whether nobody sleeps any more.
  @discardableResult
  public func run(limit: Int = 10_000) -> Bool {
    executor.run()
    for _ in 0..<Swift.max(0, limit) {
      guard wakeNext(until: nil) else { return true }
      executor.run()
    }
    return state.withLock { $0.sleepers.isEmpty }
  }

  /// Goes to the next deadline and resumes all who sleep until then. False where nobody is due.
  private func wakeNext(until limit: Instant?) -> Bool {
    let due = state.withLock { state -> [Sleeper] in
      guard let first = state.sleepers.first else { return [] }
      if let limit, first.deadline > limit { return [] }
      state.now = Swift.max(state.now, first.deadline)
      let count =
        state.sleepers.firstIndex { $0.deadline > first.deadline } ?? state.sleepers.count
      defer { state.sleepers.removeFirst(count) }
      return Array(state.sleepers.prefix(count))
    }
    for sleeper in due { sleeper.continuation.resume() }
    return !due.isEmpty
  }
}
