import SwiftBoardTestSupport
import Testing

/// A recording of several files, from the line that asks for one to every command that looks into
/// it.
@Suite(.timeLimit(.minutes(20)))
struct RotatedRecordingTests {
  /// A program with the recording `r.jsonl` of 24 steps of some 180 KB each, in files of a MiB.
  private static func recorded(_ options: String = "--rotate 1") async throws -> Program {
    let program = try Program()
    let text = String(repeating: "x", count: 60_000)
    let lines = (1...24).map { "set page '\($0) \(text)'" }
    try program.folder.write(
      (["session record r.jsonl \(options)"] + lines + ["session stop"])
        .map { $0 + "\n" }.joined(), to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    try #require(run.status == .exited(0), "\(run.errorText.prefix(500))")
    return program
  }

  @Test("a rotated recording is one recording of numbered files")
  func itIsOneRecordingOfNumberedFiles() async throws {
    let program = try await Self.recorded()
    let files = try program.files().filter { $0.hasPrefix("r.jsonl") }
    #expect(files.count > 3 && files[0] == "r.jsonl" && files[1] == "r.jsonl.1", "\(files)")
    for step in [3, 12, 24] {
      let state = try await program.run(
        "session", "state", "shell.variables.page", "--at", "\(step)", "--file", "r.jsonl")
      // The first step is the answer to `session record`.
      #expect(state.outputText.hasPrefix("\"\(step - 1) xxx"), "\(state.errorText)")
    }
    let timeline = try await program.run("session", "timeline", "r.jsonl", "--json")
    #expect(timeline.outputText.contains(#""step":26,"#), "\(timeline.outputText.suffix(300))")
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    #expect(verified.outputText.split(separator: "\n").count == files.count)
    let alone = try await program.run("session", "verify", "r.jsonl.2")
    #expect(alone.outputText.hasPrefix("r.jsonl.2: "), "\(alone.errorText)")
    let replayed = try await program.run("session", "replay", "r.jsonl.2")
    #expect(replayed.status == .exited(0), "\(replayed.errorText)")
  }

  @Test("old files are removed where that is asked for")
  func oldFilesAreRemovedWhereThatIsAskedFor() async throws {
    let program = try await Self.recorded("--rotate 1 --keep 1")
    #expect(try program.files().filter { $0.hasPrefix("r.jsonl") }.count == 2)
    let early = try await program.run("session", "state", "--at", "3", "--file", "r.jsonl")
    #expect(early.status == .exited(64))
    #expect(early.errorText.contains("and the files before them were removed"))
    let late = try await program.run(
      "session", "state", "shell.variables.page", "--at", "24", "--file", "r.jsonl")
    #expect(late.outputText.hasPrefix("\"23 xxx"), "\(late.errorText)")
    // The states of the removed files are none that a search could look at.
    let search = try await program.run(
      "session", "bisect", "r.jsonl", "--assert", "shell.variables.page exists", "--linear")
    #expect(search.errorText.contains("the assertion fails after no step"), "\(search.errorText)")
    #expect(
      search.errorText.firstMatch(of: #/help: (\d+) of \1 states were examined/#) != nil,
      "\(search.errorText)")
  }

  @Test("a missing file is named") func aMissingFileIsNamed() async throws {
    let program = try await Self.recorded()
    let moved = try await program.shell("mv r.jsonl.2 elsewhere")
    try #require(moved.status == .exited(0))
    let run = try await program.run("session", "timeline", "r.jsonl")
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("r.jsonl.2 is missing"), "\(run.errorText)")
    #expect(run.errorText.contains("help: put r.jsonl.2 back"), "\(run.errorText)")
  }

  @Test(
    "what is no rotation is a mistake in usage, and nothing is recorded",
    arguments: ["--rotate 0", "--rotate x", "--keep 2", "--rotate 1 --keep -1"])
  func whatIsNoRotationIsRefused(options: String) async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-c", "session record r.jsonl \(options)")
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(!program.exists("r.jsonl"))
  }

  /// What the board answers from an observer is about the recording, and no part of a live replay.
  @Test("a live replay passes over what is about the recording")
  func aLiveReplayPassesOverWhatIsAboutTheRecording() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "echo a", "-c", "session status",
      "-c", "echo b")
    #expect(run.status == .exited(0))
    let live = try await program.run(
      "--environment", "mock", "session", "replay", "r.jsonl", "--live")
    #expect(live.status == .exited(0), "\(live.errorText)")
    #expect(live.errorText.hasPrefix("2 lines were sent, "), "\(live.errorText)")
  }
}
