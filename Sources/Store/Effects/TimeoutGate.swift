/// A gate that is closed by the work or by its deadline, whichever is first. It passes no actions
/// afterwards.
@usableFromInline
final class TimeoutGate: Sendable {
  @usableFromInline
  struct State: Sendable {
    /// Whether the gate is open: neither the work nor its time has ended.
    @usableFromInline var isOpen = true
    /// The number of actions that are passing. They were sent in time.
    @usableFromInline var passing = 0
    @usableFromInline var waiter: CheckedContinuation<Void, Never>?

    @inlinable
    init() {}
  }

  @usableFromInline let state = Lock(State())

  @inlinable
  init() {}

  @inlinable
  deinit {}

  /// Closes the gate. Returns `true` for the first call only.
  @inlinable
  func close() -> Bool {
    state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
  }

  @inlinable
  func enter() -> Bool {
    state.withLock { state in
      if state.isOpen { state.passing += 1 }
      return state.isOpen
    }
  }

  @inlinable
  func exit() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.passing -= 1
      return state.passing == 0 ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// Waits until no actions are passing the closed gate. No lock is held while an action passes,
  /// because reducing it runs user code.
  @inlinable
  func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state -> Bool in
        if state.passing > 0 { state.waiter = continuation }
        return state.passing == 0
      }
      if isEmpty { continuation.resume() }
    }
  }
}

extension Send {
  /// Returns a sender that drops actions once the gate is closed.
  @inlinable
  func through(_ gate: TimeoutGate) -> Send {
    Send { [sink] action, wantsHandle in
      guard gate.enter() else { return .finished }
      defer { gate.exit() }
      return sink(action, wantsHandle)
    }
  }
}
