import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// What a divergence says where there is little to say.
struct DivergenceTextTests {
  enum Action: Codable, Sendable { case nothing, minus }

  struct Counting: Reducer {
    /// Whether the reducer knows `minus`.
    var knowsMinus = true

    func reduce(_ state: inout Int, _ action: Action, _: Void) -> [Effect<Action>] {
      if case .minus = action, knowsMinus { state -= 1 }
      return []
    }
  }

  @Test("a step that changed something in the recording alone: the replay changed nothing")
  func nothingChanged() throws {
    try withFolder { folder in
      let store = Store(initialState: 0, reducer: Counting())
      let recorder = try store.record(to: folder + "/a", info: Session.info, journal: nil)
      store.send(.nothing)
      store.send(.minus)
      recorder.stop()
      let replayer = Replayer(
        reducer: Counting(knowsMinus: false), dependencies: (), journal: DrawJournal(),
        schema: Session.info.schema)
      let error = #expect(throws: ReplayError.self) { try replayer.verify(path: folder + "/a") }
      #expect(
        error?.description.hasSuffix("; the replay changed nothing since step 1") == true,
        "\(String(describing: error))")
    }
  }

  @Test("an id whose text depends on the process is asked about")
  func orderOfCharacters() {
    func text(_ expected: String, _ found: String) -> String {
      let effects = [expected, found].map { [LogEffect(name: "load", id: $0, kind: "task")] }
      return Divergence.Difference.effects(expected: effects[0], found: effects[1]).description
    }
    let hint = "Only the order of characters differs: does an id contain a set or a dictionary?"
    #expect(text(#"["a", "b"]"#, #"["b", "a"]"#).hasSuffix(". " + hint))
    #expect(!text(#"["a", "b"]"#, #"["b", "c"]"#).contains(hint))
    #expect(!text("page-12", "page-21").contains(hint))
  }
}
