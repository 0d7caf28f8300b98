import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardRecording

/// `RecordedTests.swift` beside this file was written by the exporter, and is compiled and
/// run with all others.
struct TestExportTests {
  private static let adapter = LogTestExport.Adapter(
    reducer: "CounterReducer()", dependencies: "CounterWorld(journal)")

  private func navigator() throws -> LogNavigator<CounterReducer> {
    try LogNavigator(
      LogFile(path: Logs.path("counter-1.actions.jsonl")), replayer: Session.replayer())
  }

  private static let exported =
    TestFolder.path + "/Analysis/RecordedTests.swift"

  @Test("the file that is compiled here is what is written")
  func theFileThatIsCompiledHereIsWhatIsWritten() throws {
    let text = try LogTestExport(Self.adapter).text(of: try navigator())
    #expect(String(decoding: try contents(of: Self.exported), as: UTF8.self) == text)
  }

  @Test("a run says each thing that is not as recorded") func aRunSaysEachThingThatIsNotAsRecorded()
    throws
  {
    let journal = DrawJournal()
    var run = try RecordedRun(
      reducer: CounterReducer(), dependencies: CounterWorld(journal), journal: journal,
      state: #"{"count":1,"rolls":[]}"#)
    let add = #"{"add":{"_0":2}}"#
    #expect(try run.step(add, changes: ["count": "3"], state: #"{"rolls":[],"count":3}"#) == [])
    #expect(try run.step(add, changes: ["count": "4"]) == ["state: count is 5, expected 4"])
    #expect(try run.step(add, changes: [:]) == ["state: count changed to 7, expected no change"])
    #expect(
      try run.step(add, changes: ["count": "9", "since": nil]) == [
        "state: since did not change, expected nothing"
      ])
    #expect(try run.step(add, state: #"{"count":0,"rolls":[]}"#) == ["state: count: 0 -> 11"])
    #expect(
      try run.step(add, draws: [.random(1)]) == [
        "draws: 0 of the 1 logged values were drawn"
      ])
    #expect(
      try run.step(add, effects: ["task a"]) == [#"effects: expected ["task a"], found []"#])
    #expect(throws: DecodingError.self) { try run.step(#"{"none":{}}"#) }
    #expect(run.state.count == 15)
  }

  @Test(
    "literals mean their text",
    arguments: [
      "plain", "a\"b", "a\\b", "a\"#b", "\\#(x)", "line\nfeed", "tab\t\u{7F}", "π \u{202E}", "",
      "\"\"\"", "#\"##\\##", "\"#\u{FE0F}\u{20E3} one",
    ])
  func literalsMeanTheirText(text: String) throws {
    let literal = LogTestExport.literal(text)
    #expect(!literal.contains("\n"))
    let marks = literal.prefix { $0 == "#" }
    var body = literal.dropFirst(marks.count + 1).dropLast(marks.count + 1)
    #expect(!body.contains("\"" + marks) || marks.isEmpty)
    if marks.isEmpty {
      // The escapes that are used.
      var meant = ""
      while let next = body.popFirst() {
        guard next == "\\" else {
          meant.append(next)
          continue
        }
        let escape = body.popFirst()
        if escape == "u" {
          let digits = body.dropFirst().prefix { $0 != "}" }
          meant.unicodeScalars.append(
            try #require(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)))
          body = body.dropFirst(digits.count + 2)
        } else if let escape {
          meant.append(escape)
        }
      }
      #expect(meant == text)
    } else {
      #expect(body == text)
      #expect(!body.contains("\\" + marks))
    }
  }

  @Test("a migrated log is written as the program has it now") func migrated() throws {
    let sink = MemorySink()
    var info = Session.info
    info.schema.version = 1
    let recorder = try Recorder<[String: Int], [String: Int]>(
      sink: sink, info: info, state: ["sum": 0], journal: nil, clock: { 0 })
    recorder.hooks.didReduce?(
      Step(number: 1, origin: .program("t"), action: ["add": 1], effects: []), ["sum": 1])
    recorder.stop()
    let journal = DrawJournal()
    let reducer = Reduce<[String: Int], [String: Int], DrawJournal> { state, action, _ in
      state["total", default: 0] += action["plus"] ?? 0
      return []
    }
    var schema = info.schema
    schema.version = 2
    let replayer = Replayer(
      reducer: reducer, dependencies: journal, journal: journal, schema: schema,
      migrations: [
        LogMigration(
          from: 1, editAction: { $0.rename("add", to: "plus") },
          editState: { $0.rename("sum", to: "total") })
      ])
    let navigator = try LogNavigator(LogFile(bytes: sink.bytes), replayer: replayer)
    let text = try LogTestExport(Self.adapter).text(of: navigator)
    #expect(text.contains(##"state: #"{"total":0}"#)"##), "\(text)")
    #expect(text.contains(##"#"{"plus":1}"#"##), "\(text)")
    #expect(text.contains(#"changes: ["total": "1"]"#), "\(text)")
  }

  @Test("a recording without steps is a test") func aRecordingWithoutStepsIsATest() throws {
    let text = try LogTestExport(Self.adapter).text(of: try navigator(), steps: 0)
    #expect(text.contains("struct RecordedTests {"))
    #expect(text.contains("_ = run"))
  }

  /// The compiler, where this build left the modules that the file needs.
  @Test("what is written type checks", .enabled(if: modules != nil && compiler != nil))
  func whatIsWrittenTypeChecks() throws {
    let modules = try #require(Self.modules)
    let compiler = try #require(Self.compiler)
    try withFolder { folder in
      let adapter = LogTestExport.Adapter(
        imports: ["@testable import SwiftBoardRecordingTests"], reducer: "CounterReducer()",
        dependencies: "CounterWorld(journal)")
      let (bytes, _) = try TravelTests.log(30)
      let navigator = try TravelTests.navigator(bytes)
      let path = folder + "/a.swift"
      try write(try LogTestExport(adapter).text(of: navigator), to: path)
      let words =
        [compiler, "-typecheck", "-swift-version", "6", "-enable-testing"]
        + Self.folders(modules) + Self.testing(compiler) + [path]
      let status = try compile(words, output: folder + "/out")
      let said = String(decoding: try contents(of: folder + "/out"), as: UTF8.self)
      #expect(status == 0, "\(said)")
      // What is wrong is found: the check can fail.
      try write("import SwiftBoardRecording\nlet x: RecordedRun<Int>", to: folder + "/c.swift")
      #expect(
        try compile(
          [compiler, "-typecheck"] + Self.folders(modules) + [folder + "/c.swift"],
          output: folder + "/out") != 0)
    }
  }

  /// Runs the compiler, which writes what it says to a file, and returns its exit code.
  private func compile(_ words: [String], output path: String) throws -> Int32 {
    let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(output) }
    return try ChildProgram(words, output: output, error: output).wait()
  }

  /// The modules of the build, and the shim that one of them imports.
  private static func folders(_ modules: String) -> [String] {
    ["-I", modules, "-I", SourceTree.root + "/Sources/CSystem"]
  }

  /// Where the test program is, the modules are.
  private static let modules: String? = {
    guard let real = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(real) }
    let program = String(cString: real)
    let folder = program.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Modules"
    return access(folder + "/SwiftBoardRecordingTests.swiftmodule", F_OK) == 0 ? folder : nil
  }()

  private static let compiler: String? = {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").map { "\($0)/swiftc" }
      .first { access($0, X_OK) == 0 }
  }()

  /// Where the compiler keeps the macros of Testing.
  private static func testing(_ compiler: String) -> [String] {
    guard let real = realpath(compiler, nil) else { return [] }
    defer { free(real) }
    let root = String(cString: real).split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    let plugins = root + "/lib/swift/host/plugins/testing"
    return access(plugins, F_OK) == 0 ? ["-plugin-path", plugins] : []
  }
}
