import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardFeatures

/// Drawings beside numbers: at a terminal, and nowhere else.
@Suite("Figures with drawings")
struct DrawnFiguresTests {
  /// What lines print at a terminal of 120 columns that shows ASCII, or in a pipe.
  private func shown(
    _ lines: [String], isTerminal: Bool = true, dependencies: Dependencies? = nil
  ) async -> String {
    var settings = BoardSettings()
    settings.isTerminal = isTerminal
    if isTerminal { settings.width = 120 }
    let world = World()
    world.api.answer("GET", "http://rm.test/a", with: .json("1"))
    world.api.answer("GET", "http://rm.test/b", with: .json("1", status: 404))
    let board = Lines(world, settings: settings, dependencies: dependencies)
    for line in lines { _ = await board.run(line) }
    await board.board.close()
    return board.allPrinted
  }

  @Test("log stats has bars")
  func log() async {
    let lines = ["log note a", "log note b", "log stats"]
    #expect(
      await shown(lines).contains(" 2  \(String(repeating: "#", count: 30))\n"))
    #expect(!(await shown(lines, isTerminal: false)).contains("#"))
    #expect(!(await shown(lines.dropLast() + ["log stats -o plain"])).contains("#"))
  }

  @Test("downloads list has a bar of what has come")
  func downloads() async {
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    let lines = [
      "api service add sab http://nas.test/sabnzbd --preset sabnzbd", "downloads list sab",
    ]
    #expect(await shown(lines, dependencies: dependencies).contains("  #######...  75%  "))
    #expect(!(await shown(lines, isTerminal: false, dependencies: dependencies)).contains("#"))
  }

  @Test("the bars of session timeline are ASCII in a file, also at a terminal with UTF-8")
  func timeline() async throws {
    let folder = try TemporaryFolder()
    var settings = BoardSettings()
    (settings.isTerminal, settings.width, settings.isASCII) = (true, 200, false)
    let world = World()
    world.api.answer("GET", "http://rm.test/a", with: .json("1"))
    let board = Lines(world, settings: settings)
    for line in [
      "session record \(folder.path("r.jsonl"))", "api get http://rm.test/a", "session timeline",
      "session timeline > \(folder.path("shown"))", "help line > \(folder.path("help"))",
    ] {
      #expect(await board.run(line) == 0)
    }
    await board.board.close()
    #expect(board.allPrinted.contains("\u{25CB} api.request"), "\(board.allPrinted)")
    let file = try folder.read("shown")
    #expect(file.allSatisfy { $0 < 0x80 })
    #expect(String(decoding: file, as: UTF8.self).contains("o api.request"))
    #expect(try folder.read("help").allSatisfy { $0 < 0x80 })
  }

  @Test("api stats counts requests, classes of statuses and cache verdicts")
  func requests() async {
    let lines = ["api get http://rm.test/a", "-api get http://rm.test/b", "api stats"]
    let text = await shown(lines)
    #expect(text.contains("requests   2\nanswered   2\nin flight  0\nlast 2     "))
    #expect(text.contains("\n2xx        1    ##########\n4xx        1    ##########\n"))
    let plain = await shown(lines, isTerminal: false)
    #expect(plain.contains("\n2xx        1\n4xx        1\n"))
    #expect(await shown(["api stats"]).hasSuffix("requests   0\nanswered   0\nin flight  0\n"))
  }
}
