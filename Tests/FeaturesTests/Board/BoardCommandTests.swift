import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardFeatures
import SwiftBoardJSON
import Testing

@Suite("The board's commands")
struct BoardCommandTests {
  static let examples = Commands.all.flatMap { spec in
    spec.examples.map { (spec.path, $0) }
  }

  @Test("every command has a summary, an example, and a help page with both")
  func documented() throws {
    for spec in Commands.all {
      #expect(!spec.summary.isEmpty && !spec.examples.isEmpty, "\(spec.path)")
      // An example of two rows has a `\` between them.
      let help = Self.joined(try Commands.help(spec.path).replacing(" \\\n", with: "\n"))
      #expect(help.contains(spec.summary), "\(spec.path)")
      // The word that other commands begin with shows the list of them.
      guard BoardFeatures.all.commands.words(after: spec.path).isEmpty else { continue }
      for example in spec.examples { #expect(help.contains(example), "\(spec.path)") }
    }
  }

  @Test("the help of an option says whether each of its values counts")
  func repeatedOptions() {
    for spec in Commands.all {
      for option in spec.options {
        let saysSo = option.help.hasSuffix("; may be given more than once")
        #expect(saysSo == option.isRepeatable, "\(spec.path) --\(option.name)")
      }
    }
  }

  /// The text on one line, as it was before it was wrapped.
  private static func joined(_ text: String) -> String {
    text.split { $0.isWhitespace }.joined(separator: " ")
  }

  @Test(
    "help fits narrow terminals, except for long words of examples", arguments: [20, 24, 40, 80])
  func narrow(width: Int) throws {
    let commands = BoardFeatures.all.commands
    var texts = [commands.overview(width: width), try commands.help(for: [], width: width)]
    for spec in commands.specs {
      for count in 1...spec.path.count {
        texts.append(try commands.help(for: Array(spec.path.prefix(count)), width: width))
      }
    }
    let long = Set(
      commands.specs.flatMap(\.examples).flatMap(HelpText.words(of:)).filter {
        $0.count > width - 8
      })
    for line in texts.joined().split(separator: "\n") {
      #expect(line.count <= width || long.contains { line.contains($0) }, "\(line)")
    }
  }

  @Test("the manual page has every command, option and exit code, and escapes its text")
  func manual() {
    let page = ManualPage(BoardFeatures.all)
    for spec in Commands.all {
      let name = spec.path.joined(separator: " ").replacing("-", with: "\\-")
      #expect(page.text.contains("\n\(name)"), "\(name)")
    }
    #expect(page.text.contains("\\-\\-no\\-input"))
    #expect(page.text.contains("\n130, 143, 141\n"))
    for command in ["assert", "verify", "replay", "diff", "bisect", "doctor"] {
      let meaning = page.text.split(separator: "\n").first { $0.hasPrefix("The answer is no: ") }
      #expect(meaning?.contains(command) == true, "\(command)")
    }
    for line in page.text.split(separator: "\n") where line.hasPrefix(".") {
      let known = [".TH", ".SH", ".TP", ".B", ".IP", ".EX", ".EE", ".br"]
      #expect(known.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
    }
  }

  @Test("every example of every command parses, as that command", arguments: examples)
  func exampleParses(path: [String], line: String) throws {
    let match = try Commands.parse(words(line))
    #expect(match.path == path)
    let action = match.command.action(context(line, "x"))
    #expect(action.started?.job == 1)
    let bytes = try CanonicalEncoder.encode(action)
    #expect(
      try CanonicalDecoder.decode(
        BoardAction.self, from: bytes, userInfo: BoardFeatures.all.userInfo) == action)
  }

  @Test("the commands' words are told apart: none stands twice")
  func distinct() {
    let paths = Commands.all.map(\.path)
    #expect(Set(paths).count == paths.count)
    #expect(Set(BoardFeatures.all.names).count == BoardFeatures.all.names.count)
  }

  @Test(
    "a name may be repeated in forms, and in queries",
    arguments: [
      "api post rm/x a=1 a=2 --form", "api post rm/x a=1 a=2 --multipart",
      "api post rm/x a=1 a=2 f@x.txt", "api get rm/x a==1 a==2",
      "api post rm/x a=1 a=2 'Content-Type:application/x-www-form-urlencoded'",
    ])
  func repeatedNames(line: String) throws { _ = try Commands.parse(words(line)) }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var line: String
    var column: Int?
    var length: Int?
    var message: String
    var help: String?
    var kind = UsageError.Kind.usage
    var testDescription: String { line }
  }

  static let wrong = [
    Wrong(
      line: "appi get rm", column: 1, length: 4, message: "unknown command 'appi'",
      help: "did you mean 'api'?"),
    Wrong(
      line: "keychain lst", column: 10, length: 3, message: "unknown keychain command 'lst'",
      help: "did you mean 'list'?"),
    Wrong(
      line: "api gett", column: 5, length: 4,
      message: "'gett' is not a method, sub-command, SERVICE/PATH or address",
      help: "did you mean 'api get'?"),
    Wrong(
      line: "api statz", column: 5, length: 5,
      message: "'statz' is not a method, sub-command, SERVICE/PATH or address",
      help: "did you mean 'api stats'?"),
    Wrong(
      line: "api get rm/x --cahce noCache", column: 14, length: 7,
      message: "unknown option '--cahce'", help: "did you mean '--cache'?"),
    Wrong(
      line: "api get rm/x -k", column: 14, length: 2, message: "unknown option '-k'",
      help: "'help api get' lists them"),
    Wrong(
      line: "api get rm/x --cache never", column: 22, length: 5,
      message: "--cache is one of localFirst, remoteFirst, noCache, not 'never'", help: nil),
    Wrong(
      line: "api get rm/x --retry 200", column: 22, length: 3,
      message: "--retry takes 0 to 100, not 200", help: nil),
    Wrong(
      line: "api get rm/x --select a..b", column: 23, length: 4, message: "'a..b' is not a path: ",
      help: "a path is like results[0].name"),
    Wrong(
      line: "api post rm/x a=1 b=2 a=3", column: 23, length: 3,
      message: "'a=1' and 'a=3' are the same member of the JSON body",
      help: "several values: a:='[1, 2]'; a form, which may repeat a name: --form"),
    Wrong(
      line: "api post rm/x a=1 a:=2", column: 19, length: 4,
      message: "'a=1' and 'a:=2' are the same member of the JSON body",
      help: "several values: a:='[1, 2]'; a form, which may repeat a name: --form"),
    Wrong(
      line: "api post rm/x Content-Length:5 a=1", column: 15, length: 16,
      message: "the header Content-Length follows from the body, and cannot be set",
      help: "leave it out: a body of known length is sent with its length, any other in chunks"),
    Wrong(
      line: "api run first 'transfer-encoding;'", column: 15, length: 20,
      message: "the header transfer-encoding follows from the body, and cannot be set",
      help: "leave it out: a body of known length is sent with its length, any other in chunks"),
    Wrong(
      line: "db get characters", column: 8, length: 10, message: "ID is missing",
      help: "usage: db get COLLECTION ID"),
    Wrong(
      line: "db get a 1 2", column: 12, length: 1, message: "unexpected argument '2'",
      help: "usage: db get COLLECTION ID"),
    Wrong(
      line: "db put a 1 {\"x\":}", column: 12, length: 6, message: "the body is not JSON: ",
      help: "quote it, or take it from a file with @FILE", kind: .malformedData),
    Wrong(
      line: "db list a --where status", column: 19, length: 6,
      message: "--where takes PATH=VALUE, not 'status'", help: "for example --where status=Alive"),
    Wrong(
      line: "log level loud", column: 11, length: 4, message: "level is one of trace, debug",
      help: nil),
    Wrong(
      line: "keychain get radarr", column: 14, length: 6,
      message: "a secret is only shown with --reveal",
      help: "in a request, write {{secret:NAME}} instead"),
    Wrong(
      line: "echo {{secret:radarr}}", column: 6, length: 17,
      message: "'echo' would show the secret; it takes no {{secret:NAME}}",
      help: "a secret goes into a request or a service's --auth"),
    Wrong(
      line: "api get rm/x --select ''", column: 23, length: 2, message: "--select is empty",
      help: "an empty variable?"),
    Wrong(
      line: "state ''", column: 7, length: 2, message: "path is empty", help: "an empty variable?"),
    Wrong(
      line: "session record -", column: 16, length: 1,
      message: "'session record' takes the name of a file, not '-'",
      help: "'./-' is a file of that name"),
    Wrong(
      line: "session fork 1 -", column: 16, length: 1,
      message: "'session fork' takes the name of a file, not '-'",
      help: "'./-' is a file of that name"),
    Wrong(
      line: "api get rm/x Accept-Encoding", column: 14, length: 15,
      message: "'Accept-Encoding' is not an item",
      help:
        "key=text, key:=json, key==query, Header:value, 'Header;', key@file, key=@file or @bodyfile; a ';' needs quotes"
    ),
    Wrong(
      line: "exit 99999999999999999999", column: 6, length: 20,
      message: "code is too large: '99999999999999999999'", help: nil),
    Wrong(
      line: "session mark ''", column: 14, length: 2, message: "name is empty",
      help: "an empty variable?"),
    Wrong(
      line: "session record ''", column: 16, length: 2, message: "file is empty",
      help: "an empty variable?"),
    Wrong(
      line: "session fork 5 ''", column: 16, length: 2, message: "to is empty",
      help: "an empty variable?"),
    Wrong(
      line: "log export ''", column: 12, length: 2, message: "file is empty",
      help: "an empty variable?"),
    Wrong(
      line: "api get http://h/ --save ''", column: 26, length: 2, message: "--save is empty",
      help: "an empty variable?"),
    Wrong(
      line: "db put '' 1 {}", column: 8, length: 2, message: "collection is empty",
      help: "an empty variable?"),
    Wrong(
      line: "db put c '' {}", column: 10, length: 2, message: "id is empty",
      help: "an empty variable?"),
    Wrong(
      line: "db index '' a", column: 10, length: 2, message: "collection is empty",
      help: "an empty variable?"),
    Wrong(
      line: "db index c ''", column: 12, length: 2, message: "path is empty",
      help: "an empty variable?"),
    Wrong(
      line: "db preference set '' 1", column: 19, length: 2, message: "name is empty",
      help: "an empty variable?"),
    Wrong(
      line: "exit 300", column: 6, length: 3, message: "an exit code is 0 to 255, not 300",
      help: nil),
  ]

  @Test("what is wrong is said, with the word that is to blame", arguments: wrong)
  func wrongLines(_ wrong: Wrong) throws {
    let error = try #require(throws: UsageError.self) { try action(wrong.line) }
    #expect(error.message.hasPrefix(wrong.message))
    #expect(error.column == wrong.column)
    #expect(error.length == wrong.length)
    #expect(error.kind == wrong.kind)
    if let help = wrong.help { #expect(error.help == help) }
  }

  @Test(
    "an option of the program behind a command of the process is said to precede it",
    arguments: ["-k", "--keep-going"])
  func optionOfProgram(option: String) {
    let words = ["api", "get", "rm/x", option].map { Argument($0) }
    let error = #expect(throws: UsageError.self) {
      try BoardFeatures.all.commands.parse(words: words, literal: true)
    }
    #expect(error?.help == "'\(option)' is an option of the program: swiftboard \(option) ...")
  }

  @Test("links are commands of their feature, and nothing else")
  func links() throws {
    func words(_ text: String) throws -> [String]? {
      BoardFeatures.all.words(for: try BoardLink(parsing: text))
    }
    #expect(
      try words("swiftboard://api/rm/character?page=2") == [
        "api", "get", "rm/character", "page==2",
      ])
    #expect(
      try words("swiftboard://api/rm/c?a=\u{301}&\u{301}b=2") == [
        "api", "get", "rm/c", "a==\u{301}", "\u{301}b==2",
      ])
    #expect(try words("SWIFTBOARD://db/characters") == ["db", "list", "characters"])
    #expect(try words("swiftboard://db/a%20b/%c3%a9%2F%25") == ["db", "get", "a b", "é/%"])
    #expect(try words("swiftboard://db/characters/1") == ["db", "get", "characters", "1"])
    #expect(try words("swiftboard://keychain") == ["keychain", "list"])
    #expect(try words("swiftboard://log/tail") == ["log", "tail"])
    #expect(try words("swiftboard://session/status") == ["session", "status"])
    #expect(try words("swiftboard://db?a=b") == nil)
    #expect(try words("swiftboard://api?a=b") == nil)
    #expect(try words("swiftboard://keychain/radarr") == nil)
    #expect(try words("swiftboard://nobody/x") == nil)
    #expect(throws: UsageError.self) { try BoardLink(parsing: "http://api/x") }
    #expect(throws: UsageError.self) { try BoardLink(parsing: "swiftboard://") }
    for feature in BoardFeatures.all.names {
      for path in [[], ["a"], ["a", "b"]] {
        let link = try BoardLink(
          parsing: "swiftboard://" + ([feature] + path).joined(separator: "/"))
        guard let words = BoardFeatures.all.words(for: link) else { continue }
        // What a link stands for is a command that there is, and one that changes nothing of value.
        let match = try Commands.parse(words.map { Argument($0) })
        #expect(["get", "list", "tail", "status", "stats", "help"].contains(match.path.last))
      }
    }
  }
}
