import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("What the board prints")
struct RendererTests {
  let services = [
    APIService(name: "rm", baseURL: "http://rm.test/api"),
    APIService(name: "radarr", baseURL: "http://nas:7878"),
  ]

  /// What one step prints that ends a command which began before.
  func outputs(
    _ end: BoardAction, line: String = "x y", settings: BoardSettings = BoardSettings(),
    isReplay: Bool = false, change: (inout CommandContext) -> Void = { _ in }
  ) -> [BoardOutput] {
    var context = context(line, "x.y", job: 4)
    change(&context)
    var renderer = BoardRenderer(BoardFeatures.all, isReplay: isReplay)
    var state = BoardState(settings: settings)
    state.shell.running = [context]
    _ = renderer.outputs(
      of: .api(.run(context: context, command: .serviceList)), in: state, at: 1_000_000)
    let outcome = BoardFeatures.all.outcome(of: end, in: state)
    state.shell.finished = FinishedJob(
      context: context, status: outcome?.status ?? -1, outcome: outcome)
    return renderer.outputs(of: end, in: state, at: 1_250_999)
  }

  func text(_ end: BoardAction, _ format: OutputFormat, width: Int? = nil) -> String {
    outputs(end, settings: .output(format, width: width)).map(\.text).joined()
  }

  @Test(
    "the end of a background command says if its line should have failed",
    arguments: [
      (nil, "done"), (.mayFail, "done"), (.mustFail, "succeeded, and should have failed"),
    ] as [(LinePrefix?, String)])
  func backgroundEnd(prefix: LinePrefix?, end: String) {
    var settings = BoardSettings()
    settings.isTerminal = true
    let printed = outputs(.shell(.watched(job: 4, status: 0)), settings: settings) {
      ($0.isBackground, $0.prefix) = (true, prefix)
    }
    #expect(printed.map(\.text) == ["[4] \(end): x y\n"])
  }

  @Test("a kept request of an earlier recording is shown as a table of its words")
  func earlierSavedRequest() {
    var request = APIRequestSpec(method: "GET", isExplicit: true, target: "s/a")
    request.items = [APIItem(kind: .text, name: "k=x", value: "1")]
    request.isPretty = false
    let end = BoardAction.api(
      .succeeded(job: 4, result: .savedRequest(name: "one", request: request)))
    #expect(
      text(end, .table) == """
        name    one
        method  GET
        target  s/a
        item    k=x=1
        --raw   true

        """)
  }

  @Test("a followed link of an earlier recording has a value of its own")
  func earlierLink() throws {
    let context = context("open x", "open", job: 4)
    let link = Data(#"{"open":{"link":"x"}}"#.utf8)
    let command = try JSONDecoder().decode(ShellCommand.self, from: link)
    let end = BoardAction.shell(.run(context: context, command: command))
    #expect(text(end, .json).contains(#""ok":true,"command":"x.y","value":null"#))
  }

  @Test("a table, for people, programs and spreadsheets")
  func table() {
    let end = BoardAction.api(.succeeded(job: 4, result: .services(services: services)))
    #expect(
      text(end, .table) == """
        name    url                 auth
        ------  ------------------  ----
        rm      http://rm.test/api
        radarr  http://nas:7878

        """)
    #expect(text(end, .plain) == "rm\thttp://rm.test/api\t\nradarr\thttp://nas:7878\t\n")
    #expect(
      text(end, .csv) == "name,url,auth\r\nrm,http://rm.test/api,\r\nradarr,http://nas:7878,\r\n")
    #expect(
      text(end, .json)
        == #"{"line":4,"ok":true,"command":"x.y","value":[{"name":"rm","url":"http://rm.test/api","auth":null},"#
        + #"{"name":"radarr","url":"http://nas:7878","auth":null}],"ms":250}"# + "\n")
    #expect(
      text(end, .table, width: 20) == """
        name    url     auth
        ------  ------  ----
        rm      htt...
        radarr  htt...

        """)
  }

  @Test("a document, for people, programs and spreadsheets")
  func document() {
    let end = BoardAction.db(
      .succeeded(
        job: 4,
        result: .document(
          document: Document(collection: "a", id: "1", body: #"{"a":[1]}"#, updated: 0))))
    #expect(text(end, .table) == "{\n  \"a\": [\n    1\n  ]\n}\n")
    #expect(text(end, .plain) == "{\"a\":[1]}\n")
    #expect(
      text(end, .json) == #"{"line":4,"ok":true,"command":"x.y","value":{"a":[1]},"ms":250}"# + "\n"
    )
  }

  @Test("a failure: place, line, caret, help; as JSON where that is asked for")
  func failure() {
    let end = BoardAction.shell(
      .reject(
        context: context("x y", "x.y", job: 4),
        failure: Failure(
          code: 64, error: "usage", message: "no 'y'", help: "did you mean 'z'?", column: 3,
          length: 1)))
    #expect(
      text(end, .table) == """
        test.sb:4:3: error: no 'y'
          x y
            ^
        help: did you mean 'z'?

        """)
    let outputs = outputs(end, settings: .output(.json))
    #expect(outputs.map(\.stream) == [.standardError])
    #expect(
      outputs.map(\.text) == [
        #"{"line":4,"ok":false,"code":64,"error":"usage","message":"no 'y'","hint":"did you mean 'z'?"}"#
          + "\n"
      ])
  }

  @Test("under --json a failing status is one line on standard error, with the answer")
  func failingStatus() throws {
    let world = World()
    world.api.answer { _ in .json(#"{"reason":"taken"}"#, status: 409) }
    let printed = try run("api post http://h/x a=1", in: world, settings: .output(.json))
    #expect(printed.status == 4)
    #expect(printed.output == "")
    let line = try #require(
      printed.errors.split(separator: "\n").map(String.init).first { $0.hasPrefix("{") })
    let json = try JSON(parsing: line)
    #expect(json.value(at: try JSONPath(parsing: "value.body.reason")) == "taken")
    #expect(json.value(at: try JSONPath(parsing: "value.status")) == 409)
    #expect(json.value(at: try JSONPath(parsing: "error")) == "httpStatus")
  }

  @Test("notes go to standard error, and --quiet leaves them out, and no error")
  func quiet() {
    var settings = BoardSettings()
    let end = BoardAction.api(.succeeded(job: 4, result: .removed(name: "rm")))
    #expect(
      outputs(end, settings: settings) == [
        BoardOutput(stream: .standardError, content: "removed rm\n", job: 4)
      ])
    settings.isQuiet = true
    #expect(outputs(end, settings: settings) == [])
    let failed = BoardAction.api(
      .failed(job: 4, failure: Failure(code: 69, error: "refused", message: "nobody listens")))
    #expect(outputs(failed, settings: settings).map(\.stream) == [.standardError])
  }

  @Test("prefixes: the time it took, and a line that should have failed")
  func prefixes() {
    let end = BoardAction.api(.succeeded(job: 4, result: .removed(name: "rm")))
    #expect(
      outputs(end, change: { $0.prefix = .time }).map(\.text) == ["removed rm\n", "time: 250 ms\n"])
    #expect(outputs(end, change: { $0.prefix = .mustFail }).map(\.text) == ["removed rm\n"])
  }

  @Test("a redirect takes standard output alone, and all of its width")
  func redirect() {
    let redirect = CommandContext.Redirect(file: "out.txt", appends: true)
    let end = BoardAction.api(.succeeded(job: 4, result: .services(services: services)))
    let outputs = outputs(
      end, settings: .output(.table, width: 20), change: { $0.redirect = redirect })
    #expect(outputs.map(\.redirect) == [redirect])
    #expect(outputs.first?.text.contains("http://rm.test/api") == true)
    #expect(outputs.first?.text.allSatisfy(\.isASCII) == true)
    let failed = BoardAction.api(
      .failed(job: 4, failure: Failure(code: 1, error: "x", message: "y")))
    #expect(self.outputs(failed, change: { $0.redirect = redirect }).map(\.redirect) == [nil])
  }

  @Test(
    "a revealed secret is printed by no step; a replay prints its mark",
    arguments: [
      OutputFormat.table, .json,
    ])
  func revealed(format: OutputFormat) {
    let end = BoardAction.keychain(.succeeded(job: 4, result: .revealed(name: "radarr")))
    #expect(outputs(end, settings: .output(format)) == [])
    let replayed = outputs(end, settings: .output(format), isReplay: true)
    #expect(replayed.map(\.stream) == [.standardOutput])
    #expect(replayed.first?.text.contains("«secret:radarr»") == true)
  }

  @Test("a file has the marks of secrets in ASCII, at a terminal too")
  func redirectedMarks() {
    let end = BoardAction.keychain(.succeeded(job: 4, result: .revealed(name: "radarr")))
    var settings = BoardSettings()
    (settings.isTerminal, settings.isASCII) = (true, false)
    func text(_ redirect: CommandContext.Redirect?) -> String? {
      outputs(end, settings: settings, isReplay: true) { $0.redirect = redirect }.first?.text
    }
    #expect(text(nil)?.contains("«secret:radarr»") == true)
    #expect(text(.init(file: "a.txt", appends: false))?.contains("[secret:radarr]") == true)
    // As in recordings from before there was this rule.
    settings.isTerminal = nil
    #expect(text(.init(file: "a.txt", appends: false))?.contains("«secret:radarr»") == true)
  }

  @Test("a line's own format wins over the program's")
  func ownFormat() {
    let end = BoardAction.api(.succeeded(job: 4, result: .services(services: [])))
    #expect(
      outputs(end, change: { $0.output = .json }).first?.text.hasPrefix("{\"line\":4") == true)
  }

  @Test("what was bisected, verified, found or gone to fits the terminal", arguments: [20, 40, 80])
  func fitting(width: Int) {
    let long = String(repeating: "漢 ab", count: 40)
    let step = SessionStep(
      step: 3, time: 0, origin: .user(line: "set a \(long)", at: "x.sb:1"), name: "shell.run",
      action: nil, draws: [], effects: [], digest: nil)
    let diff = SessionDiff(
      from: 2, to: 3, path: nil,
      changes: [.init(path: "shell.variables.a", old: nil, new: .string(long))],
      isTruncated: false)
    let results: [SessionResult] = [
      .bisected(
        bisection: SessionBisected(
          path: "r", assertion: "a exists", step: step, diff: diff, steps: 9, evaluations: 4)),
      .verified(
        checks: [
          SessionCheck(
            path: "/a/folder/that/is/long/r.jsonl", steps: 9, code: 0, message: "9 steps agree",
            warnings: [])
        ], report: nil),
      .travelled(step: step, of: 9),
    ]
    let ends = results.map { BoardAction.session(.succeeded(job: 4, result: $0)) }
    let finding = DoctorFinding(InstallationFinding("completions", .good, "bash: /etc/a/long/path"))
    for end in ends + [.shell(.diagnosed(job: 4, findings: [finding]))] {
      let shown = outputs(end, settings: .output(.table, width: width))
        .filter { $0.stream == .standardOutput }.map(\.text).joined()
      let rows = shown.split(separator: "\n")
      #expect(rows.allSatisfy { DisplayWidth.of($0) <= width }, "\(shown)")
      let piped = outputs(end).filter { $0.stream == .standardOutput }.map(\.text).joined()
      // Nothing is left out.
      for word in ["nothing", "agree", "good", "path"] where piped.contains(word) {
        #expect(shown.contains(word), "\(shown)")
      }
    }
  }

  @Test("what an answer says steers no terminal")
  func steering() {
    let end = BoardAction.db(
      .succeeded(
        job: 4,
        result: .documents(documents: [
          Document(collection: "a", id: "\u{1B}[2J\n", body: "\"\u{202E}\"", updated: 0)
        ])
      ))
    for format in [OutputFormat.table, .plain] {
      let text = text(end, format)
      #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
      #expect(text.contains("\\u{1b}[2J\\n"))
    }
  }
}
