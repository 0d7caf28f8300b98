import SwiftBoardRecording
import Testing

/// Returns the lines of a recording with right sums, whatever was changed in them.
func resealed(_ recording: String) -> String {
  var sum = ""
  return recording.split(separator: "\n").map { line in
    let body = line.ranges(of: #","sum":"#).last.map { line[..<$0.lowerBound] } ?? line
    sum = Digest(of: (sum + body).utf8).description
    return "\(body),\"sum\":\"\(sum)\"}\n"
  }.joined()
}

extension Program {
  /// Waits until a recording has a text.
  func waitForRecording(_ name: String = "r.jsonl", toHave wanted: String) async throws {
    // Real time: a program writes its recording from time to time, and a file tells nobody.
    while !(try text(name).contains(wanted)) { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Expects that the recording `r.jsonl` has its last line, agrees without a warning, and replays.
  func expectWholeRecording(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let lines = try text("r.jsonl").split(separator: "\n")
    #expect(
      lines.last?.hasPrefix(#"{"k":"end""#) == true, "\(lines.last ?? "")",
      sourceLocation: sourceLocation)
    for command in ["verify", "replay"] {
      let outcome = try await run("session", command, "r.jsonl")
      #expect(
        outcome.status == .exited(0), "\(outcome.errorText)", sourceLocation: sourceLocation)
      // A slow machine prints how far it is.
      #expect(
        !outcome.errorText.contains("warning"), "\(outcome.errorText)",
        sourceLocation: sourceLocation)
    }
  }
}
