import Dispatch
import SwiftBoardCommandLine
import Synchronization

/// The end of the program that a signal asks for: the board is closed, and the process left with
/// the signal's code, whatever the lines made of the closed board meanwhile. Only the first such
/// signal counts.
final class SignalEnd: Sendable {
  private let leave: @Sendable (Int32) -> Void
  private let ending = Mutex<Task<Int32, Never>?>(nil)
  private let hasLeft = Atomic(false)
  private let patience: DispatchTimeInterval

  /// - Parameters:
  ///   - patience: How long an end may take where there is a limit to it.
  ///   - leave: Ends the process; called once, from any thread.
  init(
    patience: DispatchTimeInterval = .milliseconds(1500), leave: @escaping @Sendable (Int32) -> Void
  ) {
    self.patience = patience
    self.leave = leave
  }

  /// Whether a signal has come.
  var hasBegun: Bool { ending.withLock { $0 != nil } }

  /// Begins the end and does not wait for it.
  ///
  /// - Parameter close: What there is to do before the process is left.
  func begin(_ signal: Signal, close: @escaping @Sendable () async -> Void) {
    let code = signal.exitCode
    ending.withLock { ending in
      guard ending == nil else { return }
      ending = Task {
        await close()
        self.leaveOnce(code)
        return code
      }
    }
  }

  /// Ends the program although its lines do not: what is being printed may take its time, and the
  /// end does not wait for it for long.
  ///
  /// - Parameter seal: What must not be lost; it has as long again.
  func limit(_ signal: Signal, seal: @escaping @Sendable () -> Void) {
    let code = signal.exitCode
    // Queues of its own: Dispatch ends a process whose shared threads it cannot look at in `/proc`.
    let queues = ["swiftboard.seal", "swiftboard.leave"].map { DispatchQueue(label: $0) }
    queues[0].asyncAfter(deadline: .now() + patience) {
      guard !self.hasLeft.load(ordering: .relaxed) else { return }
      queues[1].asyncAfter(deadline: .now() + self.patience) { self.leaveOnce(code) }
      seal()
      self.leaveOnce(code)
    }
  }

  /// The program has ended by itself.
  func finish() {
    hasLeft.store(true, ordering: .relaxed)
  }

  /// The code with which a signal ends the program, once it has been left; `nil` if no signal came.
  var code: Int32? {
    get async { await ending.withLock { $0 }?.value }
  }

  private func leaveOnce(_ code: Int32) {
    guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
    leave(code)
  }
}
