import SwiftBoardCommandLine
import SwiftBoardStore

extension BoardFeature {
  /// Recording, replay and travel.
  static let session = BoardFeature(
    name: "session", summary: "record what happens, go back in it, and replay it",
    commands: SessionCommands.table,
    outcome: { action, state in
      guard case .session(let action) = action else { return nil }
      return SessionOutcomes.outcome(of: action, in: state)
    },
    link: { link in link.path.isEmpty || link.path == ["status"] ? ["session", "status"] : nil })
}
