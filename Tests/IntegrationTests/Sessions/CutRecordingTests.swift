import SwiftBoardTestSupport
import Testing

/// A recording whose writer was killed: its last line is cut off, or its end is missing.
@Suite(.timeLimit(.minutes(20)))
struct CutRecordingTests {
  /// Every command that reads a recording, with the exit code for a whole one.
  private static let commands: [(line: String, status: Int32)] = [
    ("session timeline FILE", 0), ("session stats FILE", 0), ("session graph FILE", 0),
    ("session graph FILE --causes", 0), ("session state --at 2 --file FILE", 0),
    ("session state no.such --at 2 --file FILE", 66), ("session action FILE 2", 0),
    ("session diff FILE 1 3", 1), ("session bisect FILE --assert 'shell.lastStatus == 0'", 1),
    ("session fork 2 fork.jsonl --file FILE", 0), ("session test FILE", 0),
    ("session screenshot FILE", 0), ("session replay FILE", 0), ("session verify FILE", 0),
    ("session replay FILE --live", 0),
  ]

  private static func recorded() async throws -> (program: Program, lines: [String]) {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "whole.jsonl", "-c", "echo one", "-c", "session mark m",
      "-c", "set a 2", "-c", "echo three")
    try #require(run.status == .exited(0), "\(run.errorText)")
    let lines = try program.text("whole.jsonl").split(separator: "\n").map { "\($0)\n" }
    return (program, lines)
  }

  /// The warnings, without their label and the file that `verify` names.
  private static func warnings(_ run: ChildProcess.Outcome) -> [String] {
    run.errorLines.filter { $0.hasPrefix("warning: ") }
      .map { String($0.dropFirst("warning: ".count)).replacing("cut.jsonl: ", with: "") }
  }

  @Test("every command says once what a recording lacks, and exits as for a whole one")
  func everyCommandWarns() async throws {
    let (program, lines) = try await Self.recorded()
    let whole = lines.joined()
    let beforeEnd = lines.dropLast().joined()
    let steps = lines.filter { $0.hasPrefix(#"{"k":"step""#) }.count
    let torn = "the last line is incomplete and was left out; it begins at byte "
    let noEnd = "the recording was cut short after step \(steps): it has no end line"
    let files: [(text: String, warnings: [String])] = [
      (whole, []), (String(whole.dropLast(9)), [torn + "\(beforeEnd.utf8.count)", noEnd]),
      (beforeEnd, [noEnd]), (whole + "{\"k\"", [torn + "\(whole.utf8.count)"]),
    ]
    for file in files {
      try program.folder.write(file.text, to: "cut.jsonl")
      for command in Self.commands {
        let line = command.line.replacing("FILE", with: "cut.jsonl")
        _ = try await program.shell("rm -f fork.jsonl")
        let run = try await program.run("--environment", "mock", "-c", line)
        #expect(run.status == .exited(command.status), "\(line): \(run.errorText)")
        #expect(Self.warnings(run) == file.warnings, "\(line): \(run.errorText)")
      }
    }
  }

  @Test("a range that ends before the cut needs nothing behind it, and has no warning")
  func ranges() async throws {
    let (program, lines) = try await Self.recorded()
    try program.folder.write(lines.dropLast().joined(), to: "cut.jsonl")
    for command in ["timeline cut.jsonl", "graph cut.jsonl --causes"] {
      for (range, count) in [("1..2", 0), ("2..99", 1)] {
        let run = try await program.run(
          "--environment", "mock", "-c", "session \(command) --range \(range)")
        #expect(run.status == .exited(0), "\(run.errorText)")
        #expect(Self.warnings(run).count == count, "\(command) \(range): \(run.errorText)")
      }
    }
  }

  @Test("with --json the warnings are lines of JSON with the number of the line")
  func json() async throws {
    let (program, lines) = try await Self.recorded()
    try program.folder.write(lines.dropLast().joined(), to: "cut.jsonl")
    let steps = lines.filter { $0.hasPrefix(#"{"k":"step""#) }.count
    for command in ["timeline", "stats", "replay"] {
      let run = try await program.run(
        "--environment", "mock", "--json", "-c", "session \(command) cut.jsonl")
      #expect(
        run.errorText
          == #"{"line":1,"warning":"the recording was cut short after step \#(steps): "#
          + "it has no end line\"}\n")
    }
  }

  @Test("the recording that is running naturally has no end")
  func theRunningOne() async throws {
    let program = try Program()
    var arguments = ["--environment", "mock", "--record", "r.jsonl", "-c", "echo one"]
    for line in [
      "session timeline", "session timeline r.jsonl", "session stats ./r.jsonl", "session goto 1",
      "session live", "session state --at 1 --file r.jsonl", "session verify r.jsonl",
      "session replay r.jsonl > replayed",
    ] {
      arguments += ["-c", line]
    }
    let run = try await program.run(arguments)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(!run.errorText.contains("warning"), "\(run.errorText)")
  }
}
