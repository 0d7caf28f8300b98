import Dispatch
import SwiftBoardCommandLine
import SwiftBoardDependencies
import Synchronization

/// The row of the terminal that shows what runs: a spinner and the time of a command after a tenth
/// of a second, and how far a transfer is.
///
/// It is no part of the transcript. It changes ten times per second while something runs, and never
/// while a line is edited.
final class ActivityLine: Sendable {
  private struct Transfer {
    var progress: TransferProgress
    let first: Int64
    let begin: Duration
  }

  private struct State {
    /// Returns what runs in the foreground.
    var command: (@Sendable () -> String)?
    var begin = Duration.zero
    var derivations = 0
    var transfer: Transfer?
    /// How many prompts and pagers use the terminal.
    var pauses = 0
    var isTicking = false
    var isShown = false

    var isActive: Bool { command != nil || derivations > 0 || transfer != nil }
  }

  private static let interval = Duration.milliseconds(100)
  private let isASCII: Bool
  private let spins: Bool
  private let isInForeground: @Sendable () -> Bool
  private let columns: @Sendable () -> Int
  private let now: @Sendable () -> Duration
  private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Creates an empty line.
  ///
  /// - Parameters:
  ///   - spins: Whether a running command without progress is shown.
  ///   - isInForeground: Returns whether the terminal is the program's. The rows of another program
  ///     are not written to.
  ///   - columns: Returns the columns that a text may have.
  ///   - now: The time since any origin.
  ///   - later: Calls its argument after a tenth of a second.
  ///   - write: Shows a text in place of the previous one, and removes it for an empty one.
  init(
    isASCII: Bool, spins: Bool, isInForeground: @escaping @Sendable () -> Bool = { true },
    columns: @escaping @Sendable () -> Int,
    now: @escaping @Sendable () -> Duration = ActivityLine.uptime,
    later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: body)
    },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.isASCII = isASCII
    self.spins = spins
    self.isInForeground = isInForeground
    self.columns = columns
    self.now = now
    self.later = later
    self.write = write
  }

  private static let origin = ContinuousClock.now
  private static let uptime: @Sendable () -> Duration = { origin.duration(to: .now) }

  /// Notes that a command has begun.
  ///
  /// - Parameter command: Returns what to show of it. Called only if it takes long.
  func begin(_ command: @escaping @Sendable () -> String) {
    guard spins else { return }
    change { state in (state.command, state.begin) = (command, now()) }
  }

  /// Notes that the command has ended.
  func end() { change { $0.command = nil } }

  /// Notes that the derivation of a key has begun or ended.
  func derive(isRunning: Bool) {
    change { state in
      if isRunning, !state.isActive { state.begin = now() }
      state.derivations += isRunning ? 1 : -1
    }
  }

  /// Notes the progress of a transfer, or that it has ended.
  func show(_ progress: TransferProgress?) {
    change { state in
      guard let progress else { return state.transfer = nil }
      if !state.isActive { state.begin = now() }
      if state.transfer?.progress.name == progress.name {
        state.transfer?.progress = progress
      } else {
        state.transfer = Transfer(progress: progress, first: progress.done, begin: now())
      }
    }
  }

  /// Removes the line while a prompt or a pager uses the terminal.
  func pause() { change { $0.pauses += 1 } }

  /// Ends `pause`.
  func resume() { change { $0.pauses -= 1 } }

  private func change(_ body: (inout State) -> Void) {
    let schedules = state.withLock { state in
      body(&state)
      let isVisible = state.isActive && state.pauses == 0
      if !isVisible, state.isShown {
        state.isShown = false
        if isInForeground() { write("") }
      }
      guard isVisible, !state.isTicking else { return false }
      state.isTicking = true
      return true
    }
    if schedules { later { [self] in tick() } }
  }

  private func tick() {
    let goesOn = state.withLock { state in
      guard state.isActive, state.pauses == 0 else {
        state.isTicking = false
        return false
      }
      let time = now() - state.begin
      if time >= Self.interval, isInForeground() {
        state.isShown = true
        write(text(state, time))
      }
      return true
    }
    if goesOn { later { [self] in tick() } }
  }

  // MARK: Text

  private func text(_ state: State, _ time: Duration) -> String {
    let tick = Int(time / Self.interval)
    let frames = Array(isASCII ? "|/-\\" : "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
    let spinner = spins ? "\(frames[tick % frames.count]) " : ""
    if let transfer = state.transfer {
      return spinner
        + ProgressText.line(
          transfer.progress, since: transfer.first, in: now() - transfer.begin, isASCII: isASCII,
          width: columns() - spinner.count)
    }
    if state.derivations > 0 {
      return spinner + "deriving the key" + (isASCII ? "..." : "\u{2026}")
    }
    let seconds = tick < 10 ? "" : "  \(tick / 10).\(tick % 10) s"
    return spinner + escapeControls(state.command?() ?? "") + seconds
  }
}
