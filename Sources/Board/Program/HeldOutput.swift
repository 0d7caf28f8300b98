import Synchronization

/// Output to the terminal, which waits while a pager or a question has it.
final class HeldOutput: Sendable {
  /// A round of `watch`.
  struct Round: Equatable {
    var job: Int
    var number: Int
  }

  private struct State {
    /// How many pagers and questions have the terminal.
    var holders = 0
    /// What was to be written meanwhile, in order.
    var waiting: [(round: Round?, write: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  /// Holds output back until an equal number of calls of `end`.
  func begin() { state.withLock { $0.holders += 1 } }

  /// Ends `begin`, and writes what has waited unless there is another holder.
  func end() {
    // What is written meanwhile has to come behind what has waited.
    while let waiting = takeWaiting() {
      for output in waiting { output.write() }
    }
  }

  private func takeWaiting() -> [(round: Round?, write: @Sendable () -> Void)]? {
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
  ///
  /// - Parameter round: The round of `watch` that is written, or `nil` for other output. It takes
  ///   the place of earlier rounds that still wait.
  func perform(of round: Round? = nil, _ write: @escaping @Sendable () -> Void) {
    let isHeld = state.withLock { state in
      guard state.holders > 0 else { return false }
      if let round {
        state.waiting.removeAll { $0.round?.job == round.job && $0.round != round }
      }
      state.waiting.append((round, write))
      return true
    }
    if !isHeld { write() }
  }
}
