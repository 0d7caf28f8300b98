import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// Compares how the assertions of a recording end in a live replay with how they ended when they
/// were recorded.
///
/// The live replay compares actions, and no action has the end of an assertion: it follows from the
/// state. A replay of the recording, without services, has the state that the assertion met.
final class AssertionComparison: Sendable {
  /// An assertion that ended otherwise than when it was recorded.
  struct Difference: Sendable {
    let step: Int
    /// The line as typed.
    let line: String
    let expected: Int32
    let found: End
  }

  /// The end of an assertion.
  struct End: Sendable {
    let status: Int32
    /// What the assertion found, if it failed.
    let message: String?

    /// The end that a step brought, or `nil` if its action is no assertion.
    init?(of action: BoardAction, _ state: borrowing BoardState) {
      guard case .shell(.run(_, .assert)) = action, let finished = state.shell.finished else {
        return nil
      }
      status = finished.status
      message = finished.outcome?.failure?.message
    }
  }

  /// The ends in the live replay, which sends assertions in the order of the recording.
  private let ends = Mutex<[End]>([])

  /// Notes a step of the live replay.
  func note(_ action: BoardAction, _ state: borrowing BoardState) {
    guard let end = End(of: action, state) else { return }
    ends.withLock { $0.append(end) }
  }

  /// Replays a recording as far as its assertions were sent. Blocks. Reads nothing if there were
  /// none.
  ///
  /// - Returns: The first difference, and the error that ended the replay before the last of the
  ///   assertions, if any.
  func compare(
    with rotatedLog: RotatedLog, _ features: FeatureList
  ) -> (difference: Difference?, error: ReplayError?) {
    var ends = ends.withLock(\.self)[...]
    guard !ends.isEmpty else { return (nil, nil) }
    var difference: Difference?
    var isAfterSession = false
    do throws(ReplayError) {
      _ = try Replayer(features).replay(rotatedLog, acceptRisk: true) { step, state, _ in
        defer {
          // A command that fails, or asserts, leaves what the one before it has returned.
          if let finished = state.shell.finished, finished.isOfSession || finished.hasResult {
            isAfterSession = finished.isOfSession
          }
        }
        guard difference == nil, let recorded = End(of: step.action, state),
          let context = step.action.started, let found = ends.popFirst(),
          found.status != recorded.status, !isAfterSession, !step.action.readsSession
        else { return }
        difference = Difference(
          step: step.number, line: context.text, expected: recorded.status, found: found)
      }
    } catch {
      return (difference, difference == nil && !ends.isEmpty ? error : nil)
    }
    return (difference, nil)
  }
}

extension FinishedJob {
  /// Whether a live replay skipped the command, whose exit code an assertion after it may read.
  fileprivate var isOfSession: Bool { context.name.hasPrefix("session.") }

  /// Whether `{{last}}` may be its result.
  fileprivate var hasResult: Bool { status == 0 && context.name != "shell.assert" }
}

extension BoardAction {
  /// Whether the action reads the state of commands that a live replay skips.
  fileprivate var readsSession: Bool {
    FeaturesReadByCommand(of: self)?.contains("session") ?? false
  }
}
