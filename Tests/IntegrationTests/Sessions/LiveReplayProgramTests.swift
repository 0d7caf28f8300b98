import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// `session replay --live` of the built program, against a server that answers.
@Suite(.timeLimit(.minutes(20)))
struct LiveReplayProgramTests {
  /// A service whose every answer has another date, age and request id, with a body and a tag that
  /// a test changes.
  final class Service: Sendable {
    private final class Content: Sendable {
      let state = Mutex((body: #"{"name":"Rick"}"#, answers: 0))

      func response(_ request: TestHTTPServer.Request) -> TestHTTPServer.Response {
        let (body, number) = state.withLock { state in
          state.answers += 1
          return (state.body, state.answers)
        }
        let tag = "\"\(body.utf8.count)\""
        var headers = [
          ("Date", "Mon, 02 Mar 2026 10:00:\(10 + number % 50) GMT"), ("ETag", tag),
          ("X-Kind", "test"),
        ]
        // Age is there now and then, as behind a cache.
        if number.isMultiple(of: 2) { headers.insert(("Age", "\(number)"), at: 0) }
        if request.path == "/traced" { headers.append(("X-Request-ID", "\(number)")) }
        if request.header("If-None-Match") == tag { return .init(304, headers: headers) }
        return .init(json: body, headers: headers)
      }
    }

    private let content: Content
    private let server: TestHTTPServer

    var origin: String { server.origin }
    var requests: [TestHTTPServer.Request] { server.requests }

    init() throws {
      let content = Content()
      self.content = content
      server = try TestHTTPServer { .response(content.response($0)) }
    }

    func set(body: String) { content.state.withLock { $0.body = body } }
  }

  /// A program, and a folder for what is temporary, so that what is left there is seen.
  private static func program() throws -> Program {
    let program = try Program()
    try program.makeFolder("tmp")
    return program
  }

  private static func run(
    _ program: Program, _ arguments: [String]
  ) async throws -> ChildProcess.Outcome {
    try await program.run(arguments, environment: ["TMPDIR": program.folder.path("tmp")])
  }

  private static func live(
    _ program: Program, _ options: String...
  ) async throws -> ChildProcess.Outcome {
    let run = try await run(program, ["session", "replay", "r.jsonl", "--live"] + options)
    #expect(try program.files("tmp") == [])
    return run
  }

  private static func record(_ program: Program, _ lines: [String]) async throws {
    let recorded = try await run(
      program, ["--record", "r.jsonl"] + lines.flatMap { ["-c", $0] })
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
  }

  @Test("an unchanged server agrees each time") func anUnchangedServerAgreesEachTime() async throws
  {
    let (program, service) = (try Self.program(), try Service())
    try await Self.record(
      program,
      [
        "api service add rm \(service.origin)", "api get rm/one", "api get rm/one",
        "api get rm/two a==1 --retry 2", "api service test rm", "db put c 1 {\"a\":1}",
        "db list c", "db get c 1", "log tail", "api recent", "api cache list", "db path",
        "keychain status",
      ])
    for _ in 1...10 {
      let run = try await Self.live(program)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.errorText == "13 lines were sent, 28 steps agree\n")
    }
  }

  @Test("random numbers begin with the seed of the recording, given or not")
  func seed() async throws {
    let (program, service) = (try Self.program(), try Service())
    try program.folder.write("content", to: "part.txt")
    try await Self.record(
      program,
      ["api post \(service.origin) part@part.txt", "api post \(service.origin) n@part.txt"])
    for _ in 1...2 {
      let run = try await Self.live(program)
      #expect(run.status == .exited(0), "\(run.errorText)")
    }
    let boundaries = Set(
      service.requests.map { $0.header("Content-Type")?.split(separator: "=").last })
    #expect(boundaries.count == 2)
  }

  @Test("requests in the background may be answered in another order")
  func requestsInTheBackgroundMayBeAnsweredInAnotherOrder() async throws {
    let (program, service) = (try Self.program(), try Service())
    try await Self.record(
      program,
      ["api service add rm \(service.origin)"] + (1...20).map { "api get rm/\($0) &" } + ["wait"])
    for _ in 1...3 {
      let run = try await Self.live(program)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.errorText.hasPrefix("22 lines were sent, "), "\(run.errorText)")
    }
    service.set(body: #"{"name":"Summer"}"#)
    let run = try await Self.live(program)
    #expect(run.status == .exited(1))
    #expect(
      run.errorText.contains(#"answer.text: expected "{\"name\":\"Rick\"}""#), "\(run.errorText)")
  }

  @Test("a changed body is shown around the difference")
  func aChangedBodyIsShownAroundTheDifference() async throws {
    let (program, service) = (try Self.program(), try Service())
    func body(_ word: String) -> String {
      #"{"text":"\#(String(repeating: "before ", count: 300))\#(word)\#(String(repeating: " after", count: 300))"}"#
    }
    service.set(body: body("Rick"))
    try await Self.record(program, ["api get \(service.origin)/one"])
    service.set(body: body("Summer"))
    let run = try await Self.live(program)
    #expect(run.status == .exited(1))
    let text = run.errorText
    #expect(text.contains("step 2: the action is not the recorded one"), "\(text)")
    let line = try #require(run.errorLines.first { $0.contains(".answer.text: ") }, "\(text)")
    #expect(line.contains("api.answered.answer.text: expected ... before "), "\(text)")
    #expect(line.contains("before Rick after after"), "\(text)")
    #expect(line.contains("before Summer after after"), "\(text)")
    #expect(line.contains(" after a... (3921 bytes), found ..."), "\(text)")
    #expect(!line.contains("Date"))
    // The path may be ignored as it is shown, and so may all that follows from the body.
    let ignoring = try await Self.live(
      program, "--ignore", "api.answered.answer.text", "--ignore", "api.answered.answer.bytes",
      "--ignore", "api.answered.answer.headers[name=etag]",
      "--ignore", "api.answered.answer.headers[name=Content-Length]")
    #expect(ignoring.status == .exited(0), "\(ignoring.errorText)")
  }

  /// The lines are those of another machine, where `other` was no home.
  @Test(
    "a live replay writes to none of the board's own files",
    arguments: ["main.sqlite", "cache.sqlite", "history", "config.json", "init.sb"],
    [[], ["--this-home"]])
  func ownFiles(name: String, options: [String]) async throws {
    let (program, service) = (try Self.program(), try Service())
    for folder in ["a", "a/other", "b"] { try program.makeFolder(folder) }
    let recorded = try await program.run(
      ["--record", "../r.jsonl", "-c", "api get \(service.origin)/one --out other/\(name)"], in: "a"
    )
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
    let made = try await program.run(
      ["--home", "other", "-c", "db put c 1 {}", "-c", "api get \(service.origin)/two"], in: "b")
    try #require(made.status == .exited(0), "\(made.errorText)")
    let before = try? program.folder.read("b/other/\(name)")
    let replay = try await program.run(
      ["--home", "other", "session", "replay", "../r.jsonl", "--live"] + options, in: "b")
    #expect(replay.status == .exited(1))
    #expect(replay.errorText.contains("belongs to the board's own"), "\(replay.errorText)")
    #expect((try? program.folder.read("b/other/\(name)")) == before)
  }

  @Test(
    "a live replay writes neither to what it replays nor to what records it",
    arguments: [("r.jsonl", "recording that is replayed"), ("o.jsonl", "recording that runs")])
  func recordings(name: String, title: String) async throws {
    let (program, service) = (try Self.program(), try Service())
    for folder in ["a", "b"] { try program.makeFolder(folder) }
    let recorded = try await program.run(
      ["--record", "../r.jsonl", "-c", "api get \(service.origin)/one --out \(name)"], in: "a")
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
    try program.folder.write(try program.folder.read("r.jsonl"), to: "b/r.jsonl")
    let replay = try await program.run(
      ["--record", "o.jsonl", "-c", "session replay r.jsonl --live"], in: "b")
    #expect(replay.status == .exited(1), "\(replay.errorText)")
    #expect(replay.errorText.contains(title), "\(replay.errorText)")
    #expect(try program.folder.read("b/r.jsonl") == program.folder.read("r.jsonl"))
    let verified = try await program.run(["session", "verify", "o.jsonl"], in: "b")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  @Test("the lost output of a command in the background is a step that a live replay sends")
  func lostOutput() async throws {
    let program = try Program()
    try #require(FileInfo("/dev/full") != nil)
    let run = try await program.run(
      "--record", "r.jsonl", "-k", "-c", "echo x > /dev/full &", "-c", "wait", "-c", "echo hi")
    #expect(run.errorText.contains("-c:1:1: error: job 1: the output could not be written whole"))
    let timeline = try await program.run("session", "timeline", "r.jsonl")
    #expect(timeline.outputText.contains("shell.reject"), "\(timeline.outputText)")
    let live = try await program.run("session", "replay", "r.jsonl", "--live")
    #expect(live.status == .exited(0), "\(live.errorText)")
  }

  @Test("a live replay that a signal ends removes its home", arguments: [SIGINT, SIGTERM])
  func signal(_ signal: Int32) async throws {
    let program = try Self.program()
    let isReplay = Atomic(false)
    let server = try TestHTTPServer { request in
      request.path == "/slow" && isReplay.load(ordering: .relaxed)
        ? .hang : .response(.init(json: "{}"))
    }
    try await Self.record(
      program, ["api get \(server.origin)/one", "api get \(server.origin)/slow"])
    isReplay.store(true, ordering: .relaxed)
    let child = try ChildProcess(
      try Program.executable(), ["session", "replay", "r.jsonl", "--live"],
      environment: program.environment(["TMPDIR": program.folder.path("tmp")]),
      folder: program.folder.path)
    _ = await server.waitForRequest(path: "/slow", count: 2)
    #expect(try program.files("tmp") != [])
    child.signal(signal)
    #expect(await child.wait().status == .exited(128 + signal))
    #expect(try program.files("tmp") == [])
  }

  @Test("a check of a database that was there agrees in a home without one")
  func checkWithoutDatabase() async throws {
    let program = try Self.program()
    let put = try await Self.run(program, ["-c", "db put c 1 1"])
    try #require(put.status == .exited(0), "\(put.errorText)")
    try await Self.record(program, ["db check"])
    let run = try await Self.live(program)
    #expect(run.status == .exited(0), "\(run.errorText)")
  }

  /// The errors name the file of the keychain, which is in the home.
  @Test("the path of the replay's own home is no difference, and the rest of a text is")
  func ownHome() async throws {
    let program = try Self.program()
    let recorded = try await Self.run(
      program,
      ["--home", "h", "--record", "r.jsonl", "-c", "!keychain list", "-c", "!keychain check"])
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
    let home = program.folder.path("h")
    let recording = try program.text("r.jsonl")
    #expect(recording.contains("\(home)/keychain.sbkc: there is no keychain here."), "\(recording)")
    #expect(try await Self.live(program).errorText == "2 lines were sent, 6 steps agree\n")

    for other in [
      "\(home)/keychain.sbkc: there is a keychain here.",
      "\(home)/other: there is no keychain here.",
      "keychain.sbkc: there is no keychain here.",
    ] {
      let changed = recording.replacing(
        "\(home)/keychain.sbkc: there is no keychain here.", with: other)
      try program.folder.write(resealed(changed), to: "r.jsonl")
      let run = try await Self.live(program)
      #expect(run.status == .exited(1), "\(run.errorText)")
      #expect(run.errorText.contains("failure.message: expected"), "\(run.errorText)")
    }
  }

  @Test("a difference from a recording of another environment says which one it was")
  func environments() async throws {
    let program = try Self.program()
    let preview = ["--environment", "preview"]
    let recorded = try await Self.run(
      program, preview + ["--record", "r.jsonl", "-c", "api get sample/character/1"])
    try #require(recorded.status == .exited(0), "\(recorded.errorText)")
    let run = try await Self.live(program)
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(
      run.errorText.contains("help: it was recorded with --environment preview;"),
      "\(run.errorText)")
    let same = try await Self.run(program, preview + ["session", "replay", "r.jsonl", "--live"])
    #expect(same.status == .exited(0), "\(same.errorText)")
  }

  @Test("another header is a difference until it is ignored")
  func anotherHeaderIsADifferenceUntilItIsIgnored() async throws {
    let (program, service) = (try Self.program(), try Service())
    try await Self.record(program, ["api get \(service.origin)/traced"])
    let run = try await Self.live(program)
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("].value: expected \"1\", found \"2\""), "\(run.errorText)")
    let ignoring = try await Self.live(
      program, "--ignore", "api.answered.answer.headers[name=x-request-id]")
    #expect(ignoring.status == .exited(0), "\(ignoring.errorText)")
  }

  @Test("an assertion that ends as it did agrees, and one that ends otherwise is a difference")
  func assertions() async throws {
    let (program, service) = (try Self.program(), try Service())
    try await Self.record(
      program,
      [
        "api get \(service.origin)/one > /dev/null", "-assert api.answers[0].status == 404",
        "assert shell.lastStatus == 1", "assert api.answers[0].body.name == \"Rick\"",
        // No end of a command of 'session' is there in a live replay.
        "!session verify none.jsonl", "assert shell.lastStatus == 66",
        "!assert api.answers[0].body.name == \"Summer\"",
      ])
    let same = try await Self.live(program)
    #expect(same.status == .exited(0), "\(same.errorText)")
    #expect(same.errorText == "6 lines were sent, 9 steps agree\n")

    service.set(body: #"{"name":"Summer"}"#)
    let ignoring = [
      "--ignore", "api.answered.answer.text", "--ignore", "api.answered.answer.bytes",
      "--ignore", "api.answered.answer.headers",
    ]
    for options in [ignoring, ignoring + ["--this-home"]] {
      let run = try await Self.run(
        program, ["session", "replay", "r.jsonl", "--live"] + options)
      #expect(run.status == .exited(1))
      #expect(
        run.errorText.contains(
          """
          step 7: 'assert api.answers[0].body.name == "Rick"' ended with 0 when it was recorded, \
          and ends with 1 now
          """), "\(run.errorText)")
      #expect(
        run.errorText.contains(#"api.answers[0].body.name is "Summer""#), "\(run.errorText)")
    }
  }

  /// The recording began with a full cache, a replay begins with an empty one.
  @Test("what the cache had is no difference") func whatTheCacheHadIsNoDifference() async throws {
    let (program, service) = (try Self.program(), try Service())
    let before = try await Self.run(program, ["api", "get", "\(service.origin)/one"])
    try #require(before.status == .exited(0))
    try await Self.record(program, ["api get \(service.origin)/one"])
    #expect(try program.text("r.jsonl").contains(#""verdict":"REVALIDATED""#))
    for options in [[], ["--this-home"]] {
      let run = try await Self.run(
        program, ["session", "replay", "r.jsonl", "--live"] + options)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(service.requests.last?.header("If-None-Match") == nil)
    }
  }

  @Test("the home is left as it is") func theHomeIsLeftAsItIs() async throws {
    let program = try Self.program()
    try await Self.record(
      program, ["api service add rm http://127.0.0.1:9", "db put c 1 {}", "db list c"])
    let same = try await Self.live(program)
    #expect(same.status == .exited(0), "\(same.errorText)")
    let put = try await Self.run(program, ["db", "put", "c", "9", "{}"])
    #expect(put.status == .exited(0))
    #expect(try await Self.live(program).status == .exited(0))
    let listed = try await Self.run(program, ["--json", "db", "list", "c", "--limit", "5"])
    #expect(listed.outputText.contains(#""id":"9""#), "\(listed.outputText)")
    // The home of the recording has the service already.
    let here = try await Self.live(program, "--this-home")
    #expect(here.status == .exited(1), "\(here.errorText)")
    #expect(here.errorText.contains("step 2: "), "\(here.errorText)")
    #expect(here.errorText.contains("there is a service named 'rm' already"), "\(here.errorText)")
  }

  @Test(
    "a path that is none is refused",
    arguments: [
      (["--ignore", "a["], "has no ']' behind it"), (["--ignore", ""], "--ignore takes a path"),
    ])
  func aPathThatIsNoneIsRefused(options: [String], message: String) async throws {
    let program = try Self.program()
    let run = try await Self.run(program, ["session", "replay", "r.jsonl", "--live"] + options)
    #expect(run.status == .exited(64))
    #expect(run.errorText.contains(message), "\(run.errorText)")
  }

  @Test(
    "what belongs to a live replay goes with no other",
    arguments: [["--ignore", "a"], ["--this-home"]])
  func whatBelongsToALiveReplayGoesWithNoOther(options: [String]) async throws {
    let program = try Self.program()
    let run = try await Self.run(program, ["session", "replay", "r.jsonl"] + options)
    #expect(run.status == .exited(64))
    #expect(run.errorText.contains("goes with --live"), "\(run.errorText)")
  }

  @Test("a diff shows long values around their difference")
  func aDiffShowsLongValuesAroundTheirDifference() async throws {
    let program = try Self.program()
    let long = String(repeating: "x", count: 400)
    try await Self.record(program, ["set a \(long)1\(long)", "set a \(long)2\(long)"])
    let run = try await Self.run(
      program, ["session", "diff", "1", "2", "--path", "shell.variables", "--file", "r.jsonl"])
    #expect(run.status == .exited(1))
    #expect(run.outputText.contains("x1x") && run.outputText.contains("x2x"), "\(run.outputText)")
    #expect(run.outputText.contains("... (803 bytes)"), "\(run.outputText)")
  }

  @Test("an action of a command that was running when the recording began is said to be one")
  func anEarlierCommand() async throws {
    let held = try HeldServer()
    let program = try Self.program()
    let lines = [
      "api get \(held.server.origin)/held > /dev/null &",
      "session record r.jsonl",
      "echo a", "wait", "session stop",
    ]
    try program.folder.write(lines.joined(separator: "\n"), to: "x.sb")
    let child = try program.start("--home", "h", "-q", "-f", "x.sb")
    // The recording has begun.
    #expect(await child.waitForOutput("a\n"))
    held.open()
    let recorded = await child.wait()
    #expect(recorded.status == .exited(0), "\(recorded.errorText)")
    let run = try await Self.run(program, ["session", "replay", "r.jsonl", "--live"])
    #expect(run.status == .exited(1))
    #expect(
      run.errorText.contains("its command was running when the recording began"),
      "\(run.errorText)")
  }

  @Test("the end of a command that a fork ended is said to be that, for its line is in the fork")
  func aCommandThatAForkEnded() async throws {
    let server = try TestHTTPServer()
    let program = try Self.program()
    let lines = [
      "api get \(server.origin)/faults/hang > /dev/null &",
      "session fork 1 f.jsonl",
      "echo a",
    ]
    try program.folder.write(lines.joined(separator: "\n"), to: "x.sb")
    let recorded = try await Self.run(
      program, ["--home", "h", "--record", "r.jsonl", "-q", "-f", "x.sb"])
    #expect(recorded.status == .exited(0), "\(recorded.errorText)")
    let run = try await Self.run(program, ["session", "replay", "f.jsonl", "--live"])
    #expect(run.status == .exited(1))
    #expect(
      run.errorText.contains(
        "help: the recording is a fork, which ended the running command, and no line of it does that"
      ),
      "\(run.errorText)")
    #expect(!run.errorText.contains("was running when the recording began"), "\(run.errorText)")
  }
}
