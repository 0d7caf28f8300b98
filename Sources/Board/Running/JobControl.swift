import SwiftBoardCommandLine
import Synchronization

/// Which commands of a session an interrupt cancels, and which run in the background.
final class JobControl: Sendable {
  private struct State {
    /// The commands that an interrupt cancels.
    var foreground: [Int] = []
    /// Background commands that no line has waited for.
    var background: [Int: CommandContext] = [:]
    /// An interrupt has come since the line was begun: no further command of it begins.
    var isInterrupted = false
    /// The last line ended with an interrupt.
    var wasInterrupted = false
    /// Lines that are being run, those of files not counted.
    var lines = 0
  }

  private let board: Board
  private let state = Mutex(State())

  init(_ board: Board) {
    self.board = board
  }

  // MARK: Lines

  func beginLine() { state.withLock { $0.lines += 1 } }

  /// The outcome of a line that an interrupt, or the board's end, may have ended.
  func endLine(_ outcome: LineOutcome) -> LineOutcome {
    let isInterrupted = state.withLock { state in
      state.lines -= 1
      state.wasInterrupted = state.isInterrupted
      if state.lines == 0 { state.isInterrupted = false }
      return state.wasInterrupted
    }
    let isClosed = board.isClosing && outcome.exitCode == ExitCode.interrupted
    return (isInterrupted || isClosed) && !outcome.stop
      ? LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) : outcome
  }

  /// Whether an interrupt has come since the line was begun.
  var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Whether the last line ended with an interrupt.
  var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

  /// Cancels the running command, and keeps the line's next one from beginning.
  func interrupt() -> BoardSession.Interrupted {
    let (found, jobs) = state.withLock { state -> (BoardSession.Interrupted, [Int]) in
      guard state.lines > 0 else { return (.nothing, []) }
      state.isInterrupted = true
      return (state.foreground.isEmpty ? .line : .command, state.foreground)
    }
    cancel(jobs)
    return found
  }

  // MARK: Jobs

  /// Notes a command that is about to begin.
  ///
  /// - Returns: Whether it may: an interrupt that has come keeps it from beginning.
  func begin(_ context: CommandContext) -> Bool {
    state.withLock { state in
      guard !state.isInterrupted else { return false }
      if context.isBackground {
        state.background[context.job] = context
      } else {
        state.foreground = [context.job]
      }
      return true
    }
  }

  /// Background commands that no line has waited for, those that have ended too.
  var background: [Int] { state.withLock { $0.background.keys.sorted() } }

  /// Cancels those of the commands that run.
  func cancel(_ jobs: [Int], by cause: String? = nil) {
    let running = board.store.withState { $0.shell.running.map(\.job) }
    for job in jobs where running.contains(job) { board.cancel(job, by: cause) }
  }

  /// Waits for jobs that an interrupt cancels meanwhile, and gives their codes.
  func wait(for jobs: [Int]) async -> [Int32] {
    let isInterrupted = state.withLock { state in
      state.foreground = jobs
      return state.isInterrupted
    }
    // An interrupt that came before a job began, or before it was waited for, found nothing to
    // cancel.
    if isInterrupted { cancel(jobs) }
    var codes: [Int32] = []
    for job in jobs { codes.append(await board.wait(for: job)) }
    state.withLock { $0.foreground = [] }
    return codes
  }

  /// How a background command ended, by the prefix of its line. It is not asked for again.
  func judge(_ job: Int, _ code: Int32) -> LineOutcome {
    let context = state.withLock { $0.background.removeValue(forKey: job) }
    var outcome = LineOutcome(exitCode: code).applying(context?.prefix)
    outcome.message = outcome.message.map { "job \(job): \($0)" }
    return outcome
  }
}
