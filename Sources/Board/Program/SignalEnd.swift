import Dispatch
import SwiftBoardCommandLine
import Synchronization

/// The end of the program after a signal. It closes the board and exits with the signal's code,
/// regardless of the lines' result. Only the first such signal counts.
final class SignalEnd: Sendable {
  private let leave: @Sendable (Int32) -> Void
  private let ending = Mutex<Task<Int32, Never>?>(nil)
  private let hasLeft = Atomic(false)
  private let patience: DispatchTimeInterval
  /// The time for saving what must not be lost. Only a disk that takes nothing reaches it.
  private let sealLimit = DispatchTimeInterval.seconds(10)

  /// Creates an end that has not begun.
  ///
  /// - Parameters:
  ///   - patience: The time limit for ending the program, if it is limited.
  ///   - leave: Ends the process; called once, from any thread.
  init(
    patience: DispatchTimeInterval = .milliseconds(1500), leave: @escaping @Sendable (Int32) -> Void
  ) {
    self.patience = patience
    self.leave = leave
  }

  /// Whether a signal has been received.
  var hasBegun: Bool { ending.withLock { $0 != nil } }

  /// Starts ending the program and returns immediately.
  ///
  /// - Parameter close: The work to do before the process exits.
  func begin(_ signal: Signal, close: @escaping @Sendable () async -> Void) {
    let code = ExitCode.of(signal)
    ending.withLock { ending in
      guard ending == nil else { return }
      ending = Task {
        await close()
        self.leaveOnce(code)
        return code
      }
    }
  }

  /// Limits the time to end the program. It exits even if its lines do not end, for example because
  /// their output is blocked.
  ///
  /// - Parameter seal: Saves what must not be lost. It gets ten seconds.
  func limit(_ signal: Signal, seal: @escaping @Sendable () -> Void) {
    let code = ExitCode.of(signal)
    // These are separate queues: Dispatch ends a process if it cannot inspect its shared threads in
    // `/proc`.
    let queues = ["swiftboard.seal", "swiftboard.leave"].map { DispatchQueue(label: $0) }
    queues[0].asyncAfter(deadline: .now() + patience) {
      guard !self.hasLeft.load(ordering: .relaxed) else { return }
      queues[1].asyncAfter(deadline: .now() + self.sealLimit) { self.leaveOnce(code) }
      seal()
      self.leaveOnce(code)
    }
  }

  /// Records that the program has ended by itself.
  func finish() {
    hasLeft.store(true, ordering: .relaxed)
  }

  /// The exit code of a signal after the program was closed, or `nil` if no signal was received.
  var code: Int32? {
    get async { await ending.withLock { $0 }?.value }
  }

  private func leaveOnce(_ code: Int32) {
    guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
    leave(code)
  }
}
