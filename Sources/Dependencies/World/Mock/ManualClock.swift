import Synchronization

/// A clock for tests that moves only when it is advanced. Tasks that sleep on it do not wait in
/// real time.
///
/// Sleepers wake in the order of their deadlines. Sleepers with equal deadlines wake in the order
/// in which they started to sleep. While a sleeper is woken, `now` is its deadline. On a serial
/// executor, sleepers also run in that order.
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
    /// The sleepers, by deadline, then by id.
    var sleepers: [Sleeper] = []
    /// The sleepers that were cancelled before their continuation was stored.
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

  /// The clock for `Dependencies`.
  public var clock: BoardClock {
    BoardClock(now: { self.now }, sleep: { try await self.sleep(for: $0) })
  }

  /// The microseconds by which the clock was advanced.
  public var now: Int64 { state.withLock { $0.now } }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The deadline of the next sleeper in microseconds, or `nil` if there is none.
  public var nextDeadline: Int64? { state.withLock { $0.sleepers.first?.deadline } }

  /// Advances time and wakes the sleepers that become due. Returns when all are resumed, but
  /// possibly before they have run.
  public func advance(by duration: Duration) {
    let target = state.withLock { state in
      let (sum, overflow) = state.now.addingReportingOverflow(max(0, duration.microseconds))
      return overflow ? Int64.max : sum
    }
    advance(to: target)
  }

  /// Advances time to `target` microseconds. Time never moves back.
  public func advance(to target: Int64) {
    while let sleeper = state.withLock({ Self.pop(&$0, until: target) }) {
      sleeper.continuation.resume()
    }
  }

  /// Advances time to the next deadline and wakes its sleepers. Returns false if there are no
  /// sleepers.
  @discardableResult
  public func advanceToNext() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  /// Waits until at least `count` tasks sleep, or until it is cancelled. It does not poll.
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
          // Ids increase, so the end is the correct index among equal deadlines.
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
