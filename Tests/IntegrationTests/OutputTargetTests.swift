import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The files that lines write to: never the board's own, exact bytes, and nothing cut where the
/// disk is full.
@Suite(.timeLimit(.minutes(20)))
struct OutputTargetTests {
  /// Lines that write to a file, with what they do before.
  private static let writers: [(name: String, line: String)] = [
    ("--out", "api post URL/echo a=1 --out TARGET"), (">", "api post URL/echo a=1 > TARGET"),
    (">>", "api post URL/echo a=1 >> TARGET"), ("echo", "echo x > TARGET"),
    ("backup", "db backup TARGET"), ("export", "log export TARGET"),
    ("record", "session record TARGET"),
    ("fork", "session fork 1 TARGET --file rec.jsonl"),
  ]

  @Test(
    "the board's own files are refused",
    arguments: [
      "h/keychain.sbkc", "h/main.sqlite", "h/cache.sqlite", "h/main.sqlite-wal", "h/log.jsonl",
      "h/config.json", "h/init.sb", "h/history", "h/keychain.sbkc.lock", "h/../h/./main.sqlite",
      "link", "hard", "dangling", "H2/keychain.sbkc",
    ])
  func theBoardsOwnFilesAreRefused(target: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let made = try await program.run(
      "--home", "h", "--record", "rec.jsonl", "-c", "db put c 1 {\"a\":1}", "-c", "echo x")
    #expect(made.status == .exited(0), "\(made.errorText)")
    try program.folder.write("precious", to: "h/keychain.sbkc")
    let links = [("link", "h/main.sqlite"), ("dangling", "h/init.sb"), ("H2", "h")]
    for (name, destination) in links {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.path(name), withDestinationPath: destination)
    }
    #expect(link(program.folder.path("h/keychain.sbkc"), program.folder.path("hard")) == 0)
    // The program's log, and that of recent searches, are written by every line.
    func files() throws -> [String] {
      try program.files("h").filter {
        !$0.contains("log.jsonl") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
      }
    }
    let before = try files()
    let lines = Self.writers.map { writer in
      "!" + writer.line.replacing("URL", with: server.origin).replacing("TARGET", with: target)
    }
    let run = try await program.run(["--home", "h", "--json"] + lines.flatMap { ["-c", $0] })
    #expect(run.status == .exited(0), "one succeeded: \(run.errorText)")
    #expect(
      run.errorText.ranges(of: "the board's own").count == lines.count, "\(run.errorText)")
    #expect(run.errorText.ranges(of: #""code":73"#).count == lines.count, "\(run.errorText)")
    let recorded = try await program.run("--home", "h", "--record", target, "echo", "x")
    #expect(recorded.status == .exited(73), "\(recorded.errorText)")
    #expect(recorded.output == [])
    #expect(recorded.errorText.contains("the board's own"))
    #expect(server.requests.isEmpty, "what is sent cannot be taken back")
    #expect(try program.text("h/keychain.sbkc") == "precious")
    #expect(try files() == before)
    let got = try await program.run("--home", "h", "db", "get", "c", "1", "--json")
    #expect(got.outputText.contains(#""a":1"#), "\(got.errorText)")
  }

  @Test("where there is no keychain yet its name is taken")
  func whereThereIsNoKeychainYetItsNameIsTaken() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    for environment in ["live", "mock"] {
      let run = try await program.run(
        "--home", "h", "--environment", environment, "api", "get", "\(server.origin)/echo",
        "--out", "h/keychain.sbkc")
      #expect(run.status == .exited(73), "\(run.errorText)")
      #expect(run.errorText.contains("keychain"))
    }
    #expect(server.requests.isEmpty)
    #expect(!program.exists("h/keychain.sbkc"))
  }

  @Test(
    "where no file can be made nothing is sent",
    arguments: ["nowhere/x", "folder", "file/x", "lost"])
  func whereNoFileCanBeMadeNothingIsSent(target: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.makeFolder("folder")
    try program.folder.write("x", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.path("lost"), withDestinationPath: "nowhere/x")
    let run = try await program.run(
      "--home", "h", "api", "post", "\(server.origin)/echo", "a=1", "--out", target)
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(run.errorText.contains("\(target) cannot be written: "))
    #expect(server.requests.isEmpty)
  }

  @Test("recordings are for recordings") func recordingsAreForRecordings() async throws {
    let program = try Program()
    let made = try await program.run(
      "--home", "h", "--record", "h/first.jsonl", "echo", "x")
    #expect(made.status != .exited(0), "the folder is not there yet")
    try program.makeFolder("h")
    try program.makeFolder("h/sessions")
    let recorded = try await program.run(
      "--home", "h", "--record", "h/sessions/a.jsonl", "echo", "x")
    #expect(recorded.status == .exited(0), "\(recorded.errorText)")
    let before = try program.text("h/sessions/a.jsonl")
    for line in ["echo x > h/sessions/a.jsonl", "echo x >> h/sessions/a.jsonl"] {
      let run = try await program.run("--home", "h", "-c", line)
      #expect(run.status == .exited(73), "\(run.errorText)")
    }
    let again = try await program.run("--home", "h", "-c", "session record h/sessions/a.jsonl")
    #expect(again.status == .exited(73), "\(again.errorText)")
    #expect(try program.text("h/sessions/a.jsonl") == before)
    let other = try await program.run("--home", "h", "-c", "echo x > h/sessions/new.txt")
    #expect(other.status == .exited(73), "\(other.errorText)")
    #expect(!program.exists("h/sessions/new.txt"))
  }

  // MARK: Exact bytes, devices and pipes

  @Test(
    "an answer without content leaves the file as it is",
    arguments: [(204, "get"), (205, "post"), (200, "head")])
  func noContent(status: Int, method: String) async throws {
    let server = try TestHTTPServer { _ in
      .response(.init(status, headers: [("Cache-Control", "no-store")], body: []))
    }
    let program = try Program()
    try program.folder.write("mine", to: "p")
    for target in ["p", "q"] {
      let run = try await program.run(
        "--home", "h", "api", method, "\(server.origin)/x", "--out", target)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(
        run.errorText.contains(
          "warning: nothing is written to '\(target)': the answer has no content"),
        "\(run.errorText)")
    }
    #expect(try program.text("p") == "mine" && !program.exists("q"))
  }

  @Test("--out writes the body's exact bytes") func outIsTheBodysExactBytes() async throws {
    let body = (0...255).map { UInt8($0) } + Array("no newline".utf8)
    let server = try TestHTTPServer { _ in
      .response(.init(200, headers: [("Cache-Control", "no-store")], body: body))
    }
    let program = try Program()
    try program.folder.write("old", to: "old")
    #expect(chmod(program.folder.path("old"), 0o640) == 0)
    for name in ["new", "old"] {
      let run = try await program.run(
        "--home", "h", "api", "get", server.origin, "--out", name)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.output == [])
      #expect(try program.folder.read(name) == body)
    }
    var status = stat()
    #expect(stat(program.folder.path("old"), &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(stat(program.folder.path("new"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let piped = try await program.shell(
      "cat pipe > got & \"$0\" --home h api get \(server.origin) --out pipe && wait")
    #expect(piped.status == .exited(0), "\(piped.errorText)")
    #expect(try program.folder.read("got") == body)
    #expect(stat(program.folder.path("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
  }

  @Test("the log and the database are exported to standard output and to a pipe, too")
  func exportsToStandardOutput() async throws {
    let program = try Program()
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    for (change, export) in [("log note n", "log export"), ("db put c 1 {}", "db export")] {
      let run = try await program.shell(
        """
        set -e
        $0 -q --home h -c '\(change)' > other
        $0 -q --home h -c '\(export) /dev/stdout' > regular
        $0 -q --home h -c '\(export) /dev/stdout' | cat > piped
        cat pipe > named & $0 -q --home h -c '\(export) pipe'
        wait
        """)
      #expect(run.status == .exited(0), "\(run.errorText)")
      for name in ["regular", "piped", "named"] {
        let text = try program.text(name)
        #expect(text.hasPrefix("{") && text.hasSuffix("}\n"), "\(export), \(name): \(text)")
      }
    }
  }

  @Test("an answer that breaks off leaves the old file")
  func anAnswerThatBreaksOffLeavesTheOldFile() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write("old", to: "old")
    for line in [
      "api get URL/faults/cut --out old", "api get URL/faults/cut --out new",
      "api get URL/faults/cut > old", "api get URL/faults/cut > new",
      "api get URL/faults/cut >> old",
    ] {
      let run = try await program.run(
        "--home", "h", "-c", line.replacing("URL", with: server.origin))
      #expect(run.status == .exited(76), "\(run.errorText)")
      #expect(try program.text("old") == "old", "\(line)")
      #expect(!program.exists("new"), "\(line)")
    }
    let background = try await program.run(
      "--home", "h", "-c", "api get \(server.origin)/faults/cut > old &", "-c", "-wait")
    #expect(try program.text("old") == "old", "\(background.errorText)")
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
    // What a command has printed before it failed is its output.
    let failing = try await program.run(
      "--home", "h", "-c", "api get \(server.origin)/faults/status/500 > old")
    #expect(failing.status == .exited(5))
    #expect(try program.text("old").contains("500"))
    let empty = try await program.run("--home", "h", "-c", "db list nothing --json > empty")
    #expect(empty.status == .exited(0), "\(empty.errorText)")
    #expect(program.exists("empty"))
  }

  @Test("a signal leaves the old file", arguments: [SIGTERM, SIGINT, SIGHUP], ["", " &"])
  func aSignalLeavesTheOldFile(signal: Int32, behind: String) async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write("old", to: "old")
    let run = try program.start("--home", "h")
    run.writeInput("api get \(server.origin)/faults/hang > old\(behind)\n")
    await server.waitForRequest(path: "/faults/hang")
    run.signal(signal)
    #expect(await run.wait().status == .exited(128 + signal))
    #expect(try program.text("old") == "old")
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
  }

  // MARK: A full disk

  /// Runs a line with the folder `full` on a disk of its own, which has the file `old` and no room.
  private static func onFullDisk(_ program: Program, _ line: String) async throws
    -> ChildProcess.Outcome
  {
    try program.makeFolder("full")
    try program.folder.write(
      """
      mount -t tmpfs -o size=64k none full && printf old > full/old || exit 99
      cat /dev/zero > full/filler 2> errors
      "$0" --home h -c "$1"
      echo "status $?"
      ls -A full
      cat full/old

      """, to: "run.sh")
    return try await runProcess(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", ". ./run.sh", try Program.executable(), line],
      environment: program.environment(), folder: program.folder.path)
  }

  @Test(
    "a full disk leaves what was there",
    .enabled("no disk may be mounted", NameSpaces.canMount),
    arguments: [
      ("api get URL/large --out full/new", 74), ("api get URL/large --out full/old", 74),
      ("api get URL/large > full/new", 74), ("api get URL/large > full/old", 74),
      ("api get URL/large >> full/old", 74), ("api get URL/large >> full/new", 74),
      ("log note text; log export full/new", 74), ("db put c 1 1; db backup full/new", 74),
    ])
  func aFullDiskLeavesWhatWasThere(line: String, code: Int) async throws {
    let server = try TestHTTPServer { _ in
      .response(.init(200, body: [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)))
    }
    let program = try Program()
    let run = try await Self.onFullDisk(program, line.replacing("URL", with: server.origin))
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(
      run.outputText.hasSuffix("status \(code)\nfiller\nold\nold"),
      "\(run.outputText)\n\(run.errorText)")
    #expect(run.errorText.contains("No space left on device") || line.contains("db backup"))
  }

  @Test(
    "the error of a file that is full marks the command that writes it",
    .enabled("no disk may be mounted", NameSpaces.canMount),
    arguments: [
      ("db get c 1 > full/new; db get c 2", 25), ("echo a; db get c 1 > full/new; echo b", 33),
    ])
  func fullDiskPlace(line: String, column: Int) async throws {
    let program = try Program()
    let body = String(repeating: "x", count: 100_000)
    try program.folder.write(#"{"a":"\#(body)"}"#, to: "large.json")
    let run = try await Self.onFullDisk(program, "db put c 1 @large.json; " + line)
    #expect(run.errorText.contains(":1:\(column): error: the output"), "\(run.errorText)")
  }

  @Test(
    "a command in the background whose file is full fails like one in the foreground, and in its step",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func fullDiskInBackground() async throws {
    let program = try Program()
    let body = String(repeating: "x", count: 100_000)
    try program.folder.write(#"{"a":"\#(body)"}"#, to: "large.json")
    let run = try await Self.onFullDisk(
      program, "db put c 1 @large.json; session record r.jsonl; db get c 1 > full/new &")
    #expect(
      run.errorText.firstRange(
        of: #/error: job \d+: the output could not be written whole/#) != nil, "\(run.errorText)")
    let timeline = try await program.run("session", "timeline", "r.jsonl")
    #expect(timeline.outputText.contains("shell.reject"), "\(timeline.outputText)")
    let other = try Program()
    try other.folder.write(#"{"a":"\#(body)"}"#, to: "large.json")
    let json = try await Self.onFullDisk(
      other, "db put c 1 @large.json; db get c 1 --json > full/new &")
    #expect(json.errorText.contains(#""ok":false,"code":74"#), "\(json.errorText)")
  }

  @Test(
    "what is in the database can be read on a full disk",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func readOnAFullDisk() async throws {
    let program = try Program()
    try program.makeFolder("full")
    try program.folder.write(
      """
      mount -t tmpfs -o size=1m none full || exit 99
      "$0" --home full/h db put c 1 '{"a":1}' || exit 98
      cat /dev/zero > full/filler 2> errors
      "$0" --home full/h -c 'db get c 1' -c 'db list c' -c 'db preference list'
      echo "read $?"
      "$0" --home full/h -c '-db put c 2 {}' -c 'db get c 1'
      echo "write $?"
      rm full/filler
      "$0" --home full/h -c 'db put c 3 {}' -c 'db get c 3'

      """, to: "run.sh")
    let run = try await runProcess(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", ". ./run.sh", try Program.executable()],
      environment: program.environment(), folder: program.folder.path)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("read 0\n"), "\(run.outputText)\n\(run.errorText)")
    #expect(run.outputText.contains("write 0\n{}\n"), "\(run.outputText)\n\(run.errorText)")
    #expect(run.errorText.contains("no space left for the database"), "\(run.errorText)")
  }

  /// If mounting is not allowed: a limit to the size of files.
  @Test(
    "a limit leaves what was there",
    arguments: ["echo x > a; echo LONG > new", "echo LONG > old", "echo LONG >> old"])
  func aLimitLeavesWhatWasThere(line: String) async throws {
    let program = try Program()
    try program.folder.write("old", to: "old")
    try program.folder.write(
      line.replacing("LONG", with: String(repeating: "x", count: 5000)), to: "x.sb")
    let run = try await program.shell("ulimit -f 4; \"$0\" --environment mock -f x.sb")
    #expect(run.status == .exited(74), "\(run.errorText)")
    #expect(run.errorText.contains("could not be written whole"))
    #expect(try program.text("old") == "old")
    #expect(!program.exists("new"))
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
  }

  // MARK: The program's own descriptors

  @Test(
    "what is written to the file of standard output or standard error goes there, in order",
    arguments: [
      "$0 CALLS > so1", "$0 CALLS 2> so1 >&2", "$0 CALLS >> so1", "$0 CALLS > so1 2>&1",
    ],
    ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2", "so1"])
  func standardDescriptors(line: String, target: String) async throws {
    let isError = target.hasSuffix("err") || target.hasSuffix("2")
    if isError, !line.contains("2>") { return }
    for arrow in [">", ">>"] {
      let program = try Program()
      let run = try await program.shell(
        line.replacing("CALLS", with: "-c 'echo a' -c 'echo x \(arrow) \(target)' -c 'echo b'"))
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(try program.text("so1") == "a\nx\nb\n", "\(arrow) \(target)")
    }
  }

  @Test("--out to standard output's file replaces nothing that is there")
  func outToStandardOutput() async throws {
    let server = try TestHTTPServer { _ in .response(.init(200, body: Array("body\n".utf8))) }
    let program = try Program()
    let run = try await program.shell(
      "$0 --home h -c 'echo a' -c 'api get \(server.origin) --out /dev/stdout' -c 'echo b' > so1")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.text("so1") == "a\nbody\nb\n")
  }

  @Test("descriptors that the board opened are no targets, those it was given are")
  func internalDescriptors() async throws {
    let program = try Program()
    for folder in ["/dev/fd", "/proc/self/fd"] {
      for number in 3..<12 {
        let run = try await program.run(
          "--home", "h", "-c", "db put c 1 {}", "-c", "echo x > \(folder)/\(number)")
        #expect(run.status == .exited(73), "\(number): \(run.errorText)")
      }
    }
    let given = try await program.shell("$0 --home h -c 'echo x > /dev/fd/7' 7> given")
    #expect(given.status == .exited(0), "\(given.errorText)")
    #expect(try program.text("given") == "x\n")
  }

  @Test(
    "the files of unlock sources are the board's own",
    arguments: [
      ("SWIFTBOARD_PASSPHRASE_FILE", "pass"), ("SWIFTBOARD_KEY_FILE", "pass"),
      ("CREDENTIALS_DIRECTORY", "swiftboard.passphrase"),
      ("CREDENTIALS_DIRECTORY", "swiftboard.key"),
    ])
  func unlockSources(variable: String, file: String) async throws {
    let program = try Program()
    try program.folder.write("precious", to: file)
    let value =
      variable == "CREDENTIALS_DIRECTORY" ? program.folder.path : program.folder.path(file)
    for line in ["echo x > \(file)", "echo x >> ./\(file)", "db backup \(file)"] {
      let run = try await program.run(
        ["--home", "h", "-c", line], environment: [variable: value])
      #expect(run.status == .exited(73), "\(line): \(run.errorText)")
      #expect(run.errorText.contains("the board's own unlock source"), "\(run.errorText)")
    }
    #expect(try program.text(file) == "precious")
  }
}
