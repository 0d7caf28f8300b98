import Synchronization

/// Output to the terminal, which waits while a pager or a question has it.
final class HeldOutput: Sendable {
  private struct State {
    /// How many pagers and questions have the terminal.
    var holders = 0
    /// What was to be written meanwhile, in order.
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  /// Holds output back until an equal number of calls of `end`.
  func begin() { state.withLock { $0.holders += 1 } }

  /// Ends `begin`, and writes what has waited unless there is another holder.
  func end() {
    // What is written meanwhile has to come behind what has waited.
    while let waiting = takeWaiting() {
      for write in waiting { write() }
    }
  }

  private func takeWaiting() -> [@Sendable () -> Void]? {
    state.withLock { state in
      guard state.holders == 1, !state.waiting.isEmpty else {
        state.holders -= 1
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Calls `write` now, or once nothing else has the terminal.
  func perform(_ write: @escaping @Sendable () -> Void) {
    let isHeld = state.withLock { state in
      guard state.holders > 0 else { return false }
      state.waiting.append(write)
      return true
    }
    if !isHeld { write() }
  }
}
