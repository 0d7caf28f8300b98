import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// A recording that begins between two parts of a list.
struct StreamedRowsTests {
  private static func part(_ id: String) -> BoardAction {
    .db(
      .listed(
        job: 1, documents: [Document(collection: "films", id: id, body: "{}", updated: 1)]))
  }

  /// The output before and after the beginning of the recording, and that of the replay.
  private static func outputs(
    _ format: OutputFormat, partsBefore: Int
  ) -> (before: String, after: String, replayed: String) {
    var line = context("db list films > list", "db.list")
    line.redirect = .init(file: "list", appends: false)
    line.parts = 0
    var settings = BoardSettings.output(format)
    settings.isTerminal = false
    var state = BoardState(settings: settings)
    state.shell.running = [line]
    let store = Store(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), dependencies: .mock)
    var live = BoardRenderer(BoardFeatures.all, isReplay: false)
    var replay = BoardRenderer(BoardFeatures.all, isReplay: true)
    var (before, after, replayed) = ("", "", "")
    func text(_ renderer: inout BoardRenderer, _ action: BoardAction) -> String {
      renderer.outputs(of: action, in: store.state, at: 0).filter {
        $0.stream == .standardOutput
      }.map(\.text).joined()
    }
    for index in 0..<3 {
      let action = part("d\(index)")
      store.send(action)
      if index == partsBefore { live.forgetBeginnings() }
      if index < partsBefore {
        before += text(&live, action)
      } else {
        after += text(&live, action)
        replayed += text(&replay, action)
      }
    }
    let end = BoardAction.db(.succeeded(job: 1, result: .listed(count: 3)))
    store.send(end)
    if partsBefore == 3 { live.forgetBeginnings() }
    return (before, after + text(&live, end), replayed + text(&replay, end))
  }

  @Test(
    "the JSON of a list stays one value, and the replay prints its second part", arguments: 0...3)
  func json(partsBefore: Int) throws {
    let (before, after, replayed) = Self.outputs(.json, partsBefore: partsBefore)
    let whole = try JSON(parsing: before + after)
    #expect(whole["value"]?[2]?["id"] == "d2", "\(before)\(after)")
    #expect(whole["ok"] == true)
    #expect(after == replayed)
  }

  @Test("CSV has one header", arguments: 0...3) func csv(partsBefore: Int) {
    let (before, after, replayed) = Self.outputs(.csv, partsBefore: partsBefore)
    #expect((before + after).split(separator: "\r\n").count == 4, "\(before)\(after)")
    #expect(after == replayed)
  }

  @Test("earlier recordings do not count the parts") func earlier() {
    var state = BoardState()
    state.shell.running = [context("db list films", "db.list")]
    let store = Store(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), dependencies: .mock)
    store.send(Self.part("d"))
    #expect(store.state.shell.running.first?.parts == nil)
  }
}

/// What a line reads of a list that was written in parts.
struct LastOfStreamedRowsTests {
  @Test("the rows are refused with the way to keep them, and their number can be read")
  func last() async {
    let lines = Lines()
    #expect(await lines.run("log note first") == 0)
    #expect(await lines.run("log tail -n 600") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("echo {{last.count}}") == 0, "\(lines.allPrinted)")
    for line in ["echo {{last}}", "echo {{last[0].message}}"] {
      #expect(await lines.run("log tail -n 600") == 0)
      #expect(await lines.run(line) == 65, "\(lines.allPrinted)")
      #expect(lines.allPrinted.contains("a short one is kept"), "\(lines.allPrinted)")
    }
    #expect(await lines.run("log tail -n 5") == 0)
    #expect(await lines.run("echo {{last[0].message}}") == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }
}
