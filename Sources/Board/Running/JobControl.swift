import SwiftBoardCommandLine
import Synchronization

/// The commands of an executor that an interrupt cancels, and those that run in the background.
final class JobControl: Sendable {
  /// The id of a running line. It includes the lines of a file that the line sources.
  struct LineID: Hashable {
    fileprivate let number: Int
  }

  private struct Line {
    /// The commands that an interrupt cancels.
    var foreground: [Int] = []
    /// Cancels what the line waits for between two commands, such as the other end of a pipe.
    var cancelWait: (@Sendable () -> Void)?
    /// Whether an interrupt has arrived since the line started. No further command of it starts
    /// then.
    var isInterrupted = false
  }

  /// What an interrupt has found.
  private struct Interruption {
    var lines: [LineID]
    var jobs: [Int]

    var found: LineExecutor.Interrupted {
      lines.isEmpty ? .nothing : jobs.isEmpty ? .line : .command
    }
  }

  private struct State {
    var lines: [LineID: Line] = [:]
    var lineCount = 0
    /// The background commands for which no line has waited.
    var background: [Int: CommandContext] = [:]
    /// The commands that run until they are cancelled, also in the background.
    var endless: [Int: CommandContext] = [:]
    /// Whether the last line ended with an interrupt.
    var wasInterrupted = false
    /// The interrupts that have begun, in order.
    var begun: [Interruption] = []

    /// Lets no further command of a line start, or of any line for `nil`.
    mutating func interrupt(_ line: LineID?) -> Interruption {
      let found = lines.keys.filter { line == nil || $0 == line }
      for line in found { lines[line]?.isInterrupted = true }
      return Interruption(lines: found, jobs: found.flatMap { lines[$0]?.foreground ?? [] })
    }
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

  /// Removes a line and returns its outcome, which is 130 if an interrupt or the end of the board
  /// ended it.
  func endLine(_ line: LineID, _ outcome: LineOutcome) -> LineOutcome {
    let isInterrupted = state.withLock { state in
      state.wasInterrupted = state.lines.removeValue(forKey: line)?.isInterrupted ?? false
      return state.wasInterrupted
    }
    let isClosed = board.isClosing && outcome.exitCode == ExitCode.interrupted
    guard isInterrupted || isClosed, !outcome.stop, !outcome.isInterrupted else { return outcome }
    return .interrupted(after: outcome.exitCode)
  }

  /// Returns whether an interrupt has arrived since the line started.
  func isInterrupted(_ line: LineID) -> Bool {
    state.withLock { $0.lines[line]?.isInterrupted ?? false }
  }

  /// Whether the last line ended with an interrupt.
  var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

  /// Prevents the next commands of all running lines from starting. One call of `interrupt` for
  /// each of this does the rest. Never blocks.
  ///
  /// - Parameter body: Called with the running commands, if a line is running, before one of the
  ///   lines can end.
  func beginInterrupt(_ body: ([Int]) -> Void) {
    state.withLock { state in
      let interruption = state.interrupt(nil)
      state.begun.append(interruption)
      if !interruption.lines.isEmpty { body(interruption.jobs) }
    }
  }

  /// Cancels the running command of a line and prevents its next one from starting.
  ///
  /// - Parameters:
  ///   - line: The line, or `nil` for those that `beginInterrupt` has found, or if it has found
  ///     none, for all running lines.
  ///   - body: As for `beginInterrupt`, unless that has called it.
  /// - Returns: What was running.
  @discardableResult
  func interrupt(
    _ line: LineID? = nil, _ body: ([Int]) -> Void = { _ in }
  ) -> LineExecutor.Interrupted {
    let (interruption, waits) = state.withLock { state in
      var interruption = Interruption(lines: [], jobs: [])
      if line == nil, !state.begun.isEmpty { interruption = state.begun.removeFirst() }
      if interruption.lines.isEmpty {
        interruption = state.interrupt(line)
        if !interruption.lines.isEmpty { body(interruption.jobs) }
      }
      return (interruption, interruption.lines.compactMap { state.lines[$0]?.cancelWait })
    }
    for cancel in waits { cancel() }
    cancel(interruption.jobs)
    return interruption.found
  }

  /// Runs a wait of a line between its commands, in a task that an interrupt cancels.
  func wait<Value: Sendable, Failure: Error>(
    in line: LineID, for body: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let task = Task { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    let isInterrupted = state.withLock { state in
      state.lines[line]?.cancelWait = { task.cancel() }
      return state.lines[line]?.isInterrupted ?? false
    }
    if isInterrupted { task.cancel() }
    let result = await task.value
    state.withLock { $0.lines[line]?.cancelWait = nil }
    return try result.get()
  }

  // MARK: Jobs

  /// Registers a command that is about to start.
  ///
  /// - Returns: Whether it may start. After an interrupt, it may not.
  func begin(_ context: CommandContext, in line: LineID) -> Bool {
    state.withLock { state in
      guard state.lines[line]?.isInterrupted != true else { return false }
      if context.isBackground {
        // A round of `watch` counts as a part of it, and not by itself.
        if context.round == nil { state.background[context.job] = context }
      } else {
        state.lines[line]?.foreground = [context.job]
      }
      return true
    }
  }

  /// The background commands for which no line has waited, including ended ones.
  var background: [Int] { state.withLock { $0.background.keys.sorted() } }

  /// Registers a command that runs until it is cancelled.
  func noteEndless(_ context: CommandContext) {
    state.withLock { $0.endless[context.job] = context }
  }

  /// The background commands that run until they are cancelled.
  var endlessInBackground: [Int] {
    state.withLock { Set($0.endless.keys).intersection($0.background.keys).sorted() }
  }

  /// The commands that run until they are cancelled.
  var endless: [Int] { state.withLock { $0.endless.keys.sorted() } }

  /// Whether a command that runs until it is cancelled prints, has begun and has not ended.
  var hasEndlessOutput: Bool {
    let endless = state.withLock { $0.endless.values.filter { $0.redirect == nil } }
    return endless.contains { !board.hasEnded($0.job) }
  }

  /// Cancels the commands among `jobs` that have not ended. The state may not contain one that was
  /// just started, but the store reduces its start first.
  func cancel(_ jobs: [Int], by cause: String? = nil) {
    for job in jobs where !board.hasEnded(job) { board.cancel(job, by: cause) }
  }

  /// Notes the command that an interrupt cancels between two others of a line.
  func setForeground(_ job: Int, in line: LineID) {
    state.withLock { $0.lines[line]?.foreground = [job] }
    if isInterrupted(line) { cancel([job]) }
  }

  /// Waits for jobs, which an interrupt cancels, and returns their exit codes.
  func wait(for jobs: [Int], in line: LineID) async -> [Int32] {
    let isInterrupted = state.withLock { state in
      state.lines[line]?.foreground = jobs
      return state.lines[line]?.isInterrupted ?? false
    }
    // An interrupt before a job started, or before this call, found nothing to cancel.
    if isInterrupted { cancel(jobs) }
    var codes: [Int32] = []
    for job in jobs { codes.append(await board.wait(for: job)) }
    state.withLock { $0.lines[line]?.foreground = [] }
    return codes
  }

  /// Waits for background jobs, which continue if an interrupt ends the wait.
  ///
  /// - Returns: Their exit codes, or `nil` if an interrupt ended the wait.
  func waitForBackground(_ jobs: [Int], in line: LineID) async -> [Int32]? {
    await withCheckedContinuation { continuation in
      let waiter = Waiter(continuation)
      let isInterrupted = state.withLock { state in
        state.lines[line]?.cancelWait = { waiter.resume(returning: nil) }
        return state.lines[line]?.isInterrupted ?? false
      }
      if isInterrupted { return waiter.resume(returning: nil) }
      Task {
        var codes: [Int32] = []
        for job in jobs { codes.append(await board.wait(for: job)) }
        state.withLock { $0.lines[line]?.cancelWait = nil }
        waiter.resume(returning: codes)
      }
    }
  }

  /// Returns the outcome of a background command by the prefix of its line, and removes the
  /// command.
  func judge(_ job: Int, _ code: Int32) -> LineOutcome {
    let context = state.withLock { $0.background.removeValue(forKey: job) }
    var outcome = LineOutcome(exitCode: code).applying(context?.prefix)
    if let message = outcome.message, let context {
      outcome.message = "job \(job): \(message)"
      outcome.messageLine = ScriptLine(
        text: context.text, location: LineLocation(context.source, line: context.line),
        parsed: .empty)
    }
    return outcome
  }
}
