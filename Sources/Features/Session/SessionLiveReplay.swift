import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore

/// Sends a recording's lines to the services there are, from the state it began with, and compares the actions that follow: the
/// library's live replay on a board of its own.
///
/// The board answers some commands from an observer, of which no handle knows; the list of running commands does, since each ends
/// in one action. Commands of `session` are left out: they are about the recording, of which there is none here.
struct SessionLiveReplay {
  let path: String
  let dependencies: Dependencies
  /// How long an effect's action may take.
  var patience = Duration.seconds(60)

  private typealias Live = LiveReplay<BoardReducer>

  private let live = Live(
    schema: SessionReplay.schema, isUnderWay: { !$0.shell.running.isEmpty },
    isCompared: { action in if case .session = action { false } else { true } })

  init(path: String, dependencies: Dependencies) {
    self.path = path
    self.dependencies = dependencies
  }

  func run() async throws -> SessionCheck {
    let flag = CancelFlag()
    return try await withTaskCancellationHandler {
      do {
        return try await run(try await open(flag))
      } catch let error as ReplayError {
        try Task.checkCancellation()
        return SessionCheck(path, error)
      }
    } onCancel: {
      flag.set()
    }
  }

  /// Reads all that the recording has.
  private func open(_ flag: CancelFlag) async throws -> Live.Recording {
    try await SessionReplay.offPool { [path, live] in
      try SessionReplay.lookAgain(unless: { flag.isSet }) {
        try live.open(try SessionReplay.chain(path) { flag.isSet })
      }
    }
  }

  private func run(_ recording: Live.Recording) async throws -> SessionCheck {
    var state = recording.initialState
    // The command that began the recording was still running.
    state.shell.running.removeAll { $0.name.hasPrefix("session.") }
    let board = Board(state: state, dependencies: dependencies, seed: 0, sink: { _ in })
    let report: Result<Live.Report, ReplayError>
    do throws(ReplayError) {
      report = .success(
        try await live.run(
          recording, on: board.store, patience: patience, clock: dependencies.clock.standard))
    } catch {
      report = .failure(error)
    }
    await board.store.shutdown(deadline: .zero)
    var check = check(try report.get())
    check.warnings += recording.chain.oddities(path).map(\.text)
    return check
  }

  private func check(_ report: Live.Report) -> SessionCheck {
    SessionCheck(
      path: path, steps: report.agreed, code: report.exitCode,
      message: report.difference.map(text)
        ?? "\(report.sent) lines were sent, \(report.agreed) steps agree", warnings: [])
  }

  /// In ASCII but for what is the recording's own.
  private func text(_ difference: Live.Difference) -> String {
    func shown(_ action: JSON) -> String { SessionText.value(action.text, limit: 200) }
    return switch difference {
    case .other(let step, let expected, let found):
      "step \(step): expected the action \(shown(expected)), found \(shown(found))"
    case .missing(let step, let expected):
      "step \(step): expected the action \(shown(expected)), nothing came"
    }
  }
}
