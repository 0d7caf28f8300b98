import SwiftBoardTestSupport
import Testing

/// `session` within a script, and recordings that travel.
@Suite(.timeLimit(.minutes(20)))
struct SessionCommandTests {
  @Test("a script records a part of itself") func aScriptRecordsAPartOfItself() async throws {
    let program = try Program()
    try program.folder.write(
      """
      echo before
      session status
      session record r.jsonl
      session status
      echo within
      session mark here
      !session record other.jsonl
      session stop
      session status
      !session stop
      echo after
      session verify r.jsonl

      """, to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText.contains("already recording to r.jsonl"), "\(run.errorText)")
    #expect(!program.exists("other.jsonl"))
    let recording = try program.text("r.jsonl")
    #expect(recording.contains("within"))
    #expect(recording.contains(#""k":"mark""#) && recording.contains(#""here""#))
    #expect(!recording.contains("before") && !recording.contains("after"))
    #expect(recording.split(separator: "\n").last?.hasPrefix(#"{"k":"end""#) == true)
    let states = run.outputText.split(separator: "\n").filter { $0.contains("recording") }
    #expect(states.count == 3, "\(run.outputText)")

    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.outputText.contains("within\n"), "\(replay.outputText)")
    #expect(!replay.outputText.contains("before"))
  }

  @Test("a mark's name that is used again is said, and a search counts the states that it examined")
  func marksAndSearches() async throws {
    let program = try Program()
    try program.folder.write(
      """
      session record r.jsonl
      session mark m
      session mark other
      session mark m
      !session bisect --assert 'shell.lastStatus exists' --linear

      """, to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let notes = run.errorText.split(separator: "\n")
    #expect(notes.count { $0.contains("the recording has a mark 'm' already") } == 1)
    #expect(!run.errorText.contains("a mark 'other' already"))
    let counts = try #require(notes.first { $0.contains(" states were examined") })
      .split { !$0.isNumber }
    #expect(counts.count == 2 && counts[0] == counts[1], "\(run.errorText)")
  }

  @Test("the home's folder of recordings is created for the first one, and no other folder is")
  func folderOfRecordings() async throws {
    let program = try Program()
    // The home itself may be missing, as it may be for other commands.
    for name in ["h1", "h2"] { try program.makeFolder(name) }
    for (home, words) in [
      ("h1", ["--record", "h1/sessions/a.jsonl", "echo", "a"]),
      ("h2", ["-c", "session record h2/sessions/a.jsonl", "-c", "echo a"]),
      ("h3", ["session", "fork", "1", "h3/sessions/a.jsonl", "--file", "h1/sessions/a.jsonl"]),
      ("h4", ["--record", "h4/sessions/a.jsonl", "echo", "a"]),
    ] {
      let run = try await program.run(["--environment", "mock", "--home", home] + words)
      #expect(run.status == .exited(0), "\(run.errorText)")
      let verified = try await program.run("session", "verify", "\(home)/sessions/a.jsonl")
      #expect(verified.status == .exited(0), "\(verified.errorText)")
    }
    for (home, path) in [("h1", "h1/other/a.jsonl"), ("h5", "h5/a.jsonl")] {
      let run = try await program.run(
        "--environment", "mock", "--home", home, "--record", path, "echo", "a")
      #expect(run.status == .exited(73), "\(run.errorText)")
      #expect(run.errorText.contains("No such file or directory"), "\(run.errorText)")
    }
    #expect(!program.exists("h1/other") && !program.exists("h5"))
  }

  @Test("a file that is there is not recorded over") func aFileThatIsThereIsNotRecordedOver()
    async throws
  {
    let program = try Program()
    try program.folder.write("kept", to: "taken.jsonl")
    let run = try await program.run(
      "--environment", "mock", "-c", "session record taken.jsonl", "-c", "echo never")
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(run.output == [])
    #expect(run.errorText.hasPrefix("-c:1:"))
    #expect(try program.text("taken.jsonl") == "kept")
  }

  @Test("recording and state of a program that runs on are whole")
  func recordingAndStateOfAProgramThatRunsOnAreWhole() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "-c", "session status", "-c",
      "session stop", "-c", "echo unrecorded")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("r.jsonl"))
    #expect(try !program.text("r.jsonl").contains("unrecorded"))
    #expect(try await program.run("session", "verify", "r.jsonl").status == .exited(0))
  }

  /// The same log gives the same text in another folder, time zone and language.
  @Test("a recording replays elsewhere") func aRecordingReplaysElsewhere() async throws {
    let program = try Program()
    try program.makeFolder("here")
    try program.makeFolder("there")
    try program.folder.write(
      """
      db put c 1 {"name":"é","at":1.5}
      db list c
      log note "grüße"
      log tail
      api get http://127.0.0.1:9/api/character --select info
      state

      """, to: "here/x.sb")
    let first = try await program.run(
      ["--home", "h", "--environment", "mock", "--record", "r.jsonl", "-f", "x.sb"],
      environment: ["TZ": "America/St_Johns", "LC_ALL": "C.UTF-8"], in: "here")
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.outputText.contains("é"))
    let elsewhere: [String: String?] = ["TZ": "Asia/Tokyo", "LC_ALL": "C", "LANG": nil]
    let verified = try await program.run(
      ["session", "verify", "../here/r.jsonl"], environment: elsewhere, in: "there")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run(
      ["session", "replay", "../here/r.jsonl"], environment: elsewhere, in: "there")
    #expect(second.status == .exited(0), "\(second.errorText)")
    #expect(second.output == first.output)
    #expect(try program.files("there") == [] && program.files("home") == [])
  }

  @Test("wait gives the code of the job") func waitGivesTheCodeOfTheJob() async throws {
    let program = try Program()
    try program.folder.write(
      "echo x > /dev/null\nassert a == 2 &\nwait 2\necho never\n", to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(run.outputText == "")
    let unknown = try await program.run("--environment", "mock", "-c", "wait 99")
    #expect(unknown.status == .exited(66))
  }

  @Test("background redirects are whole") func backgroundRedirectsAreWhole() async throws {
    let program = try Program()
    try program.folder.write("echo one > o.txt &\nwait\necho two >> o.txt\n", to: "x.sb")
    let run = try await program.run("--environment", "mock", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.text("o.txt") == "one\ntwo\n")
  }

  @Test("links and files print where their lines print")
  func linksAndFilesPrintWhereTheirLinesPrint() async throws {
    let program = try Program()
    try program.folder.write("echo one\necho own > own.txt\necho two\n", to: "more.sb")
    let run = try await program.run(
      "--environment", "mock", "-c", "db put c 1 {}", "-c", "source more.sb > source.txt", "-c",
      "open swiftboard://db/c/1 > open.txt", "-c", "open swiftboard://db/c/1 & ; wait", "-c",
      "source more.sb >> source.txt")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "{}\n")
    #expect(try program.text("source.txt") == "one\ntwo\none\ntwo\n")
    #expect(try program.text("own.txt") == "own\n")
    #expect(try program.text("open.txt") == "{}\n")
    let background = try await program.run("--environment", "mock", "-c", "source more.sb &")
    #expect(background.status == .exited(64))
    #expect(background.errorText.contains("takes no '&'"), "\(background.errorText)")
  }

  /// Also before a board is there to say it.
  @Test("failures of the program are JSON too") func failuresOfTheProgramAreJSONToo() async throws {
    let program = try Program()
    try program.folder.write("kept", to: "taken.jsonl")
    for (arguments, code) in [
      (["--json", "-f", "nothing.sb"], 66), (["--json", "--nope"], 64),
      (["-o", "json", "--nope"], 64),
      (["--json", "--record", "taken.jsonl", "-c", "echo"], 73),
    ] {
      let run = try await program.run(arguments)
      #expect(run.status == .exited(Int32(code)), "\(arguments): \(run.errorText)")
      #expect(
        run.errorText.hasPrefix(#"{"line":0,"ok":false,"code":\#(code),"error":""#)
          && run.errorLines.count == 2, "\(arguments): \(run.errorText)")
      #expect(run.output == [])
    }
  }

  @Test("a revealed secret goes nowhere else") func aRevealedSecretGoesNowhereElse() async throws {
    let program = try Program()
    let run = try await program.run(
      "--environment", "mock", "-c", "keychain get radarr --reveal > o.txt")
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.outputText == "")
  }

  @Test(
    "a typed secret stays out however it was put together",
    arguments: [
      "keychain set n -zorro9", #""key""chain" set n zorro2"#, "keychain set n --from-fil zorro4",
    ])
  func aTypedSecretStaysOutHoweverItWasPutTogether(_ line: String) async throws {
    let program = try Program()
    let run = try await program.run("--environment", "mock", "--record", "r.jsonl", "-c", line)
    #expect(run.status == .exited(64))
    #expect(!run.errorText.contains("zorro"), "\(run.errorText)")
    #expect(!(try program.text("r.jsonl")).contains("zorro"))
  }
}
