import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

/// Texts that are typed in one line and stay in the state.
struct KeptTextTests {
  @Test(
    "a text that stays in the state is refused at its word if it is too long",
    arguments: [
      "characters search name==TEXT", "media search films TEXT", "media add films TEXT",
      "db list c --where a=TEXT", "db list TEXT", "db put TEXT 1 {}", "db list c --sort TEXT",
      "log tail --grep TEXT", "log level TEXT info",
    ])
  func long(line: String) async throws {
    let lines = Lines(dependencies: .preview)
    let state = try CanonicalEncoder.encode(lines.board.store.state).count
    let long = String(repeating: "x", count: longestKeptText + 1)
    #expect(await lines.run(line.replacing("TEXT", with: long)) == 64)
    #expect(lines.allPrinted.contains("bytes is too long here"), "\(lines.allPrinted.prefix(200))")
    #expect(lines.allPrinted.contains("\(longestKeptText) bytes are the most"))
    // The line itself is there until the next step.
    #expect(await lines.run("echo x") == 0)
    #expect(try CanonicalEncoder.encode(lines.board.store.state).count < state + 1024)
    await lines.board.close()
  }

  @Test("many conditions have as much room as one")
  func conditions() async {
    let lines = Lines(dependencies: .preview)
    let half = String(repeating: "x", count: longestKeptText / 2)
    #expect(await lines.run("db list c --where a=\(half)") == 0)
    #expect(await lines.run("db list c --where a=\(half) --where b=\(half)") == 64)
    await lines.board.close()
  }
}
