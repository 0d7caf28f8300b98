import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore

/// Sends a recording's lines to the services there are, from the state it began with, and compares the actions that follow: the
/// library's live replay on a board of its own.
///
/// The board answers some commands from an observer, of which no handle knows; the list of running commands does, since each ends
/// in one action.
struct SessionLiveReplay {
  let path: String
  let file: LogFile
  let dependencies: Dependencies
  /// How long an effect's action may take.
  var patience = Duration.seconds(60)

  func run() async throws -> SessionCheck {
    let live = LiveReplay<BoardReducer>(
      schema: SessionReplay.schema, isUnderWay: { !$0.shell.running.isEmpty })
    do throws(ReplayError) {
      let board = Board(
        state: try live.initialState(of: file), dependencies: dependencies, seed: 0,
        sink: { _ in })
      let report: Result<LiveReplay<BoardReducer>.Report, ReplayError>
      do throws(ReplayError) {
        report = .success(
          try await live.run(
            file, on: board.store, patience: patience, clock: dependencies.clock.standard))
      } catch {
        report = .failure(error)
      }
      await board.store.shutdown(deadline: .zero)
      return check(try report.get())
    } catch {
      try Task.checkCancellation()
      return SessionCheck(path, error)
    }
  }

  private func check(_ report: LiveReplay<BoardReducer>.Report) -> SessionCheck {
    SessionCheck(
      path: path, steps: report.agreed, code: report.exitCode,
      message: report.difference.map(text)
        ?? "\(report.sent) lines were sent, \(report.agreed) steps agree", warnings: [])
  }

  /// In ASCII but for what is the recording's own.
  private func text(_ difference: LiveReplay<BoardReducer>.Difference) -> String {
    func shown(_ action: JSON) -> String { SessionText.value(action.text, limit: 200) }
    return switch difference {
    case .other(let step, let expected, let found):
      "step \(step): expected the action \(shown(expected)), found \(shown(found))"
    case .missing(let step, let expected):
      "step \(step): expected the action \(shown(expected)), nothing came"
    }
  }
}
