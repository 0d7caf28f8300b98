import Synchronization

/// Output to the terminal, which waits while a pager or a question has it.
final class HeldOutput: Sendable {
  private struct State {
    /// How many pagers and questions have the terminal.
    var holders = 0
    /// What was to be written meanwhile, in order.
    var waiting: [@Sendable () -> Void] = []
    /// How much was left out because too much waited.
    var leftOut = 0
    var noteLeftOut: (@Sendable (Int) -> Void)?
  }

  /// How much waits at most, in pieces of output. Of more, the oldest is left out, a tenth of this
  /// at a time: a question may stand for a night beside a `watch`.
  private static let limit = 10_000

  private let state = Mutex(State())

  /// Calls `note` with the number of pieces that were left out, before the others are written.
  func noteLeftOut(_ note: @escaping @Sendable (Int) -> Void) {
    state.withLock { $0.noteLeftOut = note }
  }

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
      defer { (state.waiting, state.leftOut) = ([], 0) }
      guard state.leftOut > 0, let note = state.noteLeftOut else { return state.waiting }
      let count = state.leftOut
      return [{ note(count) }] + state.waiting
    }
  }

  /// Calls `write` now, or once nothing else has the terminal.
  func perform(_ write: @escaping @Sendable () -> Void) {
    let isHeld = state.withLock { state in
      guard state.holders > 0 else { return false }
      state.waiting.append(write)
      if state.waiting.count > Self.limit {
        state.waiting.removeFirst(Self.limit / 10)
        state.leftOut += Self.limit / 10
      }
      return true
    }
    if !isHeld { write() }
  }
}
