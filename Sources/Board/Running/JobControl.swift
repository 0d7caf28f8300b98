import SwiftBoardCommandLine
import Synchronization

/// Which commands of a session an interrupt cancels, and which run in the background.
final class JobControl: Sendable {
  /// A line that is being run; those of a file that it sources are part of it.
  struct LineID: Hashable {
    fileprivate let number: Int
  }

  private struct Line {
    /// The commands that an interrupt cancels.
    var foreground: [Int] = []
    /// An interrupt has come since the line was begun: no further command of it begins.
    var isInterrupted = false
  }

  private struct State {
    var lines: [LineID: Line] = [:]
    var lineCount = 0
    /// Background commands that no line has waited for.
    var background: [Int: CommandContext] = [:]
    /// Commands that go on until they are cancelled, in the background or not.
    var endless: Set<Int> = []
    /// The last line ended with an interrupt.
    var wasInterrupted = false
  }

  private let board: Board
  private let state = Mutex(State())

  init(_ board: Board) {
    self.board = board
  }

  // MARK: Lines

  func beginLine() -> LineID {
    state.withLock { state in
      state.lineCount += 1
      let line = LineID(number: state.lineCount)
      state.lines[line] = Line()
      return line
    }
  }

  /// The outcome of a line that an interrupt, or the board's end, may have ended.
  func endLine(_ line: LineID, _ outcome: LineOutcome) -> LineOutcome {
    let isInterrupted = state.withLock { state in
      state.wasInterrupted = state.lines.removeValue(forKey: line)?.isInterrupted ?? false
      return state.wasInterrupted
    }
    let isClosed = board.isClosing && outcome.exitCode == ExitCode.interrupted
    return (isInterrupted || isClosed) && !outcome.stop
      ? LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) : outcome
  }

  /// Whether an interrupt has come since the line was begun.
  func isInterrupted(_ line: LineID) -> Bool {
    state.withLock { $0.lines[line]?.isInterrupted ?? false }
  }

  /// Whether the last line ended with an interrupt.
  var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

  /// Cancels the running command of a line, and keeps the line's next one from beginning.
  ///
  /// - Parameter line: `nil`: all lines that are being run.
  @discardableResult
  func interrupt(_ line: LineID? = nil) -> BoardSession.Interrupted {
    let (found, jobs) = state.withLock { state -> (BoardSession.Interrupted, [Int]) in
      let lines = state.lines.keys.filter { line == nil || $0 == line }
      guard !lines.isEmpty else { return (.nothing, []) }
      for line in lines { state.lines[line]?.isInterrupted = true }
      let jobs = lines.flatMap { state.lines[$0]?.foreground ?? [] }
      return (jobs.isEmpty ? .line : .command, jobs)
    }
    cancel(jobs)
    return found
  }

  // MARK: Jobs

  /// Notes a command that is about to begin.
  ///
  /// - Returns: Whether it may: an interrupt that has come keeps it from beginning.
  func begin(_ context: CommandContext, in line: LineID) -> Bool {
    state.withLock { state in
      guard state.lines[line]?.isInterrupted != true else { return false }
      if context.isBackground {
        state.background[context.job] = context
      } else {
        state.lines[line]?.foreground = [context.job]
      }
      return true
    }
  }

  /// Background commands that no line has waited for, those that have ended too.
  var background: [Int] { state.withLock { $0.background.keys.sorted() } }

  /// Notes that a command goes on until it is cancelled.
  func noteEndless(_ job: Int) { state.withLock { _ = $0.endless.insert(job) } }

  /// Background commands that go on until they are cancelled.
  var endless: [Int] {
    state.withLock { $0.endless.intersection($0.background.keys).sorted() }
  }

  /// Cancels every command that goes on until it is cancelled.
  func cancelEndless() { cancel(state.withLock { $0.endless.sorted() }) }

  /// Cancels those of the commands that run.
  func cancel(_ jobs: [Int], by cause: String? = nil) {
    let running = board.store.withState { $0.shell.running.map(\.job) }
    for job in jobs where running.contains(job) { board.cancel(job, by: cause) }
  }

  /// Notes the command that an interrupt cancels between two others of a line.
  func setForeground(_ job: Int, in line: LineID) {
    state.withLock { $0.lines[line]?.foreground = [job] }
    if isInterrupted(line) { cancel([job]) }
  }

  /// Waits for jobs that an interrupt cancels meanwhile, and gives their codes.
  func wait(for jobs: [Int], in line: LineID) async -> [Int32] {
    let isInterrupted = state.withLock { state in
      state.lines[line]?.foreground = jobs
      return state.lines[line]?.isInterrupted ?? false
    }
    // An interrupt that came before a job began, or before it was waited for, found nothing to
    // cancel.
    if isInterrupted { cancel(jobs) }
    var codes: [Int32] = []
    for job in jobs { codes.append(await board.wait(for: job)) }
    state.withLock { $0.lines[line]?.foreground = [] }
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
