/// Decides, once, whether work or its time was first, and lets nothing through afterwards.
@usableFromInline
final class TimeoutGate: Sendable {
  @usableFromInline
  struct State: Sendable {
    /// Neither the work nor its time has ended.
    @usableFromInline var isOpen = true
    /// Actions on their way through; they were sent in time.
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

  /// Closes the gate. Returns true for the first call only.
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

  /// Returns when nothing is on its way through the closed gate. No lock is held while an action
  /// passes, since reducing it runs the code of others.
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
  /// A sender whose actions are dropped from the moment the gate is closed.
  @inlinable
  func through(_ gate: TimeoutGate) -> Send {
    Send { [sink] action, wantsHandle in
      guard gate.enter() else { return .finished }
      defer { gate.exit() }
      return sink(action, wantsHandle)
    }
  }
}
