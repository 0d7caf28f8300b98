import SwiftBoardCommandLine
import SwiftBoardFeatures
import Testing

@testable import SwiftBoardBoard

struct ProgramOptionsTests {
  private func parse(_ arguments: [String], _ environment: [String: String] = [:])
    throws(UsageError) -> ProgramOptions
  {
    try ProgramOptions.parse(arguments: arguments, environment: environment)
  }

  @Test(
    "modes",
    arguments: [
      ([], ProgramOptions.Mode.standardInput),
      (["-q"], .standardInput),
      (["--"], .standardInput),
      (["--help"], .help),
      (["-qh", "x"], .help),
      (["--nonsense", "--help"], .help),
      (["-V"], .version),
      (["--version", "x"], .version),
      (["api", "get", "x", "--json", "-h"], .oneShot(["api", "get", "x", "--json", "-h"])),
      (["-q", "--", "-api", "--"], .oneShot(["-api", "--"])),
      (["-"], .oneShot(["-"])),
      (["-c", "a", "--command=b", "-cc"], .lines(["a", "b", "c"])),
      (["-c", "--help"], .lines(["--help"])),
      (["-f", "x.sb"], .script(path: "x.sb", arguments: [])),
      (["-kf", "-", "-q", "--help"], .script(path: "-", arguments: ["-q", "--help"])),
      (["--file=x.sb", "a"], .script(path: "x.sb", arguments: ["a"])),
    ])
  func modes(arguments: [String], expected: ProgramOptions.Mode) throws {
    #expect(try parse(arguments).mode == expected)
  }

  @Test("every option has its place")
  func options() throws {
    let all = try parse([
      "-qvv", "-ojson", "--color=never", "--ascii", "--no-pager", "--no-input", "--no-history",
      "--no-init", "--completion-timeout", "3s",
      "--home", "h", "--config", "c", "--environment", "mock", "--offline", "--timeout", "2s", "-k",
      "--no-check-status", "-x", "--record", "r", "--seed", "18446744073709551615",
    ])
    var expected = ProgramOptions()
    expected.isQuiet = true
    expected.isVerbose = true
    expected.output = .json
    expected.color = .never
    expected.ascii = true
    expected.usesPager = false
    expected.allowsInput = false
    expected.keepsHistory = false
    expected.runsInitFile = false
    expected.home = "h"
    expected.givenHome = "h"
    expected.config = "c"
    expected.environmentName = "mock"
    expected.environment = .mock
    expected.isOffline = true
    expected.timeout = .seconds(2)
    expected.completionTimeout = .seconds(3)
    expected.keepGoing = true
    expected.checkStatus = false
    expected.echo = true
    expected.record = "r"
    expected.seed = .max
    #expect(all == expected)
    #expect(try parse([]) == ProgramOptions())
    #expect(try parse(["--json"]).output == .json)
    #expect(try parse(["--json", "--plain"]).output == .plain)
    #expect(try parse(["--no-check-status", "--check-status"]).checkStatus == true)
  }

  struct Wrong: Sendable {
    var arguments: [String]
    var column: Int
    var message: String
    var help: String?

    init(_ arguments: [String], _ column: Int, _ message: String, _ help: String? = nil) {
      self.arguments = arguments
      self.column = column
      self.message = message
      self.help = help
    }
  }

  @Test(
    "errors",
    arguments: [
      Wrong(["--jsno"], 1, "unknown option '--jsno'", "did you mean '--json'?"),
      Wrong(["-q", "-z"], 4, "unknown option '-z'"),
      Wrong(["-json"], 1, "unknown option '-json'", "did you mean '--json'?"),
      Wrong(["--home"], 1, "missing value for --home"),
      Wrong(["--record", ""], 10, "--record is empty", "an empty variable? name a new file"),
      Wrong(
        ["--record", "-"], 10, "--record takes the name of a file, not '-'",
        "'./-' is a file of that name"),
      Wrong(["-o", "xml"], 4, "--output is one of table, json, plain, csv, not 'xml'"),
      Wrong(
        ["--timeout", "5"], 11, "--timeout is a duration, not '5'", "add a unit, for example 5s"),
      Wrong(["--seed=-1"], 1, "--seed is a whole number from 0 to 18446744073709551615, not '-1'"),
      Wrong(["--ascii=1"], 1, "--ascii takes no value"),
      Wrong(["--no-check-status=1"], 1, "--no-check-status takes no value"),
      Wrong(["--no-nonsense=1"], 1, "unknown option '--no-nonsense'"),
      Wrong(
        ["-c", "a", "b"], 6, "-c and a command exclude each other",
        "put the command into a -c of its own"),
      Wrong(["-c", "a", "-f", "b"], 9, "-c and -f exclude each other"),
      Wrong(["--no-home"], 1, "unknown option '--no-home'"),
    ])
  func errors(wrong: Wrong) {
    let error = #expect(throws: UsageError.self) { try parse(wrong.arguments) }
    #expect(error?.message == wrong.message)
    #expect(error?.column == wrong.column)
    if let help = wrong.help { #expect(error?.help == help) }
    #expect(error?.kind == .usage)
  }

  @Test("variables are defaults, flags win")
  func variables() throws {
    let environment = [
      "SWIFTBOARD_OUTPUT": "csv", "SWIFTBOARD_KEEP_GOING": "1", "SWIFTBOARD_TIMEOUT": "3s",
      "SWIFTBOARD_CHECK_STATUS": "off", "SWIFTBOARD_HOME": "/h", "SWIFTBOARD_VERBOSE": "on",
      "SWIFTBOARD_NO_PAGER": "yes", "SWIFTBOARD_ASCII": "", "SWIFTBOARD_HELP": "1",
      "SWIFTBOARD_JSON": "1",
      "SWIFTBOARD_UNKNOWN": "x",
    ]
    let plain = try parse([], environment)
    #expect(plain.output == .csv)
    #expect(plain.keepGoing == true)
    #expect(plain.timeout == .seconds(3))
    #expect(plain.checkStatus == false)
    #expect(plain.home == "/h")
    #expect(plain.isVerbose)
    #expect(plain.usesPager == false)
    #expect(plain.ascii == nil)
    #expect(plain.mode == .standardInput)
    let flags = try parse(["-o", "plain", "--check-status"], environment)
    #expect(flags.output == .plain)
    #expect(flags.checkStatus == true)
  }

  @Test("a wrong variable is a configuration error that names it")
  func wrongVariable() {
    for (name, value) in [
      ("OUTPUT", "xml"), ("OFFLINE", "maybe"), ("TIMEOUT", "5"), ("TIMEOUT", "0s"), ("SEED", "x"),
    ] {
      let error = #expect(throws: UsageError.self) { try parse([], ["SWIFTBOARD_\(name)": value]) }
      #expect(error?.kind == .configuration)
      #expect(error?.column == nil)
      #expect(error?.message.hasPrefix("SWIFTBOARD_\(name) ") == true, "\(error?.message ?? "")")
    }
    #expect(throws: Never.self) { try parse(["--help"], ["SWIFTBOARD_OUTPUT": "xml"]) }
  }

  @Test("a message names the variable that gives a value, unless an option gives another one")
  func source() throws {
    let variables = ["SWIFTBOARD_CONFIG": "/none", "SWIFTBOARD_RECORD": "r"]
    for (arguments, source) in [([], "SWIFTBOARD_CONFIG"), (["--config", "/nil"], "--config")] {
      let options = try parse(arguments, variables)
      let error = #expect(throws: UsageError.self) {
        try ConfigurationFile.read(for: options, variables, BoardFeatures.all)
      }
      #expect(error?.help == "\(source) takes a file that exists")
    }
    #expect(ProgramOption.source(of: "record", "r", in: variables) == "SWIFTBOARD_RECORD")
    #expect(ProgramOption.source(of: "record", "s", in: variables) == "--record")
  }

  @Test("a folder without a name, as of an empty variable, is refused")
  func emptyHome() {
    #expect(throws: UsageError.self) { try parse(["--home", "", "db", "path"]) }
  }

  @Test("what follows a command goes over what was before")
  func following() throws {
    let table = CommandTable<Void>(
      [CommandSpec(["db"], "db", options: [OptionSpec("timeout", value: "D", "own")]) { _ in }],
      globals: ProgramOptions.globals)
    let words = ["db", "--json", "--timeout", "own", "--no-check-status", "-q"].map { Argument($0) }
    let match = try table.parse(words: words, literal: true)
    let options = try parse(["-o", "csv", "-v"]).applying(match.globals)
    #expect(options.output == .json)
    #expect(options.timeout == nil)
    #expect(options.checkStatus == false)
    #expect(options.isVerbose && options.isQuiet)
    let others = ["home", "offline", "no-input", "verbose", "keep-going", "record"]
    #expect(!ProgramOptions.globals.contains { others.contains($0.name) })
    // The last of two counts.
    let last = try table.parse(words: ["db", "--json", "-o", "csv"].map { Argument($0) })
    #expect(try ProgramOptions().applying(last.globals).output == .csv)
  }

  @Test(
    "a line that is refused asks for JSON by its options, not by words in quotes",
    arguments: [
      ("api post u --json a=1", true), ("api post u '--json' a=1", false),
      (#"api post u "--json" a=1"#, false), ("watch 1s api post u '--json' a=1", false),
      ("watch 1s api post u --json a=1", true), ("api post u 'a --json b'", false),
      ("api get u -o json", true), ("api get u -o 'json'", true), ("api get u '-o' json", false),
      ("api get u -- --json", false), ("api get u '--' --json", true),
      ("api get u --json 'open", true), ("api get u '--json' 'open", false),
      ("api get u; nothing --json", true),
    ])
  func askForJSON(text: String, expected: Bool) {
    let line = ScriptLine(
      text: text, location: LineLocation(nil, line: 1), parsed: LineParser.parse(text))
    #expect(ProgramOptions.askForJSON(in: line) == expected)
    guard case .commands(let list) = line.parsed, let last = list.commands.last else { return }
    #expect(ProgramOptions.askForJSON(last.words) == expected)
  }

  @Test("the program's help names every option")
  func program() {
    let text = ProgramHelp(BoardFeatures.all).text()
    for option in ProgramOption.all {
      #expect(text.contains("--\(option.spec.synopsis.dropFirst(2))"))
    }
    #expect(text.contains("-c, --command LINE"))
    #expect(
      text.contains(
        """
        Behind a command too: -q -o --json --plain --color --ascii --no-pager --timeout
        --[no-]check-status.
        """), "\(text)")
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(
    "no line of the program's help is wider than asked, none ends in a blank",
    arguments: [40, 60, 80, 120])
  func helpWidth(width: Int) {
    for line in ProgramHelp(BoardFeatures.all).text(width: width).split(separator: "\n") {
      #expect(line.count <= width, "\(line)")
      #expect(line.last != " ")
    }
  }
}
