import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("tutorial")
struct TutorialTests {
  private func lines(checksLessons: Bool? = true) -> Lines {
    var settings = BoardSettings()
    settings.environment = .preview
    settings.checksLessons = checksLessons
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

  @Test("each lesson fits the terminal, with the line to type as it is", arguments: [40, 80])
  func width(columns: Int) async {
    var settings = BoardSettings()
    (settings.environment, settings.width) = (.preview, columns)
    let lines = Lines(settings: settings, dependencies: .preview)
    #expect(await lines.run("tutorial") == 0)
    for _ in Tutorial.lessons { _ = await lines.run("tutorial next") }
    #expect(await lines.run("tutorial") == 0)
    let rows = lines.allPrinted.split(separator: "\n")
    let typed = Set(Tutorial.lessons.map { "  \($0.line)" })
    #expect(
      rows.allSatisfy { $0.count <= columns || typed.contains(String($0)) }, "\(lines.allPrinted)")
    #expect(typed.allSatisfy { lines.allPrinted.contains($0) })
    await lines.board.close()
  }

  @Test("after its end it says that it is not running, and only once that it has ended")
  func end() async {
    let lines = lines()
    let skipped = String(repeating: "; tutorial next", count: Tutorial.lessons.count)
    #expect(await lines.run("tutorial" + skipped) == 0)
    #expect(lines.allPrinted.contains(Tutorial.end.prefix(30)))
    let ended = lines.allPrinted
    let more = "tutorial; tutorial next; tutorial; tutorial next"
    #expect(await lines.run(more + "; tutorial stop; tutorial stop") == 0)
    let text = "the tutorial is not running"
    let over = String(repeating: "\(text); 'tutorial restart' starts it again\n", count: 4)
    #expect(
      lines.allPrinted.dropFirst(ended.count) == over + "\(text) now\n\(text) now\n",
      "\(lines.allPrinted)")
    #expect(await lines.run("tutorial next; tutorial restart") == 0)
    #expect(lines.allPrinted.contains("\(text) now\n\(text)\n\(Tutorial.start)"))
    await lines.board.close()
  }

  @Test("'exit' says nothing of the lesson")
  func exit() async {
    let lines = lines()
    #expect(await lines.run("tutorial") == 0)
    let before = lines.allPrinted
    #expect(await lines.run("exit") == 0)
    #expect(lines.allPrinted == before)
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

  @Test("a recording of an earlier time is in nobody's way, and it says how to go on")
  func secondTime() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "tutorial.actions.jsonl")
    let lines = lines()
    _ = await lines.run("tutorial" + String(repeating: "; tutorial next", count: 6))
    #expect(lines.board.store.withState { $0.shell.tutorial } == 6)
    #expect(await lines.run("session record \(folder.path("tutorial.actions.jsonl"))") == 73)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 6)
    let advice = "any file that is not there yet will do: session record again.actions.jsonl\n"
    #expect(lines.allPrinted.contains(advice), "\(lines.allPrinted)")
    #expect(await lines.run("session record \(folder.path("again.actions.jsonl"))") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 7)
    await lines.board.close()
  }

  @Test("a lesson about an answer ends with an answer, and one about parts with those parts")
  func answers() async {
    let lines = lines()
    #expect(await lines.run("tutorial") == 0)
    for line in ["api get sample/nope/77", "api get sample/nope/77 --no-check-status"] {
      _ = await lines.run(line)
      #expect(lines.board.store.withState { $0.shell.tutorial } == 0, "\(line)")
    }
    #expect(await lines.run("api get sample/character/2") == 0)
    for line in ["", " page==1", " --select name"] {
      #expect(lines.board.store.withState { $0.shell.tutorial } == 1, "\(line)")
      #expect(await lines.run("api get sample/character/2" + line) == 0)
    }
    #expect(await lines.run("api get sample/character/2 page==1 --select name") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == 2)
  }

  @Test("in an earlier recording the command alone ends a lesson")
  func earlierAnswers() async {
    let lines = lines(checksLessons: nil)
    #expect(await lines.run("tutorial") == 0)
    for lesson in 1...2 {
      #expect(await lines.run("api get sample/nope/77 --no-check-status") == 0)
      #expect(lines.board.store.withState { $0.shell.tutorial } == lesson)
    }
  }

  @Test("a lesson that an earlier one is missing for says so", arguments: [2, 5, 8, 9, 11])
  func skipped(lesson: Int) async throws {
    let lines = lines()
    _ = await lines.run("tutorial" + String(repeating: "; tutorial next", count: lesson))
    #expect(await lines.run(Tutorial.lessons[lesson].line) != 0)
    let advice = try #require(Tutorial.lessons[lesson].advice)
    #expect(lines.allPrinted.contains(advice), "\(lines.allPrinted)")
    #expect(!lines.allPrinted.contains("the tutorial waits for"), "\(lines.allPrinted)")
  }

  @Test("it can be left, and gone on with, while an earlier step is shown")
  func earlierStep() async throws {
    let folder = try TemporaryFolder()
    let lines = lines()
    #expect(await lines.run("session record \(folder.path("t.actions.jsonl"))") == 0)
    _ = await lines.run("tutorial" + String(repeating: "; tutorial next", count: 9))
    #expect(await lines.run("set colour green; session undo") == 0, "\(lines.allPrinted)")
    #expect(lines.board.store.withState { $0.shell.tutorial } == 10)
    for line in ["tutorial", "tutorial next", "tutorial restart", "tutorial stop"] {
      #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    }
    #expect(await lines.run("set colour red") == 64)
    #expect(await lines.run("session live") == 0)
    #expect(lines.board.store.withState { $0.shell.tutorial } == nil)
    await lines.board.close()
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
