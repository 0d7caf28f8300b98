import SwiftBoardTestSupport
import Testing

/// Without a UTF-8 locale, or with `--ascii`, the program's own text is ASCII.
@Suite("ASCII output", .timeLimit(.minutes(60)))
struct ASCIIOutputTests {
  @Test(
    "failures are ASCII",
    arguments: [
      #"echo "\q""#, #"session verify bad.jsonl"#, "session verify open.jsonl",
      "session state bad.jsonl",
    ])
  func failures(line: String) async throws {
    let program = try Program()
    try program.folder.write("{\"k\":\"log\"}\n", to: "bad.jsonl")
    try program.folder.write("{\"x\":1}\n", to: "open.jsonl")
    for run in [
      try await program.run(["--home", "h", "-c", line], environment: ["LANG": "C"]),
      try await program.run("--home", "h", "--ascii", "-c", line),
    ] {
      #expect(run.status != .exited(0))
      #expect(run.errorText.utf8.allSatisfy { $0 < 0x80 }, "\(run.errorText)")
      #expect(run.outputText.utf8.allSatisfy { $0 < 0x80 }, "\(run.outputText)")
    }
  }
}
