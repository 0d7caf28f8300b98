import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The log of every process, as the commands of each show it.
@Suite("The log of all processes", .timeLimit(.minutes(20)))
struct LogProgramTests {
  private func note(_ text: String, in program: Program) async throws {
    let outcome = try await program.run("--home", "h", "log", "note", text)
    try #require(outcome.status == .exited(0), "\(outcome.errorText)")
  }

  /// Log files with so many records, `record 0` and so on, a half of them rotated.
  private func fill(_ program: Program, _ count: Int) throws {
    try program.makeFolder("h")
    func text(_ range: Range<Int>) -> String {
      range.map {
        #"{"time":"2026-01-01T00:00:00.000000Z","level":"info","category":"t","message":"record \#($0)"}"#
          + "\n"
      }.joined()
    }
    try program.folder.write(text(0..<count / 2), to: "h/log.jsonl.1")
    try program.folder.write(text(count / 2..<count), to: "h/log.jsonl")
  }

  @Test(
    "a disk that is too full for the log is said once, however many requests there are",
    .enabled("no disk may be mounted", NameSpaces.canMount), arguments: ["", "--json"])
  func fullDisk(option: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.makeFolder("disk")
    let request = "-c \"api get \(server.origin)/echo\""
    let outcome = try await program.shell(
      """
      exec unshare -Urm sh -c 'mount -t tmpfs -o size=64k tmpfs disk && mkdir disk/swiftboard &&
        ! head -c 100000 /dev/zero > disk/swiftboard/fill || exit 99
        export XDG_STATE_HOME="$PWD/disk"
        exec "$0" \(option) \(request) \(request) \(request)' "$0"
      """)
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(server.requests.count == 3)
    let log = program.folder.path("disk/swiftboard/log.jsonl")
    let text = "the disk is full, or a file may not grow: lines of the log \(log) are lost"
    let line =
      option.isEmpty ? "warning: \(text)\n" : #"{"line":0,"warning":"\#(text)"}"# + "\n"
    #expect(outcome.errorText.ranges(of: line).count == 1, "\(outcome.errorText)")
    #expect(outcome.errorText.ranges(of: "disk is full").count == 1, "\(outcome.errorText)")
  }

  @Test("the end reports lost records as JSON, also where only the command has '--json'")
  func lossAtTheEnd() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.makeFolder("h")
    try program.makeFolder("h/log.jsonl")
    let run = try await program.run("--home", "h", "api", "get", "\(server.origin)/echo", "--json")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let warnings = run.errorLines.filter { $0.contains("of the log") }
    #expect(warnings.count == 1, "\(run.errorText)")
    #expect(
      warnings.first?.hasPrefix(#"{"line":0,"warning":""#) == true, "\(run.errorText)")
    let note = try await program.run("--home", "h", "log", "note", "x")
    #expect(note.status == .exited(74), "\(note.errorText)")
    #expect(note.errorText.ranges(of: "cannot be written").count == 1, "\(note.errorText)")
  }

  @Test("a process shows, counts and exports what others have logged")
  func others() async throws {
    let program = try Program()
    for text in ["first", "second", "third"] { try await note(text, in: program) }
    let tail = try await program.run("--home", "h", "--plain", "log", "tail", "-n", "2")
    #expect(tail.status == .exited(0), "\(tail.errorText)")
    let messages = tail.outputText.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)[3]
    }
    #expect(messages == ["second", "third"])
    let stats = try await program.run("--home", "h", "--plain", "log", "stats")
    #expect(stats.outputText.contains("notice\t3\n"))
    #expect(stats.outputText.contains("category note\t3\n"))
    let export = try await program.run("--home", "h", "log", "export", "out.jsonl")
    #expect(export.status == .exited(0), "\(export.errorText)")
    let lines = try program.text("out.jsonl").split(separator: "\n")
    #expect(
      try lines.map { try JSON(parsing: String($0))["message"]?.stringValue }
        == ["first", "second", "third"])
    let again = try await program.run("--home", "h", "log", "export", "out.jsonl")
    #expect(again.status == .exited(73))
    let cleared = try await program.run("--home", "h", "-c", "log clear", "-c", "log tail")
    #expect(cleared.status == .exited(0))
    #expect(!cleared.outputText.contains("third"))
  }

  @Test("any number of records is shown in parts, and a recording replays to the same bytes")
  func parts() async throws {
    let program = try Program()
    try fill(program, 1000)
    for option in ["--plain", "--json", ""] {
      let tail = try await program.run([
        "--home", "h", "--record", "r\(option).jsonl", "-c", "log tail -n 700 \(option)",
      ])
      #expect(tail.status == .exited(0), "\(tail.errorText)")
      let text = tail.outputText
      for index in [300, 555, 556, 811, 812, 999] {
        #expect(text.contains("record \(index)"), "\(option) \(index)")
      }
      #expect(!text.contains("record 299"))
      if option == "--json" {
        #expect(try JSON(parsing: text)["value"]?.elements?.count == 700)
      } else {
        #expect(text.split(separator: "\n").count { $0.contains("record ") } == 700)
      }
      let replay = try await program.run("--home", "o", "session", "replay", "r\(option).jsonl")
      #expect(replay.status == .exited(0), "\(replay.errorText)")
      #expect(replay.outputText == text)
      let verify = try await program.run("--home", "o", "session", "verify", "r\(option).jsonl")
      #expect(verify.status == .exited(0), "\(verify.errorText)")
    }
  }

  @Test("a line names the step and the job that caused it, and --step finds it")
  func step() async throws {
    let program = try Program()
    let outcome = try await program.run([
      "--home", "h", "--record", "r.jsonl", "-c", "log note a", "-c", "log note b", "-c",
      "log tail --plain",
    ])
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    // The steps in which the recording has the commands.
    var steps: [Int] = []
    for line in try program.text("r.jsonl").split(separator: "\n") {
      let json = try JSON(parsing: String(line))
      guard line.contains(#""note":{"#), line.contains(#""run":{"#),
        let number = json["n"]?.intValue
      else { continue }
      steps.append(number)
    }
    try #require(steps.count == 2)
    let fields = outcome.outputText.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).last.map(String.init)
    }
    #expect(fields == ["step=\(steps[0]) job=1", "step=\(steps[1]) job=2"])
    let found = try await program.run(
      "--home", "h", "--plain", "log", "tail", "--step", "\(steps[1])")
    #expect(found.outputText.split(separator: "\n").count == 1)
    #expect(found.outputText.contains("\tb\t"))
    let replay = try await program.run("--home", "o", "session", "replay", "r.jsonl")
    #expect(replay.outputText == outcome.outputText)
  }

  @Test("what is not a record is passed over, and said")
  func unreadable() async throws {
    let program = try Program()
    try fill(program, 4)
    let text = try program.text("h/log.jsonl")
    try program.folder.write("who wrote this?\n" + text, to: "h/log.jsonl")
    let tail = try await program.run("--home", "h", "--plain", "log", "tail")
    #expect(tail.outputText.split(separator: "\n").count == 4)
    #expect(tail.errorText.contains("1 line of the log is not a record"))
  }

  @Test("-f follows, also when another process rotates the file, until it is interrupted")
  func follow() async throws {
    let program = try Program()
    try await note("before", in: program)
    try await note("last", in: program)
    let child = try program.start("--home", "h", "--plain", "log", "tail", "-n", "1", "-f")
    #expect(await child.waitForOutput("last"))
    try await note("during", in: program)
    #expect(await child.waitForOutput("during"))
    #expect(rename(program.folder.path("h/log.jsonl"), program.folder.path("h/log.jsonl.1")) == 0)
    try await note("behind", in: program)
    #expect(await child.waitForOutput("behind"))
    child.signal(SIGINT)
    let outcome = await child.wait()
    #expect(outcome.status == .exited(130))
    let text = outcome.outputText
    for word in ["last", "during", "behind"] {
      #expect(text.split(separator: "\n").count { $0.contains(word) } == 1, "\(text)")
    }
    #expect(!text.contains("before"))
  }

  @Test("-f in the background is cancelled at the end of the lines, which is no failure")
  func background() async throws {
    let program = try Program()
    let outcome = try await program.run(
      ["--home", "h", "--record", "r.jsonl"],
      stdin: "log tail -f &\nlog note x\n")
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("[1] cancelled by the end of the lines: log tail\n"))
    #expect(!outcome.errorText.contains("error:"), "\(outcome.errorText)")
    let replay = try await program.run("--home", "o", "session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.outputText == outcome.outputText)
  }

  @Test("-f ends when the reader of its output has gone, though nothing more is logged")
  func closedPipe() async throws {
    let program = try Program()
    try await note("x", in: program)
    let run = try await program.shell(
      "{ \"$0\" --home h --plain log tail -f; echo $? > status; } | head -n 1")
    #expect(run.outputText.contains("\tx\t"))
    #expect(run.errorText == "")
    #expect(try program.text("status") == "141\n")
  }

  @Test("several processes that write and rotate the same log lose and tear no line")
  func rotation() async throws {
    let program = try Program()
    try program.makeFolder("h")
    // A few hundred bytes below the size at which the file is rotated.
    let line =
      #"{"time":"2026-01-01T00:00:00.000000Z","level":"info","category":"t","message":""#
      + String(repeating: "x", count: 900) + "\"}\n"
    let count = (4 << 20) / line.utf8.count
    try program.folder.write(String(repeating: line, count: count), to: "h/log.jsonl")
    let (writers, notes) = (3, 60)
    for writer in 0..<writers {
      try program.folder.write(
        (0..<notes).map { "log note note \(writer).\($0)\n" }.joined(), to: "\(writer).sb")
    }
    let children = try (0..<writers).map {
      try program.start("--home", "h", "-q", "-f", "\($0).sb")
    }
    for child in children {
      let outcome = await child.wait()
      #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    }
    #expect(program.exists("h/log.jsonl.1"))
    let text = try program.text("h/log.jsonl.1") + program.text("h/log.jsonl")
    var seen: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      let json = try JSON(parsing: String(line))
      if json["category"]?.stringValue == "note" {
        seen[json["message"]?.stringValue ?? "", default: 0] += 1
      }
    }
    #expect(seen.count == writers * notes)
    #expect(seen.values.allSatisfy { $0 == 1 })
    let stats = try await program.run("--home", "h", "--plain", "log", "stats")
    #expect(stats.outputText.contains("category note\t\(writers * notes)\n"))
  }
}
