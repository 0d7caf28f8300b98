import Synchronization

/// A clock that does not move until it is advanced: nothing that sleeps on it waits in real time.
///
/// Sleepers wake in the order of their deadlines, and sleepers with equal deadlines in the order in
/// which they went to sleep. `now` is the sleeper's deadline at the moment it is woken. On a serial
/// executor they also run in that order.
public final class ManualClock: Sendable {
  private struct Sleeper {
    let deadline: Int64
    let id: UInt64
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Waiter {
    let id: UInt64
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now: Int64 = 0
    var nextID: UInt64 = 0
    /// By deadline, then by id.
    var sleepers: [Sleeper] = []
    /// Cancelled before their continuation was there.
    var cancelled: Set<UInt64> = []
    var waiters: [Waiter] = []

    mutating func takeID() -> UInt64 {
      defer { nextID += 1 }
      return nextID
    }
  }

  private let state = Mutex(State())

  /// Creates a clock at 0 without sleepers.
  public init() {}

  /// The clock to be put into `Dependencies`.
  public var clock: BoardClock {
    BoardClock(now: { self.now }, sleep: { try await self.sleep(for: $0) })
  }

  /// Microseconds by which the clock was advanced.
  public var now: Int64 { state.withLock { $0.now } }

  /// How many tasks sleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The deadline of the next sleeper, in microseconds; `nil` without sleepers.
  public var nextDeadline: Int64? { state.withLock { $0.sleepers.first?.deadline } }

  /// Advances time and wakes the sleepers that are due by then. Returns when all are resumed, not
  /// when they have run.
  public func advance(by duration: Duration) {
    let target = state.withLock { state in
      let (sum, overflow) = state.now.addingReportingOverflow(max(0, duration.microseconds))
      return overflow ? Int64.max : sum
    }
    advance(to: target)
  }

  /// Moves time to `target` microseconds; never back.
  public func advance(to target: Int64) {
    while let sleeper = state.withLock({ Self.pop(&$0, until: target) }) {
      sleeper.continuation.resume()
    }
  }

  /// Advances time to the next deadline and wakes its sleepers. Returns false without sleepers.
  @discardableResult
  public func advanceToNext() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  /// Returns when at least `count` tasks sleep. It does not poll; it waits forever if they never
  /// do, unless cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    let id = state.withLock { $0.takeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state in
          if state.sleepers.count >= count || state.cancelled.remove(id) != nil { return true }
          state.waiters.append(Waiter(id: id, count: count, continuation: continuation))
          return false
        }
        if ready { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.waiters.remove(at: index)
      }
      waiter?.continuation.resume()
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  private func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let id = state.withLock { $0.takeID() }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (cancelled, waiters) = state.withLock { state -> (Bool, [Waiter]) in
          if state.cancelled.remove(id) != nil { return (true, []) }
          let (sum, overflow) = state.now.addingReportingOverflow(duration.microseconds)
          let sleeper = Sleeper(
            deadline: overflow ? .max : sum, id: id, continuation: continuation)
          // Ids grow, so among equal deadlines the end is the right place.
          let index =
            state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
          state.sleepers.insert(sleeper, at: index)
          let ready = state.waiters.filter { $0.count <= state.sleepers.count }
          state.waiters.removeAll { $0.count <= state.sleepers.count }
          return (false, ready)
        }
        if cancelled { continuation.resume(throwing: CancellationError()) }
        for waiter in waiters { waiter.continuation.resume() }
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

  private static func pop(_ state: inout State, until target: Int64) -> Sleeper? {
    guard let first = state.sleepers.first, first.deadline <= target else {
      state.now = max(state.now, target)
      return nil
    }
    state.now = max(state.now, first.deadline)
    return state.sleepers.removeFirst()
  }
}
