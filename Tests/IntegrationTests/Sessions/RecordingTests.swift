import SwiftBoardRecording
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What `session verify` says of recordings that are not what was written.
@Suite(.timeLimit(.minutes(20)))
struct RecordingTests {
  private static let lines = [
    "echo one", "db put c 1 {\"name\":\"é\"}", "db get c 1", "set x 2", "log note remember",
    "api get http://127.0.0.1:9/api/character/1 --select name", "echo $x",
  ]

  /// A program with a recording `r.jsonl`, and its lines without line feeds.
  private static func recorded() async throws -> (Program, [String]) {
    let program = try Program()
    let run = try await program.run(
      ["--environment", "mock", "--seed", "1", "--record", "r.jsonl"]
        + lines.flatMap { ["-c", $0] })
    try #require(run.status == .exited(0), "\(run.errorText)")
    let text = try program.text("r.jsonl")
    try #require(text.hasSuffix("\n"))
    return (program, text.dropLast().split(separator: "\n").map(String.init))
  }

  private static func verify(_ program: Program, _ lines: [String]) async throws
    -> ChildProcess.Outcome
  {
    try program.folder.write(lines.map { $0 + "\n" }.joined(), to: "changed.jsonl")
    return try await program.run("session", "verify", "changed.jsonl")
  }

  @Test("a whole recording agrees") func aWholeOneAgrees() async throws {
    let (program, lines) = try await Self.recorded()
    #expect(lines.count > 12 && lines.last?.hasPrefix(#"{"k":"end""#) == true)
    let run = try await program.run("session", "verify", "r.jsonl")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "r.jsonl: \(lines.count - 2) steps agree\n")
    #expect(run.errorText.withoutProgress == "")
  }

  @Test("a replay at a terminal escapes what would control it, and no other one does")
  func controls() async throws {
    let program = try Program()
    let line = #"echo "\u{1b}]0;own\u{7}\u{9b}2J\u{202e}tab\t.""#
    #expect(try await program.run("--record", "r.jsonl", "-c", line).status == .exited(0))
    let piped = try await program.run("session", "replay", "r.jsonl")
    #expect(piped.outputText == "\u{1B}]0;own\u{7}\u{9B}2J\u{202E}tab\t.\n")
    let terminal = try program.startOnTerminal("session", "replay", "r.jsonl")
    #expect(await terminal.wait() == .exited(0))
    #expect(
      terminal.outputText.contains(#"\u{1b}]0;own\u{7}\u{9b}2J\u{202e}tab"#),
      "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("]0;own\u{7}"))
  }

  @Test("a flipped byte is found") func aFlippedByteIsFound() async throws {
    let (program, lines) = try await Self.recorded()
    for index in [0, 1, lines.count / 2, lines.count - 1] {
      var bytes = Array(lines[index].utf8)
      // A letter of the value behind the kind, so that the line is still JSON.
      let location = bytes.count / 2
      bytes[location] ^= 1
      var changed = lines
      changed[index] = String(decoding: bytes, as: UTF8.self)
      let run = try await Self.verify(program, changed)
      #expect(run.status == .exited(65), "line \(index + 1): \(run.errorText)")
      #expect(run.errorText.contains("changed.jsonl: line \(index + 1), byte "), "\(run.errorText)")
    }
  }

  @Test("what is before a damaged line can be kept as the help says")
  func whatIsBeforeDamage() async throws {
    let (program, whole) = try await Self.recorded()
    var lines = whole
    lines[6] += " "
    let found = try await Self.verify(program, lines)
    #expect(found.status == .exited(65))
    for command in ["replay", "verify", "timeline"] {
      let found = try await program.run("session", command, "changed.jsonl")
      #expect(found.status == .exited(65))
      #expect(
        found.errorText.contains(
          "help: the lines before it are whole: 'head -n 6 FILE > OTHER' makes a recording of them"),
        "\(command): \(found.errorText)")
    }
    let kept = try await Self.verify(program, Array(lines[..<6]))
    #expect(kept.status == .exited(0), "\(kept.errorText)")
    #expect(kept.outputText.contains("5 steps agree"), "\(kept.outputText)")
  }

  @Test("a missing step is found") func aMissingStepIsFound() async throws {
    var (program, lines) = try await Self.recorded()
    lines.remove(at: 5)
    let run = try await Self.verify(program, lines)
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("line 6, byte "), "\(run.errorText)")
    #expect(run.errorText.contains("step"), "it says which step is missing: \(run.errorText)")
  }

  @Test("swapped steps are found") func swappedStepsAreFound() async throws {
    var (program, lines) = try await Self.recorded()
    lines.swapAt(4, 5)
    let run = try await Self.verify(program, lines)
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("lines 5 and 6 are swapped"), "\(run.errorText)")
  }

  @Test("what follows the end is found") func whatFollowsTheEndIsFound() async throws {
    let (program, lines) = try await Self.recorded()
    let run = try await Self.verify(program, lines + [lines[3]])
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("line \(lines.count + 1), byte "), "\(run.errorText)")
  }

  @Test("a torn last line is left out with a warning") func aTornLastLineIsLeftOutWithAWarning()
    async throws
  {
    let (program, lines) = try await Self.recorded()
    let whole = lines.map { $0 + "\n" }.joined()
    try program.folder.write(String(whole.dropLast(20)), to: "torn.jsonl")
    let run = try await program.run("session", "verify", "torn.jsonl")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("\(lines.count - 2) steps agree"))
    #expect(run.errorText.contains("warning: torn.jsonl: the last line is incomplete"))
    let replay = try await program.run("session", "replay", "torn.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
  }

  /// Nothing that a disk or a person cuts off makes the program fall over.
  @Test("every truncation is answered") func everyTruncationIsAnswered() async throws {
    let (program, lines) = try await Self.recorded()
    let whole = Array(lines.map { $0 + "\n" }.joined().utf8)
    var script = ""
    for index in 0..<50 {
      try program.folder.write(Array(whole[..<(whole.count * index / 50)]), to: "cut-\(index)")
      script += "session verify cut-\(index)\n"
    }
    try program.folder.write(script, to: "verify.sb")
    let run = try await program.run("--json", "--keep-going", "-f", "verify.sb")
    #expect(run.status == .exited(65))
    struct Report: Decodable {
      var line: Int
      var ok: Bool
      var code: Int32?
    }
    let reports = try (run.outputText + run.errorText).split(separator: "\n")
      .filter { $0.contains(#""ok":"#) }
      .map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
    #expect(Set(reports.map(\.line)) == Set(1...50) && reports.count == 50)
    for report in reports {
      #expect(report.ok || report.code == 65, "cut-\(report.line - 1)")
      // Without a whole header there is nothing to check; behind it every whole line counts.
      let isHeaderWhole = whole.count * (report.line - 1) / 50 > lines[0].utf8.count
      #expect(report.ok == isHeaderWhole, "cut-\(report.line - 1)")
    }
  }

  // MARK: With right sums

  /// The same lines with new sums, as only deliberate changes have them.
  private static func sealed(_ lines: [String]) throws -> [String] {
    var previous: Digest?
    return try lines.map { line in
      let mark = try #require(Array(line.utf8).firstRange(of: Array(",\"sum\":".utf8)))
      let body = Array(line.utf8)[..<mark.lowerBound]
      let digest = Digest(of: Array((previous?.description ?? "").utf8) + body)
      previous = digest
      return "\(String(decoding: body, as: UTF8.self)),\"sum\":\"\(digest)\"}"
    }
  }

  @Test("a line break in the name of a file begins no line")
  func lineBreakInAName() async throws {
    let (program, lines) = try await Self.recorded()
    let name = "x\nfake: 9 steps agree"
    try program.folder.write(lines.joined(separator: "\n") + "\n", to: name)
    let whole = try await program.run("session", "verify", name)
    #expect(whole.status == .exited(0) && whole.outputText.hasPrefix(#"x\nfake: 9 steps agree: "#))
    #expect(whole.outputText.count { $0 == "\n" } == 1, "\(whole.outputText)")
    try program.folder.write(
      lines.joined(separator: "\n").replacing("set", with: "sat") + "\n", to: name)
    let damaged = try await program.run("session", "verify", name)
    #expect(damaged.status == .exited(65), "\(damaged.errorText)")
    #expect(
      damaged.errorText.contains(#"error: x\nfake: 9 steps agree: line "#), "\(damaged.errorText)")
    let missing = try await program.run("session", "verify", "no\nsuch")
    #expect(missing.errorText.contains(#"no\nsuch"#), "\(missing.errorText)")
    #expect(!missing.errorText.contains("\nsuch"), "\(missing.errorText)")
  }

  @Test("another program's log is refused") func anotherProgramsLogIsRefused() async throws {
    var (program, lines) = try await Self.recorded()
    #expect(try Self.sealed(lines) == lines, "the sums are those that the program writes")
    lines[0] = lines[0].replacing("\"program\":\"swiftboard ", with: "\"program\":\"otherboard ")
    let run = try await Self.verify(program, try Self.sealed(lines))
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("otherboard"), "\(run.errorText)")
  }

  @Test("a different state is a difference and no damage")
  func aDifferentStateIsADifferenceAndNoDamage() async throws {
    var (program, lines) = try await Self.recorded()
    let index = try #require(lines.firstIndex { $0.contains(#""value":"2""#) })
    lines[index] = lines[index].replacing(#""value":"2""#, with: #""value":"3""#)
    let run = try await Self.verify(program, try Self.sealed(lines))
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(run.errorText.contains("step \(index)"), "\(run.errorText)")
  }

  @Test("an unknown action is refused") func anActionThatNobodyKnowsIsRefused() async throws {
    var (program, lines) = try await Self.recorded()
    let index = try #require(lines.firstIndex { $0.contains(#""action":{"db""#) })
    lines[index] = lines[index].replacing(#""action":{"db""#, with: #""action":{"bd""#)
    let run = try await Self.verify(program, try Self.sealed(lines))
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("line \(index + 1)"), "\(run.errorText)")
  }

  @Test("a document of the most levels is recorded, and the state with it is printed")
  func deepDocument() async throws {
    let program = try Program()
    let document = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    let recorded = try await program.run(
      "--record", "r.jsonl", "-c", "db put c a '\(document)'", "-c", "db get c a --output json",
      "-c", "assert 'db.writes == 1'", "-c", "state db")
    #expect(recorded.status == .exited(0), "\(recorded.errorText)")
    for arguments in [["verify", "r.jsonl"], ["diff", "r.jsonl", "0", "end"]] {
      let run = try await program.run(["session"] + arguments)
      #expect(run.status != .exited(70), "\(run.errorText)")
    }
    let continued = try await program.run(
      "-c", "db get c a", "-c", "session record s.jsonl", "-c", "echo on")
    #expect(continued.status == .exited(0), "\(continued.errorText)")
  }
}
