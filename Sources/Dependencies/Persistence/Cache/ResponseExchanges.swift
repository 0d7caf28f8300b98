import Synchronization

/// The exchanges in progress of the repositories that share this object. Equal requests share one
/// exchange.
///
/// The first caller performs the exchange in its own task, and the other callers wait for it. If
/// the first caller is cancelled, one of the others asks again.
public final class ResponseExchanges: Sendable {
  typealias Output = Result<Fetched<APIResponse>, APIError>

  private struct Exchange {
    var request: APIRequest
    var waiting: [Int: CheckedContinuation<Output?, Never>] = [:]
  }

  private struct State {
    var lastID = 0
    /// The exchanges by key, and by the number of the caller that performs them.
    var exchanges: [ResponseRepository.ExchangeKey: [Int: Exchange]] = [:]

    func equal(_ key: ResponseRepository.ExchangeKey, _ request: APIRequest) -> Int? {
      exchanges[key]?.first { $0.value.request == request }?.key
    }
  }

  private let state = Mutex(State())
  private let onJoin: (@Sendable (_ callers: Int) -> Void)?

  /// Creates an empty collection.
  public init() { onJoin = nil }

  /// Creates an empty collection for tests.
  ///
  /// - Parameter onJoin: Called when a caller waits, with the current number of callers of the same
  ///   exchange.
  init(onJoin: @escaping @Sendable (_ callers: Int) -> Void) { self.onJoin = onJoin }

  /// Returns the output of `body` to all callers with an equal key and an equal request, or `nil`
  /// if this caller's task is cancelled while it waits for another one. O(number of exchanges of
  /// the same key).
  func output(
    of key: ResponseRepository.ExchangeKey, _ request: APIRequest,
    _ body: @Sendable () async -> Output
  ) async -> Output? {
    while true {
      let (caller, isFirst) = state.withLock { state in
        state.lastID += 1
        guard state.equal(key, request) == nil else { return (state.lastID, false) }
        state.exchanges[key, default: [:]][state.lastID] = Exchange(request: request)
        return (state.lastID, true)
      }
      if isFirst {
        let output = await body()
        // The other callers ask again, because a response after a cancellation may be incomplete.
        let given = Task.isCancelled ? nil : output
        for continuation in end(key, caller) { continuation.resume(returning: given) }
        return output
      }
      if let output = await wait(caller, key, request) { return output }
      if Task.isCancelled { return nil }
    }
  }

  private func end(
    _ key: ResponseRepository.ExchangeKey, _ caller: Int
  ) -> [CheckedContinuation<Output?, Never>] {
    state.withLock { state in
      let exchange = state.exchanges[key]?.removeValue(forKey: caller)
      if state.exchanges[key]?.isEmpty == true { state.exchanges[key] = nil }
      return exchange.map { Array($0.waiting.values) } ?? []
    }
  }

  /// Waits for the exchange of another caller. Returns `nil` if it has ended or was cancelled, or
  /// if this caller is cancelled.
  private func wait(
    _ caller: Int, _ key: ResponseRepository.ExchangeKey, _ request: APIRequest
  ) async -> Output? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let callers = state.withLock { state -> Int? in
          guard !Task.isCancelled, let first = state.equal(key, request) else { return nil }
          state.exchanges[key]?[first]?.waiting[caller] = continuation
          return 1 + (state.exchanges[key]?[first]?.waiting.count ?? 0)
        }
        if let callers { onJoin?(callers) } else { continuation.resume(returning: nil) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        for first in state.exchanges[key]?.keys.map({ $0 }) ?? [] {
          if let found = state.exchanges[key]?[first]?.waiting.removeValue(forKey: caller) {
            return Optional(found)
          }
        }
        return nil
      }
      continuation?.resume(returning: nil)
    }
  }
}
