import SwiftBoardCommandLine
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard

/// What the reducer of `session` knows of the recording; docs/features.md has the same as a table.
struct SessionTransitionTests {
  enum Event: Hashable { case recording, travelled, live, stopped }
  enum Stage: Hashable { case none, recording, earlier }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none).on(.recording).to(.recording)
    From(.recording, .earlier).on(.travelled).to(.earlier)
    From(.earlier).on(.live).to(.recording)
    From(.recording, .earlier).on(.stopped).to(.none)
  }

  @Test("lines: a recording begins, is looked at, and ends")
  func lines() async throws {
    let monitor = TransitionMonitor<BoardState, BoardAction, Stage, Event>(Self.transitions) {
      $0.session.position != nil ? .earlier : $0.session.recording != nil ? .recording : .none
    } action: { action in
      switch action {
      case .session(.run(_, .live, _)): .live
      case .session(.succeeded(_, .recording, _, _)): .recording
      case .session(.succeeded(_, .stopped, _, _)): .stopped
      case .session(.succeeded(_, .travelled, _, _)): .travelled
      default: nil
      }
    }
    let folder = try TemporaryFolder()
    let lines = Lines()
    monitor.observe(lines.board.store) { Issue.record("\($0)") }
    for line in [
      "session record \(folder.path("a"))", "set x 1", "session goto 1", "session undo",
      "session goto 2", "session live", "session stop", "session record \(folder.path("b"))",
      "set x 2", "session goto 1", "session stop",
    ] { _ = await lines.run(line) }
    await lines.board.close()
    monitor.checkCoverage(report: report)
  }
}
