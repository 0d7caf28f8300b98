import SwiftBoardSystem
import Testing

/// What the program says of analytics that it cannot keep.
@Suite(.timeLimit(.minutes(20)))
struct AnalyticsProgramTests {
  @Test("events that cannot be written are said to be lost, once and at the end")
  func lostEvents() async throws {
    let program = try Program()
    for folder in ["h", "h/analytics.jsonl"] {
      #expect(mkdir(program.folder.path(folder), 0o700) == 0)
    }
    let run = try await program.run(
      "--home", "h", "-c", "analytics on", "-c", "echo a", "-c", "echo b")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "a\nb\n")
    let losses = run.errorText.split(separator: "\n").filter { $0.contains("of analytics") }
    #expect(losses.count == 1, "\(run.errorText)")
    #expect(losses.first?.contains("events of analytics are lost: ") == true)
  }
}
