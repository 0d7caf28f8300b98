import SwiftBoardTestSupport
import Testing

/// The image of a recorded session, which README begins with.
@Suite(.timeLimit(.minutes(20)))
struct ScreenshotTests {
  @Test("docs/session.svg is the image of docs/session.actions.jsonl, and README shows it")
  func committed() async throws {
    let program = try Program()
    try program.folder.write(
      try SourceTree.text("docs/session.actions.jsonl"), to: "session.actions.jsonl")
    let verified = try await program.run("session", "verify", "session.actions.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let drawn = try await program.run("session", "screenshot", "session.actions.jsonl")
    #expect(drawn.status == .exited(0))
    #expect(
      drawn.outputText == (try SourceTree.text("docs/session.svg")),
      "'swiftboard session screenshot docs/session.actions.jsonl > docs/session.svg' draws it anew")
    #expect(try SourceTree.text("README.md").contains("](docs/session.svg)"))
  }

  @Test("what a recording cannot give is an error")
  func errors() async throws {
    let program = try Program()
    try program.folder.write("{}\n", to: "bad.jsonl")
    #expect(try await program.run("session", "screenshot", "none.jsonl").status == .exited(66))
    #expect(try await program.run("session", "screenshot", "bad.jsonl").status == .exited(65))
  }
}
