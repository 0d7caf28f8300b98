import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("tutorial")
struct TutorialTests {
  private func lines() -> Lines {
    var settings = BoardSettings()
    settings.environment = .preview
    return Lines(settings: settings, dependencies: .preview)
  }

  @Test("its lines work with the sample data, in order, and the last one ends it")
  func whole() async throws {
    let folder = try TemporaryFolder()
    let lines = lines()
    #expect(await lines.run("tutorial") == 0)
    for (index, lesson) in Tutorial.lessons.enumerated() {
      #expect(lines.board.store.withState { $0.shell.tutorial } == index)
      #expect(lines.allPrinted.contains("(\(index + 1) of \(Tutorial.lessons.count)) "))
      let line = lesson.line.replacing("tutorial.actions", with: folder.path("tutorial.actions"))
      #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    }
    #expect(lines.board.store.withState { $0.shell.tutorial } == nil)
    #expect(lines.allPrinted.contains("That was the tutorial."))
    await lines.board.close()
  }

  @Test("a line that it does not wait for works, and it goes on waiting")
  func otherLines() async {
    let lines = lines()
    #expect(await lines.run("tutorial; echo x") == 0)
    #expect(await lines.run("api get nowhere/x") == 66)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 0)
    #expect(
      lines.allPrinted.split(separator: "\n").count {
        $0 == "the tutorial waits for: api get sample/character/1"
      } == 2)
    #expect(await lines.run("tutorial next; tutorial next; tutorial") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 2)
    #expect(await lines.run("tutorial stop; echo y") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == nil)
    #expect(lines.allPrinted.hasSuffix("y\n"))
  }

  @Test("it begins again, also after its end")
  func restart() async {
    let lines = lines()
    #expect(await lines.run("tutorial; tutorial next; tutorial restart") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 0)
    #expect(lines.allPrinted.ranges(of: Tutorial.start).count == 2)
    #expect(await lines.run("tutorial stop; tutorial restart") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 0)
  }

  @Test("without sample data it says where to find it")
  func live() async {
    let lines = Lines()
    #expect(await lines.run("tutorial") == 64)
    #expect(lines.allPrinted.contains("--environment preview"))
  }
}
