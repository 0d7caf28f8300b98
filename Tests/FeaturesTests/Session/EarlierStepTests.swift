import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

/// What the board shows of an earlier step of a feature's command.
@Suite("Earlier steps of commands")
struct EarlierStepTests {
  private func status(_ board: RunningBoard) async throws -> String {
    let printed = await board.run("state characters.search.status --json")
    return try JSON(parsing: printed.output)["value"]?.members?.first?.key ?? ""
  }

  @Test("'session goto' leads into the middle of a search, and the search goes on from now")
  func search() async throws {
    let folder = try TemporaryFolder()
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    let board = RunningBoard(dependencies)
    try board.board.record(to: folder.path("r"))
    #expect(await board.run("characters search name==rick").status == 0)
    let last = try #require(board.board.recording?.step)
    var statuses: [String] = []
    for step in 0...last {
      #expect(await board.run("session goto \(step)").status == 0)
      statuses.append(try await status(board))
      let pending = await board.run("state characters.pending").output
      #expect((pending == "[]\n") == (step == 0 || statuses.last == "shown"), "\(pending)")
    }
    // The line, the service and the names of earlier searches come before the question.
    let changes = zip(statuses, statuses.dropFirst()).filter { $0 != $1 }.map(\.1)
    #expect(statuses.first == "idle" && changes == ["loading", "shown"], "\(statuses)")
    let loading = try #require(statuses.firstIndex(of: "loading"))
    let middle = await board.run("session goto \(loading)")
    #expect(middle.status == 0 && middle.output.hasPrefix("step \(loading) of "))
    #expect(
      middle.output.contains(" s: characters.search.load by send of step \(loading - 1)\n"),
      "\(middle.output)")
    let refused = await board.run("characters search name==morty")
    #expect(refused.status == 64, "\(refused.errors)")
    #expect(refused.errors.contains(", and 'characters' works on the present\n"))
    let changing = await board.run("set x 1")
    #expect(changing.errors.contains(", where nothing can be changed\n"), "\(changing.errors)")
    #expect(await board.run("session live").status == 0)
    #expect(try await status(board) == "shown")
    #expect(await board.run("characters search name==morty").status == 0)
    #expect(await board.run("session verify \(folder.path("r"))").status == 0)
    await board.board.close()
  }

  @Test("what runs now did not run then, and 'jobs', 'effects' and 'alias' say so")
  func jobsAndEffects() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    await board.run("set x 1")
    await board.run("log tail -f &")
    #expect(await board.run("jobs").errors == "")
    #expect(await board.run("session goto 1").status == 0)
    let jobs = await board.run("jobs")
    #expect(jobs.output.contains("log tail -f"))
    #expect(
      jobs.errors.contains("these are the jobs of now; 'state shell.running' has those of step 1"),
      "\(jobs)")
    #expect(await board.run("state shell.running").output == "[]\n")
    let effects = await board.run("effects")
    #expect(effects.output.contains("log.follow"))
    #expect(effects.errors.contains("these are the effects of now; 'session timeline' has those"))
    let aliases = await board.run("alias")
    #expect(
      aliases.errors.contains("these are the aliases of now; 'state shell.aliases' has those"))
    #expect(await board.run("session live").status == 0)
    await board.board.close()
  }
}
