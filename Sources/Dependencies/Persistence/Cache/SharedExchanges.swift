import Synchronization

/// The exchanges of a repository that are under way: equal ones are one.
///
/// The first caller starts an exchange, the others wait for the same end. A caller that is
/// cancelled leaves; with the last one the exchange is cancelled, and the next caller starts a new
/// one.
final class SharedExchanges<Key: Hashable & Sendable, Output: Sendable>: Sendable {
  private struct Exchange {
    var request: APIRequest
    var task: Task<Void, Never>
    var callers: [Int: CheckedContinuation<Output?, Never>]
  }

  private struct State {
    var lastID = 0
    var exchanges: [Key: [Int: Exchange]] = [:]
  }

  private let state = Mutex(State())
  private let onJoin: (@Sendable (_ callers: Int) -> Void)?

  /// - Parameter onJoin: Called when a caller waits, with how many wait for the same exchange now;
  ///   for tests.
  init(onJoin: (@Sendable (_ callers: Int) -> Void)? = nil) { self.onJoin = onJoin }

  /// Returns what `body` returns to all callers with an equal key and an equal request; `nil` once
  /// this caller's task is cancelled. O(number of exchanges of the same key).
  func output(
    of key: Key, _ request: APIRequest, _ body: @escaping @Sendable () async -> Output
  ) async -> Output? {
    let caller = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let callers = state.withLock { state -> Int in
          if Task.isCancelled { return 0 }
          if let id = state.exchanges[key]?.first(where: { $0.value.request == request })?.key {
            state.exchanges[key]?[id]?.callers[caller] = continuation
            return state.exchanges[key]?[id]?.callers.count ?? 0
          }
          // It cannot end before this returns: its end takes the lock.
          let task = Task { self.end(key, caller, await body()) }
          state.exchanges[key, default: [:]][caller] = Exchange(
            request: request, task: task, callers: [caller: continuation])
          return 1
        }
        if callers == 0 { continuation.resume(returning: nil) } else { onJoin?(callers) }
      }
    } onCancel: {
      removeCaller(key, caller)
    }
  }

  private func end(_ key: Key, _ id: Int, _ output: Output) {
    for caller in take(key, id)?.callers.values.map({ $0 }) ?? [] {
      caller.resume(returning: output)
    }
  }

  private func take(_ key: Key, _ id: Int) -> Exchange? {
    state.withLock { state in
      let exchange = state.exchanges[key]?.removeValue(forKey: id)
      if state.exchanges[key]?.isEmpty == true { state.exchanges[key] = nil }
      return exchange
    }
  }

  private func removeCaller(_ key: Key, _ caller: Int) {
    let (continuation, task) = state.withLock { state in
      for (id, exchange) in state.exchanges[key] ?? [:] where exchange.callers[caller] != nil {
        let continuation = state.exchanges[key]?[id]?.callers.removeValue(forKey: caller)
        guard exchange.callers.count == 1 else { return (continuation, Task<Void, Never>?.none) }
        state.exchanges[key]?[id] = nil
        if state.exchanges[key]?.isEmpty == true { state.exchanges[key] = nil }
        return (continuation, exchange.task)
      }
      return (nil, nil)
    }
    task?.cancel()
    continuation?.resume(returning: nil)
  }
}
