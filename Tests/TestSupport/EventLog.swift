import Synchronization

/// A list that only grows, and that a test can wait on without sleeping. Safe from any thread.
public final class EventLog<Element: Sendable>: Sendable {
  private struct Waiter {
    var seen: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var events: [Element] = []
    var ended = false
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  public init() {}

  public var events: [Element] { state.withLock { $0.events } }
  var hasEnded: Bool { state.withLock { $0.ended } }

  public func append(_ event: Element) {
    let ready = state.withLock { state in
      state.events.append(event)
      return Self.takeReady(&state)
    }
    for continuation in ready { continuation.resume() }
  }

  /// Ends the log: no event follows, and waiting callers resume.
  func end() {
    let ready = state.withLock { state in
      state.ended = true
      return Self.takeReady(&state)
    }
    for continuation in ready { continuation.resume() }
  }

  /// All events as soon as there are more than `seen`, the log has ended or the task is cancelled.
  func events(past seen: Int) async -> [Element] {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.events.count > seen || state.ended || state.cancelled.remove(id) != nil {
            return true
          }
          state.waiters[id] = Waiter(seen: seen, continuation: continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter == nil { state.cancelled.insert(id) }
        return waiter
      }
      waiter?.continuation.resume()
    }
    return events
  }

  /// Waits until `result` finds something in the events so far; nil once the log has ended or the
  /// task is cancelled.
  public func first<Result>(_ result: ([Element]) -> Result?) async -> Result? {
    var seen = events
    while true {
      if let found = result(seen) { return found }
      let count = seen.count
      seen = await events(past: count)
      if seen.count == count { return nil }
    }
  }

  private static func takeReady(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    let ready = state.waiters.filter { $0.value.seen < state.events.count || state.ended }
    for id in ready.keys { state.waiters[id] = nil }
    return ready.values.map(\.continuation)
  }
}
