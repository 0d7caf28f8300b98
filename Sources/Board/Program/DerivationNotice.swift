import Dispatch
import SwiftBoardSystem
import Synchronization

/// A notice on the terminal that a key is being derived. It appears after a tenth of a second,
/// disappears at the end, and uses no escape sequences.
final class DerivationNotice: Sendable {
  private struct State {
    var running = 0
    /// Distinguishes this derivation from the one for which a notice was scheduled.
    var turn = 0
    var isShown = false
  }

  private let state = Mutex(State())
  private let text: String
  private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let write: @Sendable (String) -> Void

  /// Creates a notice.
  ///
  /// - Parameters:
  ///   - later: Calls its argument after a tenth of a second.
  ///   - write: Writes to the terminal.
  init(
    isASCII: Bool,
    later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: body)
    },
    write: @escaping @Sendable (String) -> Void = { Descriptor.show($0, on: STDERR_FILENO) }
  ) {
    text = "deriving the key" + (isASCII ? "..." : "\u{2026}")
    self.later = later
    self.write = write
  }

  /// Updates the notice when a derivation begins or ends.
  func note(isRunning: Bool) {
    guard isRunning else { return end() }
    let turn = state.withLock { state in
      state.running += 1
      state.turn += 1
      return state.turn
    }
    later { [self] in
      state.withLock { state in
        guard state.running > 0, state.turn == turn, !state.isShown else { return }
        state.isShown = true
        write(text)
      }
    }
  }

  private func end() {
    state.withLock { state in
      state.running -= 1
      guard state.running == 0, state.isShown else { return }
      state.isShown = false
      let blanks = String(repeating: " ", count: text.count)
      write("\r\(blanks)\r")
    }
  }
}
