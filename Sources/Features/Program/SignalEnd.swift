import Dispatch
import SwiftBoardCommandLine
import Synchronization

/// The end of the program that a signal asks for: the board is closed, and the process left with the signal's code, whatever the lines
/// made of the closed board meanwhile. Only the first such signal counts.
final class SignalEnd: Sendable {
  private let leave: @Sendable (Int32) -> Void
  private let ending = Mutex<Task<Int32, Never>?>(nil)
  private let hasLeft = Atomic(false)

  /// - Parameter leave: Ends the process; called once, from any thread.
  init(leave: @escaping @Sendable (Int32) -> Void) {
    self.leave = leave
  }

  /// Whether a signal has come.
  var hasBegun: Bool { ending.withLock { $0 != nil } }

  /// Begins the end and does not wait for it.
  ///
  /// - Parameter close: What there is to do before the process is left.
  func begin(_ signal: Signal, close: @escaping @Sendable () async -> Void) {
    let code = signal.exitCode
    let isFirst = ending.withLock { ending in
      guard ending == nil else { return false }
      ending = Task {
        await close()
        self.leaveOnce(code)
        return code
      }
      return true
    }
    guard isFirst else { return }
    // A step that is being printed may take its time; the end does not wait for it for long.
    DispatchQueue.global().asyncAfter(deadline: .now() + 1.5) { self.leaveOnce(code) }
  }

  /// The code with which a signal ends the program, once it has been left; `nil` where no signal came.
  var code: Int32? {
    get async { await ending.withLock { $0 }?.value }
  }

  private func leaveOnce(_ code: Int32) {
    guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
    leave(code)
  }
}
