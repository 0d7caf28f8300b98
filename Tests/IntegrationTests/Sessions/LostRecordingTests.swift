import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// A recording that could not be written to its end is said, once, and is the script's exit code.
@Suite("Lost recordings", .timeLimit(.minutes(20)))
struct LostRecordingTests {
  /// How often a text stands in another.
  private func count(_ part: String, in text: String) -> Int {
    text.split(separator: part, omittingEmptySubsequences: false).count - 1
  }

  enum Loss: String, CaseIterable {
    case removed, renamed, replaced

    /// A line of the shell that makes it so.
    var command: String {
      switch self {
      case .removed: "rm r.jsonl"
      case .renamed: "mv r.jsonl s.jsonl"
      case .replaced: "echo other > s; mv s r.jsonl"
      }
    }
  }

  @Test(
    "a file that was taken away is said once, and the script ends with 74", arguments: Loss.allCases
  )
  func takenAway(loss: Loss) async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one\n"))
    try #require(try await program.shell(loss.command).status == .exited(0))
    child.writeInput("echo two\nsession status\n-session mark m\n-session stop\necho three\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    let text = "r.jsonl was removed, renamed or replaced"
    #expect(count("warning: ", in: outcome.errorText) == 1, "\(outcome.errorText)")
    #expect(outcome.errorText.contains("the recording stopped before step"), "\(outcome.errorText)")
    #expect(outcome.errorText.contains(text), "\(outcome.errorText)")
    #expect(
      outcome.outputText.contains("problem    the recording stopped"), "\(outcome.outputText)")
    #expect(outcome.outputText.hasSuffix("three\n"))
    if loss == .replaced { #expect(try program.text("r.jsonl") == "other\n") }
  }

  @Test("a file that another program has cut is left as it is, and the script ends with 74")
  func cut() async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one\n"))
    try #require(try await program.shell(": > r.jsonl").status == .exited(0))
    child.writeInput("echo two\n-session status\necho three\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    #expect(count("warning: ", in: outcome.errorText) == 1, "\(outcome.errorText)")
    #expect(outcome.errorText.contains("another program has cut the file or appended to it"))
    #expect(outcome.outputText.hasSuffix("three\n"))
    #expect(try program.text("r.jsonl") == "")
  }

  @Test("it is noticed at the end, too", arguments: [["-c"], ["-f"], []])
  func noticedAtTheEnd(way: [String]) async throws {
    let server = try TestHTTPServer { request in
      // Removed while the last line runs.
      request.path == "/last" && unlink(request.query("file") ?? "") == 0
        ? .response(.init(json: "1")) : nil
    }
    let program = try Program()
    let line = "api get '\(server.origin)/last?file=\(program.folder.path("r.jsonl"))'"
    try program.folder.write(line + "\n", to: "x.sb")
    // Without either the line's words are the program's.
    let words =
      way.isEmpty
      ? ["api", "get", String(line.dropFirst(9).dropLast())]
      : way + [way[0] == "-c" ? line : "x.sb"]
    let outcome = try await program.run(["--home", "h", "--record", "r.jsonl"] + words)
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    #expect(count("was removed, renamed or replaced", in: outcome.errorText) == 1)
    #expect(outcome.outputText == "1", "\(outcome.outputText)")
  }

  @Test("a line that failed keeps its code")
  func failedLine() async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one\n"))
    try #require(try await program.shell("rm r.jsonl").status == .exited(0))
    child.writeInput("db get a 1\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(66), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("was removed, renamed or replaced"))
  }

  @Test("'exit' does not hide it", arguments: ["exit", "exit 0", "exit 3"])
  func exit(line: String) async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one\n"))
    try #require(try await program.shell("rm r.jsonl").status == .exited(0))
    child.writeInput("echo two\n\(line)\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
  }

  @Test("the next recording begins without 'session stop', and the script still ends with 74")
  func nextRecording() async throws {
    let program = try Program()
    let child = try program.start("--home", "h", "--record", "r.jsonl")
    child.writeInput("echo one\n")
    #expect(await child.waitForOutput("one\n"))
    try #require(try await program.shell("rm r.jsonl").status == .exited(0))
    child.writeInput("session record r.jsonl\necho two\nsession stop\n")
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    #expect(count("warning: ", in: outcome.errorText) == 1, "\(outcome.errorText)")
    #expect(outcome.outputText == "one\ntwo\n", "\(outcome.outputText)")
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0) && replay.outputText == "two\n", "\(replay.errorText)")
  }

  /// Lines that take more room than there is.
  private static let lines = (0..<400).map { "echo \($0)\n" }.joined()

  private func expectFull(_ outcome: ChildProcess.Outcome) {
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    #expect(outcome.outputText.hasSuffix("399\n"), "the lines go on")
    #expect(count("warning: ", in: outcome.errorText) == 1, "\(outcome.errorText)")
    #expect(
      outcome.errorText.contains("what was written before is whole"), "\(outcome.errorText)")
  }

  @Test("a file that may not grow ends the script with 74, and what is there reads")
  func limitedFile() async throws {
    let program = try Program()
    try program.folder.write(Self.lines, to: "x.sb")
    let outcome = try await program.shell(
      "ulimit -f 32; exec \"$0\" --home h --record r.jsonl -f x.sb")
    expectFull(outcome)
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    #expect(verified.errorText.contains("no end line"), "\(verified.errorText)")
  }

  @Test(
    "a full disk ends the script with 74",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func fullDisk() async throws {
    let program = try Program()
    try program.folder.write(Self.lines, to: "x.sb")
    try program.makeFolder("disk")
    let outcome = try await program.shell(
      """
      exec unshare -Urm sh -c 'mount -t tmpfs -o size=64k tmpfs disk &&
        exec "$0" --home h --record disk/r.jsonl -f x.sb' "$0"
      """)
    expectFull(outcome)
    #expect(outcome.errorText.contains("No space left on device"), "\(outcome.errorText)")
  }

  @Test(
    "a file that rotation cannot remove is kept with all newer ones, which is said once",
    .enabled("no file may be mounted", NameSpaces.canMount))
  func keptFiles() async throws {
    let program = try Program()
    let text = String(repeating: "x", count: 60_000)
    let lines = (1...40).map { "set page '\($0) \(text)'\n" }
    try program.folder.write(
      "session record r.jsonl --rotate 1 --keep 2\n" + lines[..<12].joined(), to: "x.sb")
    try program.folder.write(lines[12...].joined() + "session stop\n", to: "y.sb")
    // What is mounted cannot be removed.
    // Real time: the shell looks whether the file is there.
    let outcome = try await program.shell(
      """
      exec unshare -Urm sh -c '
        { cat x.sb; until [ -e r.jsonl.1 ]; do sleep 0.05; done
          mount --bind r.jsonl.1 r.jsonl.1; cat y.sb; } |
        "$0" --environment mock && cat r.jsonl.1 > kept && umount r.jsonl.1' "$0"
      """)
    #expect(outcome.status == .exited(0), "\(outcome.errorText.suffix(2000))")
    let said = "warning: r.jsonl.1 cannot be removed"
    #expect(count(said, in: outcome.errorText) == 1, "\(outcome.errorText.suffix(2000))")
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let files = try program.files().filter { $0.hasPrefix("r.jsonl") }
    #expect(files.count > 4, "\(files)")
  }
}
