import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardTestSupport
import Testing

/// Going back in a session, and looking into recordings.
@Suite(.timeLimit(.minutes(20)))
struct TimeTravelTests {
  /// A program with the recording `r.jsonl` of four lines in eight steps, and a mark behind the
  /// second.
  private static func recorded() async throws -> Program {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "set page 1", "-c",
      "db put films a {\"n\":1}", "-c", "session mark here", "-c", "set page 2", "-c",
      "db list films")
    try #require(run.status == .exited(0), "\(run.errorText)")
    return program
  }

  /// Without the column of times, which are those of the machine.
  private static func withoutTimes(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      String(line).replacing(#/[0-9]+\.[0-9]{6}( s)?/#, with: "T").replacing(#/\ +/#, with: " ")
    }
  }

  // MARK: The running recording

  @Test("what looks at a recording as a whole takes the running one")
  func theRunningRecording() async throws {
    let program = try Program()
    let script = """
      session record r.jsonl
      set page 1
      set page 2
      session bisect --assert 'shell.variables.page != "2"'
      session graph
      session graph --causes
      session stats
      session screenshot
      session test
      """
    let run = try await program.run(["--home", "h"], stdin: script)
    #expect(run.status == .exited(0), "\(run.errorText)")
    for text in ["set page 2", "digraph", "<svg", "import SwiftBoardBoard"] {
      #expect(run.outputText.contains(text), "\(text)")
    }
    for line in ["session graph", "session bisect --assert 'a exists'", "session undo"] {
      let refused = try await program.run("--home", "h", "-c", line)
      #expect(refused.status == .exited(64), "\(line): \(refused.errorText)")
      #expect(refused.errorText.contains("nothing is being recorded"))
    }
  }

  @Test("a session is travelled") func aSessionIsTravelled() async throws {
    let program = try Program()
    try program.folder.write(
      """
      set page 1
      session mark before
      set page 2
      session timeline
      session goto 1
      state shell.variables.page
      assert shell.variables.page == "1"
      -set page 3
      session goto +1
      session goto end
      session undo
      state shell.variables.page
      session goto @before
      session status
      session live
      state shell.variables.page
      session state shell.variables.page --at 1
      session state shell.variables.page

      """, to: "x.sb")
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let recording = try program.text("r.jsonl")
    #expect(
      Self.withoutTimes(run.outputText.withoutProgress(in: recording)) == [
        "step time by action effects",
        "---- -------- ---------------------- ----------------- --------------",
        " 1 T set page 1 shell.run",
        " 2 T session mark before session.run o session.mark",
        " 3 T session.mark of step 2 session.succeeded *",
        " 3 T @before",
        " 4 T set page 2 shell.run",
        "step 1 of 6, T: set page 1",
        #""1""#,
        "step 2 of 13, T: session mark before",
        "step 15 of 15, T: session.succeeded by session.goto of step 14",
        "step 3 of 17, T: session.succeeded by session.mark of step 2",
        #""1""#,
        "step 3 of 21, T: session.succeeded by session.mark of step 2",
        "recording r.jsonl",
        "steps 24",
        "position step 3 of 24",
        #""2""#,
        #""1""#,
        #""2""#,
      ], "\(run.outputText)")
    let errors = run.errorText.withoutProgress(in: recording)
    #expect(errors.contains("x.sb:8:2: error: you are looking at step 1, where"), "\(errors)")
    #expect(run.errorText.contains("'session live' returns to the present, 'session fork 1 FILE'"))
  }

  @Test("without a recording there is nowhere to go") func withoutARecordingThereIsNowhereToGo()
    async throws
  {
    let program = try Program()
    for line in [
      "session goto 1", "session undo", "session timeline", "session action 1", "session diff 1 2",
      "session fork 1", "session state --at 1",
    ] {
      let run = try await program.run("--environment", "mock", "-c", line)
      #expect(run.status == .exited(64), "\(line): \(run.errorText)")
      #expect(run.errorText.contains("nothing is being recorded"), "\(line)")
      #expect(run.errorText.contains("help: 'session record FILE' begins a recording"), "\(line)")
    }
    for line in ["session stop", "session mark a"] {
      let run = try await program.run("--environment", "mock", "-c", line)
      #expect(run.status == .exited(64), "\(line): \(run.errorText)")
      #expect(run.errorText.hasSuffix("help: 'session record FILE' begins a recording\n"))
    }
    let live = try await program.run("--environment", "mock", "-c", "session live")
    #expect(live.status == .exited(0))
  }

  @Test(
    "what is no place is said",
    arguments: [
      ("session goto 99", "there is no step 99"), ("session goto -9", "there is no step -"),
      ("session goto @nope", "there is no mark \"nope\""), ("session goto x", "'x' names no step"),
      ("session goto @", "'@' names no step"), ("session timeline --range 3.2", "is not a range"),
    ])
  func whatIsNoPlaceIsSaid(line: String, message: String) async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "set a 1", "-c", line)
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains(message), "\(run.errorText)")
  }

  @Test("'session live' says whether there was something to go back to, and one step is one step")
  func sessionLiveSaysWhatItDid() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "session live", "-c", "session goto 0",
      "-c", "session live")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let notes = run.errorLines.filter { $0.contains("now") || $0.contains("back") }
    #expect(
      notes == [
        "this is now: nothing to go back to", "looking back; 'session live' returns to the present",
        "back to now",
      ])
    #expect(try await program.run("session", "verify", "r.jsonl").status == .exited(0))
    let one = try await program.run(
      "--environment", "mock", "--record", "o.jsonl", "-c", "session stop")
    #expect(one.errorText.hasPrefix("recorded 1 step to o.jsonl;"), "\(one.errorText)")
  }

  @Test("a mark that is set in the background is there for the next line")
  func markInTheBackground() async throws {
    let program = try Program()
    let lines = (1...20).flatMap {
      ["-c", "session mark m\($0) &", "-c", "session goto @m\($0)", "-c", "session live"]
    }
    let run = try await program.run(["--environment", "mock", "--record", "r.jsonl"] + lines)
    #expect(run.status == .exited(0), "\(run.errorText)")
  }

  @Test("rule 2: no fork is made of steps with the value of what has become a secret")
  func forkBeforeASecret() async throws {
    let program = try Program.withKeychain()
    try program.folder.write("V4lue-of-a-secret", to: "value")
    let run = try await program.run(
      [
        "--home", "h", "--record", "f1.jsonl", "-c", "set v V4lue-of-a-secret", "-c",
        "keychain set plain --from-file value", "-c", "state shell.variables", "-c",
        "session fork 1 f2.jsonl", "-c", "state shell.variables", "-c", "session stop", "-c",
        "session record f3.jsonl", "-c", "session stop", "--keep-going",
      ], environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("'plain'"), "\(run.errorText)")
    #expect(!run.outputText.contains("V4lue") && !run.errorText.contains("V4lue"))
    #expect(throws: (any Error).self) { try program.text("f2.jsonl") }
    #expect(!(try program.text("f3.jsonl").contains("V4lue")))
    for name in ["f1", "f3"] {
      let verified = try await program.run("session", "verify", "\(name).jsonl")
      #expect(verified.status == .exited(0), "\(verified.errorText)")
    }
  }

  @Test("a fork goes on in a recording of its own") func aForkGoesOnInARecordingOfItsOwn()
    async throws
  {
    let program = try Program()
    try program.folder.write(
      """
      set page 1
      set page 2
      session goto 1
      session fork 1 f.jsonl
      state shell.variables.page
      set page 3
      assert session.position == null or shell.lastStatus == 0
      session status
      session goto -1
      session live

      """, to: "x.sb")
    let run = try await program.run("--environment", "mock", "--record", "r.jsonl", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(
      run.errorText.contains("f.jsonl has the first 1 step of r.jsonl, and the board continues"))
    let lines = run.outputText.split(separator: "\n")
    #expect(lines.dropFirst().first == #""1""#, "\(run.outputText)")
    #expect(lines.contains { $0.hasPrefix("recording  f.jsonl") }, "\(run.outputText)")
    #expect(!run.outputText.contains("position"))
    for file in ["r.jsonl", "f.jsonl"] {
      let last = try program.text(file).split(separator: "\n").last
      #expect(last?.hasPrefix(#"{"k":"end""#) == true, "\(file)")
    }

    let verified = try await program.run("session", "verify", "r.jsonl", "f.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let replay = try await program.run("session", "replay", "f.jsonl")
    // The session itself, from the fork on.
    #expect(replay.outputText == lines.dropFirst().map { $0 + "\n" }.joined())
    let values = try await program.run(
      "session", "state", "shell.variables.page", "--file", "f.jsonl", "--json")
    #expect(values.outputText.contains(#""value":"3""#), "\(values.outputText)")
  }

  @Test("what runs ends where the board goes to a fork") func whatRunsEndsWhereTheBoardGoesToAFork()
    async throws
  {
    let server = try TestHTTPServer()
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c", "set a 1", "-c",
      "api get \(server.origin)/faults/hang &", "-c", "session fork 1 f.jsonl", "-c", "jobs", "-c",
      "set a 2")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(
      run.errorText.split(separator: "[2] cancelled", omittingEmptySubsequences: false)
        .count
        == 2, "once: \(run.errorText)")
    #expect(run.outputText.split(separator: "\n").count <= 2, "no job: \(run.outputText)")
    let verified = try await program.run("session", "verify", "r.jsonl", "f.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  /// A fork from the middle of a command has that command ended, in the new recording as well.
  @Test("a fork from the middle of a command ends it") func aForkFromTheMiddleOfACommandEndsIt()
    async throws
  {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "db put c 1 {}", "-c",
      "session fork 1 f.jsonl", "-c", "assert shell.lastStatus == 130", "-c",
      "state shell.running")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "[]\n")
    let replay = try await program.run("session", "replay", "f.jsonl")
    #expect(replay.outputText == "[]\n" && replay.status == .exited(0), "\(replay.errorText)")
  }

  @Test("a fork is not made over a file") func aForkIsNotMadeOverAFile() async throws {
    let program = try await Self.recorded()
    try program.folder.write("kept", to: "taken.jsonl")
    let run = try await program.run("session", "fork", "2", "taken.jsonl", "--file", "r.jsonl")
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(try program.text("taken.jsonl") == "kept")
    let named = try await program.run("session", "fork", "2", "--file", "r.jsonl")
    #expect(named.status == .exited(0), "\(named.errorText)")
    #expect(try await program.run("session", "verify", "r.fork-2.jsonl").status == .exited(0))
  }

  @Test("a fork prints nothing of its last step again")
  func forkPrintsOnce() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "echo one", "-c", "echo two", "-c",
      "session fork 1 f.jsonl", "-c", "echo end")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "one\ntwo\nend\n")
    // The fork is being recorded, and its state says so, however its steps were queued.
    let state = try await program.run(
      "session", "state", "session.recording", "--file", "f.jsonl", "--at", "end")
    #expect(state.outputText == "\"f.jsonl\"\n", "\(state.errorText)")
  }

  @Test("forks in the background end, and so does a command that began beside one")
  func forksInTheBackground() async throws {
    let program = try Program()
    try program.folder.write(
      """
      echo 1
      echo 2
      -session fork 1 b.jsonl &
      -session fork 2 c.jsonl &
      -db list c
      -wait
      session status

      """, to: "x.sb")
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    // The later one of the two is gone on in, or the other one was cancelled.
    #expect(
      run.outputText.contains("recording  b.jsonl")
        || run.outputText.contains("recording  c.jsonl"),
      "\(run.outputText)")
    #expect(try await program.run("session", "verify", "r.jsonl").status == .exited(0))
  }

  @Test("a fork of a recording whose name is that of a secret is refused, and the next line runs")
  func forkOfASecretName() async throws {
    let program = try Program()
    try program.folder.write("hunter22xyz", to: "v")
    let run = try await program.run(
      "--environment", "mock", "--record", "hunter22xyz.jsonl", "-c", "echo 1", "-c",
      "keychain set N --from-file v", "-c", "session fork 1", "-c", "echo after", "--keep-going")
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.outputText.hasSuffix("after\n"), "\(run.outputText)")
  }

  // MARK: Files

  @Test("a timeline is filtered") func aTimelineIsFiltered() async throws {
    let program = try await Self.recorded()
    func rows(_ options: String...) async throws -> [String] {
      let run = try await program.run(["session", "timeline", "r.jsonl", "--plain"] + options)
      #expect(run.status == .exited(0), "\(run.errorText)")
      return run.outputText.split(separator: "\n").map {
        let cells = $0.split(separator: "\t", omittingEmptySubsequences: false)
        return "\(cells[0]) \(cells[2]) | \(cells[3]) | \(cells[4])"
      }
    }
    #expect(
      try await rows() == [
        "1 set page 1 | shell.run | ",
        #"2 db put films a {"n":1} | db.run | o db.contents"#,
        "3 db.contents of step 2 | db.contents | * o o db.put db.put.end",
        "4 db.put.end of step 3 | db.succeeded |   * *",
        "5 session mark here | session.run | o session.mark",
        "6 session.mark of step 5 | session.succeeded | *",
        "6  | @here | ",
        "7 set page 2 | shell.run | ",
        "8 db list films | db.run | o db.list",
        "9 db.list of step 8 | db.listed | *",
        "9  | end of the recording | ",
      ])
    #expect(try await rows("--by", "effect").map { $0.prefix(1) } == ["3", "4", "6", "9"])
    #expect(
      try await rows("--action", "db", "--range", "..3") == [
        #"2 db put films a {"n":1} | db.run | o db.contents"#,
        "3 db.contents of step 2 | db.contents | * o o db.put db.put.end",
      ])
    #expect(try await rows("--grep", "page").map { $0.prefix(1) } == ["1", "7"])
    #expect(try await rows("--limit", "1") == ["1 set page 1 | shell.run | "])
  }

  @Test("a difference is the answer no") func aDifferenceIsTheAnswerNo() async throws {
    let program = try await Self.recorded()
    let differ = try await program.run(
      "session", "diff", "1", "7", "--path", "shell.variables", "--file", "r.jsonl")
    #expect(differ.status == .exited(1))
    #expect(
      differ.outputText == "path  step 1  step 7\n----  ------  ------\npage  \"1\"     \"2\"\n")
    #expect(
      differ.errorText.withoutProgress == "the states after steps 1 and 7 differ in 1 place\n")
    let json = try await program.run(
      "--json", "session", "diff", "1", "@here", "--path", "shell.variables", "--file", "r.jsonl")
    #expect(json.status == .exited(0))
    #expect(json.outputText.contains(#""equal":true,"truncated":false,"changes":[]"#))
    let no = try await program.run("--json", "session", "diff", "1", "7", "--file", "r.jsonl")
    #expect(no.status == .exited(1) && no.outputText.hasPrefix(#"{"line":1,"ok":false,"#))
  }

  @Test("a search finds the step") func aSearchFindsTheStep() async throws {
    let program = try await Self.recorded()
    let found = try await program.run(
      "session", "bisect", "r.jsonl", "--assert", #"shell.variables.page != "2""#)
    #expect(found.status == .exited(0), "\(found.errorText)")
    #expect(found.outputText.hasPrefix("step 7 of 9, "), "\(found.outputText)")
    #expect(found.outputText.contains(#"  shell.variables.page: "1" -> "2""#))
    let turned = try await program.run(
      "session", "bisect", "r.jsonl", "--assert", #"shell.variables.page == "2""#)
    #expect(turned.status == .exited(0), "\(turned.errorText)")
    #expect(turned.outputText.hasPrefix("step 7 of 9, "), "\(turned.outputText)")
    #expect(turned.errorText.contains("it fails from the beginning; the first step after which"))
    let neither = try await program.run(
      "session", "bisect", "r.jsonl", "--assert", #"shell.variables.page == "3""#, "--json")
    #expect(neither.status == .exited(1))
    #expect(neither.errorText.contains("neverHolds"), "\(neither.errorText)")
    #expect(
      try await program.run(
        "session", "bisect", "r.jsonl", "--assert", #"shell.variables.page != "1""#, "--linear"
      ).outputText.contains(#"  shell.variables.page: nothing -> "1""#))
    let never = try await program.run("session", "bisect", "r.jsonl", "--assert", "api exists")
    #expect(never.status == .exited(1))
    #expect(
      never.errorText.contains("the assertion fails in none of the 4 examined states"),
      "\(never.errorText)")
    #expect(
      try await program.run("session", "bisect", "r.jsonl", "--assert", "a ==").status
        == .exited(64))
    #expect(
      try await program.run("session", "bisect", "no.jsonl", "--assert", "a exists").status
        == .exited(66))
  }

  @Test("damage is one code everywhere") func damageIsOneCodeEverywhere() async throws {
    let program = try await Self.recorded()
    var bytes = try program.folder.read("r.jsonl")
    bytes[bytes.count / 2] ^= 1
    try program.folder.write(bytes, to: "damaged.jsonl")
    for words in [
      ["verify", "damaged.jsonl"], ["replay", "damaged.jsonl"], ["timeline", "damaged.jsonl"],
      ["stats", "damaged.jsonl"], ["graph", "damaged.jsonl"], ["test", "damaged.jsonl"],
      ["graph", "damaged.jsonl", "--causes"], ["bisect", "damaged.jsonl", "--assert", "a exists"],
      ["state", "--file", "damaged.jsonl"], ["action", "7", "--file", "damaged.jsonl"],
      ["diff", "1", "7", "--file", "damaged.jsonl"],
      ["fork", "7", "f.jsonl", "--file", "damaged.jsonl"],
    ] {
      let run = try await program.run(["session"] + words)
      #expect(run.status == .exited(65), "\(words): \(run.errorText)")
      let missing = try await program.run(
        ["session"] + words.map { $0 == "damaged.jsonl" ? "missing.jsonl" : $0 })
      #expect(missing.status == .exited(66), "\(words): \(missing.errorText)")
    }
    #expect(!program.exists("f.jsonl"))
  }

  @Test("many files are reported") func manyFilesAreReported() async throws {
    let program = try await Self.recorded()
    try program.folder.write(try program.folder.read("r.jsonl"), to: "copy.jsonl")
    let run = try await program.run(
      "session", "verify", "r.jsonl", "missing.jsonl", "copy.jsonl", "--format", "tap")
    #expect(run.status == .exited(66), "\(run.errorText)")
    #expect(run.outputText.hasPrefix("TAP version 14\n1..3\nok 1 - r.jsonl\n"))
    #expect(run.outputText.contains("\nnot ok 2 - missing.jsonl\n"))
    #expect(run.outputText.contains("\nok 3 - copy.jsonl\n"))
    let junit = try await program.run("session", "verify", "r.jsonl", "--format", "junit")
    #expect(junit.outputText.contains(#"tests="1" failures="0" errors="0""#))
  }

  // MARK: Replays

  @Test("a replay prints a part") func aReplayPrintsAPart() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "echo one", "-c", "session mark here",
      "-c", "echo two", "-c", "echo three")
    #expect(run.status == .exited(0))
    func replay(_ options: String...) async throws -> String {
      let run = try await program.run(["session", "replay", "r.jsonl"] + options)
      #expect(run.status == .exited(0), "\(run.errorText)")
      return run.outputText
    }
    #expect(try await replay() == "one\ntwo\nthree\n")
    #expect(try await replay("--from", "4") == "two\nthree\n")
    #expect(try await replay("--until", "@here") == "one\n")
    #expect(try await replay("--from", "2", "--until", "4") == "two\n")
    #expect(try await replay("--idle-limit", "1ms") == "one\ntwo\nthree\n")
    for (options, message) in [
      (["--until", "-1"], "--until takes"), (["--until", "@no"], "there is no mark"),
      (["--speed", "0"], "--speed is a number above 0"), (["--step"], "needs a terminal"),
      (["--live", "--speed", "2"], "exclude each other"),
      (["--from", "99"], "there is no step 99; the recording has the steps 0 to 5"),
      (["--until", "99"], "there is no step 99; the recording has the steps 0 to 5"),
      (["--from", "4", "--until", "2"], "--from 4 is after --until 2"),
    ] {
      let run = try await program.run(["session", "replay", "r.jsonl"] + options)
      #expect(run.status == .exited(64), "\(options): \(run.errorText)")
      #expect(run.errorText.contains(message), "\(options): \(run.errorText)")
      #expect(run.output.isEmpty, "\(options)")
    }
  }

  @Test("a live replay asks the services") func aLiveReplayAsksTheServices() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "db put c 1 {}", "-c", "db list c")
    #expect(run.status == .exited(0))
    let same = try await program.run(
      "--environment", "mock", "session", "replay", "r.jsonl", "--live")
    #expect(same.status == .exited(0), "\(same.errorText)")
    #expect(same.errorText == "2 lines were sent, 5 steps agree\n")
    // A home of its own has nothing in it; this one answers otherwise.
    let own = try await program.run(
      "--environment", "mock", "-c", "db put c 9 {}", "-c", "session replay r.jsonl --live")
    #expect(own.status == .exited(0), "\(own.errorText)")
    let other = try await program.run(
      "--environment", "mock", "-c", "db put c 9 {}",
      "-c", "session replay r.jsonl --live --this-home")
    #expect(other.status == .exited(1), "\(other.errorText)")
    #expect(other.errorText.contains("step 5: the action is not"), "\(other.errorText)")
    #expect(
      other.errorText.contains("db.listed.documents[1]: expected nothing, found {"),
      "\(other.errorText)")
  }

  /// What is about the recording itself is neither sent nor expected: the command that began it,
  /// marks, and its end.
  @Test("a live replay takes a recording that a line began")
  func aLiveReplayTakesARecordingThatALineBegan() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-c", "session record r.jsonl", "-c", "db put c 1 {}",
      "-c", "session mark here", "-c", "db list c", "-c", "wait", "-c", "session stop")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let same = try await program.run(
      "--environment", "mock", "session", "replay", "r.jsonl", "--live")
    #expect(same.status == .exited(0), "\(same.errorText)")
    #expect(same.errorText.hasPrefix("3 lines were sent, "), "\(same.errorText)")
    let other = try await program.run(
      "--environment", "mock", "-c", "db put c 9 {}",
      "-c", "session replay r.jsonl --live --this-home")
    #expect(other.status == .exited(1), "\(other.errorText)")
    #expect(other.errorText.contains("  db.listed.documents"), "\(other.errorText)")
  }

  /// Nothing of a recording depends on where and when it is replayed.
  @Test(
    "a recording of another place verifies",
    arguments: [
      ["TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"],
      ["TZ": "America/St_Johns", "LANG": "C", "LC_ALL": "de_DE.UTF-8"],
    ])
  func aRecordingOfAnotherPlaceVerifies(environment: [String: String]) async throws {
    let program = try Program()
    try program.folder.write(
      """
      db put c 1 {"I":"ı","at":1.5}
      db list c
      log note "İstanbul"
      log tail
      session timeline
      state

      """, to: "x.sb")
    let first = try await program.run(
      ["--home", "h", "--record", "r.jsonl", "-f", "x.sb"], environment: environment)
    #expect(first.status == .exited(0), "\(first.errorText)")
    let here: [String: String?] = ["TZ": "UTC", "LANG": "C", "LC_ALL": "C"]
    let verified = try await program.run(["session", "verify", "r.jsonl"], environment: here)
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run(["session", "replay", "r.jsonl"], environment: here)
    #expect(second.output == first.output)
  }

  // MARK: At a terminal

  @Test("the prompt says where one is") func thePromptSaysWhereOneIs() async throws {
    let program = try Program()
    let terminal = try program.startOnTerminal(
      "--ascii", "--environment", "mock", "--no-init")
    #expect(await terminal.waitForOutput("board[mock]> "))
    terminal.type("session record r.jsonl\r")
    #expect(await terminal.waitForOutput("board[mock] *> "), "\(terminal.outputText)")
    terminal.type("session goto 0\r")
    #expect(await terminal.waitForOutput("board[mock] *(0<3)> "), "\(terminal.outputText)")
    terminal.type("session live\r")
    #expect(await terminal.waitForOutput("board[mock] *> ", count: 2), "\(terminal.outputText)")
    terminal.type("session stop\r")
    #expect(await terminal.waitForOutput("board[mock]> ", count: 2), "\(terminal.outputText)")
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("a replay goes step by step") func aReplayGoesStepByStep() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "echo one", "-c", "echo two")
    #expect(run.status == .exited(0))
    let terminal = try program.startOnTerminal("session", "replay", "r.jsonl", "--step")
    #expect(await terminal.waitForOutput("q and Enter: quit -- "), "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("one"))
    terminal.type("\r")
    #expect(await terminal.waitForOutput("one"))
    #expect(
      await terminal.waitForOutput("q and Enter: quit -- ", count: 2), "\(terminal.outputText)")
    terminal.type("q\r")
    #expect(await terminal.wait() == .exited(130), "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("two"))
  }

  @Test("the printed state after a step has the digest of the step")
  func theStateHasTheDigest() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "echo \"\\u{1b}é\"", "-c",
      "db put c 1 '{\"a\":1.50}'", "-c", "!state no.such", "-c", "session mark m", "-c", "db list c"
    )
    #expect(run.status == .exited(0), "\(run.errorText)")
    let digests = try program.text("r.jsonl").split(separator: "\n").map {
      try JSON(parsing: "\($0)")
    }.filter { $0["k"] == "step" }.map { $0["digest"]?.stringValue }
    #expect(digests.count > 5)
    for (index, digest) in digests.enumerated() {
      let state = try await program.run(
        "--json", "session", "state", "--at", "\(index + 1)", "--file", "r.jsonl")
      let value = try #require(try JSON(parsing: state.outputText)["value"])
      #expect(Digest(of: value.canonical.utf8).description == digest, "step \(index + 1)")
      let shown = try await program.run(
        "session", "state", "--at", "\(index + 1)", "--file", "r.jsonl")
      let whole = try JSON(parsing: shown.outputText)
      #expect(whole.canonical == value.canonical)
    }
  }
}
