import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What is never altered, never shown and never passed on; each rule with its number, through a
/// board's lines.
@Suite("Redaction")
struct RedactionRuleTests {
  /// Known, and loaded by no line. The quote and the slash make JSON write it otherwise.
  static let secret = #"s3cr3t"k/&y+0123"#
  /// A world whose keychain is locked, and opens with the passphrase of its unlock source.
  let world: World
  let lines: Lines

  init() throws {
    let passphrase = KeychainSecret.passphrase(
      try GuardedBytes(copying: Array("open sesame".utf8)))
    world = World(
      MockKeychainService(
        entries: ["k": Data(Self.secret.utf8), "pin": Data("123456789".utf8)], unlocked: false,
        secret: passphrase, unlockSource: passphrase))
    var settings = BoardSettings()
    settings.isTerminal = true
    lines = Lines(world, settings: settings)
  }

  func answer(_ json: String, headers: [HTTPHeader] = []) {
    world.api.answer { _ in .json(json, headers: headers) }
  }

  /// A board whose output is ASCII and goes to a program.
  private func asciiLines() -> Lines {
    var settings = BoardSettings()
    settings.isASCII = true
    settings.isTerminal = false
    return Lines(world, settings: settings)
  }

  /// Each line must end with its code.
  func run(_ code: Int32, _ texts: String..., at location: SourceLocation = #_sourceLocation) async
  {
    for text in texts {
      #expect(
        await lines.run(text) == code, "\(text): \(lines.allPrinted)", sourceLocation: location)
    }
  }

  func document(_ id: String) async throws -> String? {
    try await world.persistence.document(collection: "d", id: id)?.body
  }

  /// The secret is in nothing that the board keeps, shows or tells.
  func expectNowhere(
    _ secret: String = secret, at location: SourceLocation = #_sourceLocation
  ) async throws {
    var sinks = [("the steps", lines.allSteps), ("the output", lines.allPrinted)]
    sinks.append(
      (
        "the state",
        String(decoding: try CanonicalEncoder.encode(lines.board.store.state), as: UTF8.self)
      ))
    for record in world.logger.records {
      sinks.append(
        ("the log", "\(record.message) \(record.fields.map { "\($0.key)=\($0.value)" })"))
    }
    for search in try await world.persistence.searches(scope: "api", containing: nil) {
      sinks.append(("recent searches", search.text))
    }
    for entry in try await world.persistence.cachedResponses() {
      sinks.append(("the cache", entry.key))
    }
    for preference in try await world.persistence.preferences() {
      sinks.append(("preferences", preference.json))
    }
    for (sink, text) in sinks {
      for form in secretForms(secret) where text.contains(form) {
        Issue.record("\(sink): \(text)", sourceLocation: location)
      }
    }
  }

  // MARK: Rule 1

  @Test("rule 1: what is stored is what was given, whatever its members are called")
  func documentsAreData() async throws {
    let text =
      #"{"token":"t","password":"p","Authorization":"Bearer x","url":"http://h/?key=a&token=b"}"#
    await run(0, "keychain list", "db put d u '\(text)'", "db get d u --json")
    #expect(try await document("u") == text)
    #expect(lines.allPrinted.contains(text))
    try await world.files.write(Data(text.utf8), to: "f.json", mode: .create)
    await run(
      0, "db put d f @f.json", "db preference set p '\(text)'",
      "log note 'password=x {\"token\":1}'")
    #expect(try await document("f") == text)
    #expect(try await world.persistence.preference("p") == text)
    #expect(world.logger.records.contains { $0.message == #"password=x {"token":1}"# })
  }

  @Test("rule 1: what a service gave is what is sent and kept")
  func answersAreData() async throws {
    answer(#"{"token":"t0ken","next":"http://h/?key=1&token=2"}"#)
    await run(
      0, "keychain list", "api post http://h/login --json",
      "api post http://h/next t={{last.body.token}}", "api get http://h/a",
      "db put d u {{last.body}}", "api get http://h/a",
      "echo {{last.body.next}}")
    #expect(world.api.requests[1].body == Data(#"{"t":"t0ken"}"#.utf8))
    #expect(lines.allPrinted.contains("http://h/?key=1&token=2\n"))
    #expect(try await document("u") == #"{"token":"t0ken","next":"http://h/?key=1&token=2"}"#)
    #expect(!lines.allPrinted.contains("redacted"))
  }

  @Test(
    "rule 1: what is put in is data: no option, no item of its own, no file",
    arguments: [
      ("@key.txt", "api post http://h/x VALUE"), ("Authorization:x", "api get http://h/x VALUE"),
      ("a=b", "api post http://h/x VALUE"), ("@key.txt", "db put d x VALUE"),
      ("--out=kept", "api get http://h/x VALUE"), ("--json", "echo VALUE"), ("-q", "echo VALUE"),
    ])
  func insertedValues(value: String, line: String) async throws {
    try await world.files.write(Data("{}".utf8), to: "key.txt", mode: .create)
    answer(#"{"v":"\#(value)"}"#)
    await run(0, "api get http://h/evil", "set v {{last.body.v}}")
    for form in ["$v", "{{last.body.v}}"] {
      await run(0, "api get http://h/evil")
      await run(
        line.hasPrefix("echo") ? 0 : line.hasPrefix("db") ? 65 : 64,
        line.replacing("VALUE", with: form))
    }
    #expect(world.api.requests.count == 3)
    #expect(try await document("x") == nil)
    #expect(world.files.files.keys.sorted() == ["key.txt"])
    if line.hasPrefix("echo") { #expect(lines.allPrinted.contains("}\n\(value)\n")) }
    // What is typed around it says what it is.
    await run(0, "api post http://h/x a=$v --timeout 5s", "echo --json $v")
    #expect(
      world.api.requests.last?.body == Data(JSON.object([.init("a", .string(value))]).text.utf8))
  }

  // MARK: Rule 2

  @Test(
    "rule 2: a stored secret that no line has loaded is masked in each form, and the line says so")
  func echoes() async throws {
    let hex = Self.secret.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let forms = [
      Self.secret, "<\(Self.secret)>", Data(Self.secret.utf8).base64EncodedString(),
      Data("user:\(Self.secret)".utf8).base64EncodedString(), hex, hex.uppercased(),
      "s3cr3t%22k%2f%26y%2B0123",
    ]
    let body = JSON.object(
      forms.enumerated().map { .init("f\($0.offset)", .string($0.element)) } + [
        .init("pin", .number("123456789")), .init("other", .number("12345678")),
      ])
    // A slash that is escaped, and one that is not.
    answer(body.text.replacing("k/", with: "k\\/"), headers: [HTTPHeader("X-Echo", Self.secret)])
    await run(
      0, "keychain unlock", "api get http://h/echo --json", "api get http://h/echo --headers")
    try await expectNowhere()
    #expect(!lines.allSteps.contains(hex) && !lines.allPrinted.contains(hex))
    let last = try #require(lines.board.store.state.shell.last?.text)
    #expect(last.contains(#""f0":"«secret:k»","f1":"<«secret:k»>""#))
    #expect(last.contains(#""pin":"«secret:pin»","other":12345678"#))
    #expect(lines.allPrinted.contains("9 values are masked: they are of the secrets 'k', 'pin'\n"))
    #expect(try await world.persistence.cachedResponses().isEmpty, "such an answer is not kept")
  }

  @Test("rule 7: nothing is said to be masked where the body is in a file as it is")
  func exactFile() async throws {
    let body = #"{"a":\#(JSON.string(Self.secret).text)}"#
    answer(body)
    await run(0, "keychain unlock", "api get http://h/echo --out f")
    #expect(try await world.files.read("f", limit: 1 << 20) == Data(body.utf8))
    #expect(!lines.allPrinted.contains("masked"), "\(lines.allPrinted)")
    answer(body, headers: [HTTPHeader("X-Echo", Self.secret)])
    await run(0, "api get http://h/echo --out g")
    #expect(lines.allPrinted.contains("1 value is masked"), "\(lines.allPrinted)")
    try await expectNowhere()
  }

  @Test("rule 2: a document that was stored before its secret was known is masked when it is read")
  func documents() async throws {
    let text = #"{"a":\#(JSON.string(Self.secret).text),"n":123456789}"#
    await run(0, "db put d u '\(text)'")
    #expect(try await document("u") == text)
    await run(0, "keychain unlock")
    await run(0, "db get d u --json", "db list d")
    #expect(
      lines.board.store.state.shell.last?.text?.contains(#"{"a":"«secret:k»","n":"«secret:pin»"}"#)
        == true)
    #expect(lines.allPrinted.contains("2 values are masked"))
    #expect(try await document("u") == text, "what is stored stays")
  }

  @Test("with -q the warnings stay, and the notes go", arguments: ["", " --json"])
  func quiet(format: String) async throws {
    await run(0, "db put d u '{\"n\":123456789}'", "keychain unlock")
    let before = lines.allPrinted
    await run(0, "db get d u -q\(format)", "db list d -q\(format)", "db put d v 1 -q\(format)")
    let printed = lines.allPrinted.dropFirst(before.count)
    let text = "1 value is masked: it is the secret 'pin'"
    let warning = format.isEmpty ? "warning: \(text)\n" : #""warning":"\#(text)"}"#
    #expect(printed.ranges(of: warning).count == 2, "\(printed)")
    #expect(!printed.contains("saved"), "\(printed)")
    await run(0, "db put d v 1")
    #expect(lines.allPrinted.hasSuffix("saved d/v\n"))
  }

  @Test(
    "rule 2: a marked text is not passed on",
    arguments: [
      "db put d m {{last.body}}", "db put d m {{last.body.a}}",
      "db preference set m {{last.body.a}}",
      "api post http://h/x a={{last.body.a}}", "api post http://h/x a:={{last.body}}",
      "api get http://h/x a=={{last.body.a}}", "api get http://h/x H:{{last.body.a}}",
      "api get http://h/{{last.body.a}}", "api service add s http://h/{{last.body.a}}",
      "set v {{last.body.a}}; api post http://h/x a=$v",
      // By hand they are the same characters.
      "db put d m '\"«secret:k»\"'", "api post http://h/x a=«redacted»",
    ])
  func marks(line: String) async throws {
    answer(#"{"a":\#(JSON.string(Self.secret).text),"b":"x"}"#)
    await run(0, "keychain unlock", "api get http://h/echo")
    let sent = world.api.requests.count
    await run(65, line)
    #expect(world.api.requests.count == sent)
    #expect(try await document("m") == nil)
    #expect(try await world.persistence.preference("m") == nil)
    #expect(try await world.persistence.services().isEmpty)
    #expect(lines.allPrinted.contains("in place of"))
    await run(0, "api get http://h/echo", #"db put d m {"b":"{{last.body.b}}"}"#)
    try await expectNowhere()
  }

  @Test(
    "rule 2: a value inside text that looks like a mark is masked like any other",
    arguments: ["«secret:VALUE»", "«secret:x VALUE y»", "[secret:VALUE]"])
  func forgedMarks(text: String) async throws {
    let value = "123456789"
    answer("{\"a\":\"\(text.replacing("VALUE", with: value))\"}")
    await run(0, "keychain unlock", "api get http://h/echo")
    #expect(lines.allPrinted.contains("1 value is masked"), "\(lines.allPrinted)")
    try await expectNowhere(value)
    try await world.files.write(
      Data(text.replacing("VALUE", with: value).utf8), to: "file", mode: .create)
    await run(65, "api post http://h/ @file", "api post http://h/ a@file", "db put d x @file")
    for line in [
      "echo TEXT", "log note TEXT", "db put d x '\"TEXT\"'", "api get http://h/ X-A:TEXT",
      "api post http://h/ a=TEXT",
    ] {
      await run(
        64, line.replacing("TEXT", with: text.replacing("VALUE", with: value)))
    }
    #expect(lines.allPrinted.contains("this is the value of the secret 'pin'"))
    try await expectNowhere(value)
  }

  @Test("rule 2: the error about a value that looks like a mark does not quote it")
  func markedValue() async throws {
    try await world.files.write(Data("«secret:hidden-value»".utf8), to: "f", mode: .create)
    await run(65, "keychain set x --from-file f")
    #expect(lines.allPrinted.contains("in place of a value"))
    try await expectNowhere("hidden-value")
  }

  @Test("rule 2: a short secret is in no address, wherever the line puts it")
  func shortSecretInAddress() async throws {
    let keychain = MockKeychainService(entries: ["p": Data("9Zq7".utf8)])
    let world = World(keychain)
    let lines = Lines(world)
    world.api.answer { _ in .json("{}", status: 404) }
    for line in [
      "api get http://h/a p=={{secret:p}} --show-request", "api get http://h/{{secret:p}}/b",
      "api get http://h/a?p={{secret:p}} --check-status",
    ] { _ = await lines.run(line) }
    #expect(world.api.requests.map(\.url).allSatisfy { $0.contains("9Zq7") })
    #expect(lines.allPrinted.contains("http://h/a?p={{secret:p}}"), "\(lines.allPrinted)")
    let log = world.logger.records.map(\.message)
    #expect(log.contains { $0.contains("http://h/«secret:p»/b") }, "\(log)")
    for text in [lines.allPrinted, lines.allSteps, log.joined(separator: "\n")] {
      #expect(!text.contains("9Zq7"), "\(text)")
    }
  }

  @Test("rule 2: the address of an answer to a request with a secret is refused as input")
  func addressAsInput() async throws {
    let world = World(MockKeychainService(entries: ["p": Data("9Zq7".utf8)]))
    let lines = Lines(world)
    world.api.answer { _ in .json("{}") }
    #expect(await lines.run("api get http://h/{{secret:p}}/b") == 0)
    for line in ["api get \"{{last}}\"", #"db put d x "{\"u\":\"{{last}}\"}""#] {
      #expect(await lines.run("state api.answers[0].url") == 0)
      #expect(lines.allPrinted.contains("http://h/«secret:p»/b"), "\(lines.allPrinted)")
      #expect(await lines.run(line) == 65, "\(lines.allPrinted)")
    }
    #expect(world.api.requests.count == 1)
  }

  @Test("rule 2: a file with a mark is not sent or stored, and a document holds no known value")
  func files() async throws {
    await run(0, "keychain unlock")
    for (name, text) in [
      ("mark", "\"«secret:k»\""), ("ascii", "\"[secret:k]\""), ("other", "\"[secret:other]\""),
      ("value", JSON.string(Self.secret).text), ("escaped", #""\u00absecret:k\u00bb""#),
      ("redacted", "\"«redacted»\""),
    ] {
      try await world.files.write(Data(text.utf8), to: name, mode: .create)
    }
    answer("{}")
    for file in ["mark", "ascii", "other", "escaped", "redacted"] {
      await run(65, "db put d x @\(file)", "api post http://h/ @\(file)")
      await run(65, "api post http://h/ a@\(file)", "api post http://h/ a=@\(file)")
      await run(65, "api post http://h/ a:=@\(file)", "keychain set x --from-file \(file)")
    }
    await run(65, "db put d value @value")
    await run(0, "api post http://h/ @value")
    #expect(world.api.requests.map(\.body) == [Data(JSON.string(Self.secret).text.utf8)])
    #expect(try await document("x") == nil)
    #expect(try await document("value") == nil)
    try await expectNowhere()
  }

  @Test("rule 2: the characters of a reference in an answer are data, and resolve to nothing")
  func references() async throws {
    answer(#"{"a":"{{secret:k}}"}"#)
    await run(
      0, "keychain unlock", "api get http://h/",
      "api post http://h/ a={{last.body.a}} b:={{last.body}}",
      "api get http://h/", "db put d r {{last.body}}", "api get http://h/", "set v {{last.body.a}}",
      "api get http://h/ H:$v --save s", "api run s")
    #expect(
      world.api.requests[1].body == Data(#"{"a":"{{secret:k}}","b":{"a":"{{secret:k}}"}}"#.utf8))
    #expect(try await document("r") == #"{"a":"{{secret:k}}"}"#)
    #expect(
      world.api.requests.suffix(2).map { $0.headers.value(of: "H") } == [
        "{{secret:k}}", "{{secret:k}}",
      ])
  }

  @Test("rule 2: what the board remembered before a secret was known is masked when it is")
  func rememberedBefore() async throws {
    await run(
      0, "set early 123456789", "set other x", "echo '{\"n\":123456789}'", "keychain unlock")
    let steps = lines.allSteps.count
    await run(0, "state shell.variables", "echo $early $other")
    #expect(!lines.allSteps.dropFirst(steps).contains("123456789"))
    #expect(lines.allPrinted.hasSuffix("[secret:pin] x\n"), "\(lines.allPrinted)")
    await run(65, "db put d e $early")
  }

  @Test("rule 2: the states of features forget what was typed before it was known to be a secret")
  func statesOfFeatures() async throws {
    await run(
      0, "db put c123456789 x 1", "db preference set p123456789 1", "db list c123456789",
      "db stats", "-characters search name==123456789", "state characters.search.filter",
      "keychain unlock")
    let printed = lines.allPrinted.count
    await run(
      0, "state db", "state characters", "state", "session state", "db stats",
      "characters recent", "state db.collections", "state characters.recent")
    await run(1, "assert db.collection == 1")
    let shown = String(lines.allPrinted.dropFirst(printed))
    #expect(!shown.contains("123456789"), "\(shown)")
    #expect(shown.contains("c[secret:pin]") && shown.contains("name==[secret:pin]"), "\(shown)")
    let state = String(
      decoding: try CanonicalEncoder.encode(lines.board.store.state), as: UTF8.self)
    #expect(!state.contains("123456789"), "\(state)")
  }

  @Test("rule 2: a mark in an answer is part of valid JSON, whatever the name of its secret")
  func marksInJSON() async throws {
    let name = #"a"b\c»d"#
    world.logger.redactor.registerSecret(Array("another-secret".utf8), name: name)
    answer(#"{"v":"<another-secret>"}"#)
    await run(0, "api get http://h/")
    await run(65, "db put d x {{last.body}}")
    await run(0, "echo {{last.body.v}}")
    #expect(lines.allPrinted.hasSuffix("\n<[secret:a%22b%5Cc%C2%BBd]>\n"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("the secret '\(name)'"), "\(lines.allPrinted)")
  }

  @Test("ASCII output writes marks in ASCII, of values and of states too")
  func marksInASCII() async throws {
    let lines = asciiLines()
    answer(#"{"v":"123456789"}"#)
    for line in [
      "keychain unlock", "api get http://h/", "echo {{last.body.v}}", "state api",
      "session state", "state api.answers --json",
    ] {
      #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    }
    #expect(lines.allPrinted.contains("}[secret:pin]\n{"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.utf8.allSatisfy { $0 < 0x80 }, "\(lines.allPrinted)")
  }

  @Test("ASCII output writes the marks in lines of running commands in ASCII")
  func marksOfJobsInASCII() async throws {
    let lines = asciiLines()
    for line in ["watch 1h echo 123456789 &", "keychain unlock", "jobs", "jobs --json"] {
      #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    }
    #expect(lines.allPrinted.contains("echo [secret:pin]"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.utf8.allSatisfy { $0 < 0x80 }, "\(lines.allPrinted)")
    #expect(await lines.run("cancel all") == 0)
  }

  @Test("rule 2: names of headers, kept requests, services and lists are masked or refused too")
  func otherAnswers() async throws {
    answer("{}", headers: [HTTPHeader("X-\(Data("123456789".utf8).base64EncodedString())", "v")])
    await run(
      0, "api get http://h/123456789 q==123456789 --save kept",
      "api service add s123456789 http://h/123456789",
      "keychain unlock")
    let (steps, printed) = (lines.allSteps.count, lines.allPrinted.count)
    await run(0, "api recent", "api service list", "api cache list", "api get http://h/ --headers")
    await run(65, "api run kept")
    for text in [lines.allSteps.dropFirst(steps), lines.allPrinted.dropFirst(printed)] {
      #expect(!text.contains("123456789") && !text.contains("MTIzNDU2Nzg5"), "\(text)")
    }
    #expect(
      lines.allPrinted.contains("the request kept as 'kept' holds the value of the secret 'pin'"))
  }

  @Test("rule 1: a body that is not text is not put into a line, an empty one is an empty text")
  func bodiesThatAreNoText() async throws {
    world.api.answer { request in
      .response(
        status: 200, headers: [],
        body: request.url.hasSuffix("empty") ? Data() : Data([0xFF, 0x41]))
    }
    await run(0, "api get http://h/raw")
    await run(65, "api post http://h/x a={{last.body}}", "set v {{last.body}}")
    await run(0, "api get http://h/empty", "api post http://h/x a={{last.body}}")
    #expect(world.api.requests.last?.body == Data(#"{"a":""}"#.utf8))
  }

  @Test(
    "rule 1: a document that names a member twice is refused, and an answer that does is its text")
  func repeatedMembers() async throws {
    answer(#"{"a":1,"a":2}"#)
    await run(65, #"db put d x {"a":1,"a":2}"#)
    await run(0, "api get http://h/", "api post http://h/x b={{last.body}}")
    #expect(
      world.api.requests.last?.body
        == Data(JSON.object([.init("b", .string(#"{"a":1,"a":2}"#))]).text.utf8))
  }

  @Test("rule 2: a value that is in lower case as a host or an encoding is masked in our own texts")
  func lowercase() async throws {
    let (value, lowercase) = ("CanaryHost-7F3A9B", "canaryhost-7f3a9b")
    let closed = try ClosedPort()
    let server = try TestHTTPServer { request in
      func redirect(_ port: String) -> TestHTTPServer.Reply {
        .response(.init(302, headers: [("Location", "//\(value).localhost:\(port)/here")]))
      }
      return switch request.path {
      case "/there": redirect(request.query("port") ?? "")
      case "/closed": redirect("\(closed.number)")
      case "/encoded": .response(.init(200, headers: [("Content-Encoding", value)], body: [0]))
      case "/here": .response(.init(json: #"{"data":"\#(lowercase)"}"#))
      default: nil
      }
    }
    world.logger.redactor.registerSecret(Array(value.utf8), name: "host")
    var dependencies = world.dependencies
    dependencies.apiClient = LiveAPIClient()
    var settings = BoardSettings()
    settings.timeout = 3_600_000
    let lines = Lines(world, settings: settings, dependencies: dependencies)
    #expect(await lines.run("api get \(server.origin)/closed --follow 1") == 69)
    #expect(await lines.run("api get \(server.origin)/encoded") == 76)
    let there = "\(server.origin)/there port==\(server.port) --follow 1 --show-request"
    #expect(await lines.run("api get \(there)") == 0)
    let texts = [
      ("steps", lines.allSteps), ("output", lines.allPrinted),
      ("log", world.logger.records.map(\.message).joined(separator: "\n")),
    ]
    for (name, text) in texts {
      let own = text.replacing("\"data\": \"\(lowercase)\"", with: "")
        .replacing(#"{\"data\":\"\#(lowercase)\"}"#, with: "")
      #expect(!own.contains(lowercase), "\(name): \(own)")
      #expect(own.contains("secret:host"), "\(name): \(own)")
    }
    #expect(lines.allPrinted.contains("\"data\": \"\(lowercase)\""), "a body is data")
  }

  @Test("rule 2: keychain set says that a short value is not recognised")
  func shortValues() async throws {
    try await world.files.write(Data("abcde".utf8), to: "short", mode: .create)
    try await world.files.write(Data("abcdef".utf8), to: "long", mode: .create)
    await run(0, "keychain set a --from-file long")
    #expect(!lines.allPrinted.contains("shorter than"))
    await run(0, "keychain set b --from-file short")
    #expect(lines.allPrinted.contains("shorter than 6 bytes"))
  }

  // MARK: Rule 3

  @Test(
    "rule 3: a known secret that is typed is refused, whatever the command, and no sink has the line",
    arguments: [
      "echo SECRET", "set x SECRET", "log note SECRET", "log redact test SECRET",
      "db put d x '\"SECRET\"'",
      "db preference set x SECRET", "api get http://h/SECRET", "api get http://h/ a==SECRET",
      "api post http://h/ password=SECRET", "api get http://h/ > SECRET", "api recent SECRET",
      "keychain set x SECRET", "keychain get SECRET --reveal", "session mark SECRET",
      "source SECRET",
      "open swiftboard://db/SECRET", "assert 'SECRET'", "SECRET", "echo a; echo SECRET",
      "echo \"SECRET", "-echo SECRET", "! SECRET", "# a comment; echo x\necho SECRET",
      "help SECRET",
      "state SECRET", "wait SECRET", "nope SECRET &",
    ])
  func typedSecrets(line: String) async throws {
    await run(0, "keychain unlock")
    for (secret, name) in [("s3cr3t\"k/&y+0123", "k"), ("123456789", "pin")] {
      let typed = line.replacing("SECRET", with: name == "k" ? #"s3cr3t\"k/&y+0123"# : secret)
      let code = await lines.run(typed)
      #expect(code == 64 || line.hasPrefix("-") || line.hasPrefix("!"), "\(typed): \(code)")
      try await expectNowhere(secret)
      #expect(lines.allSteps.contains("\"text\":\"[refused: secret \(name)]\""))
      #expect(lines.allPrinted.contains("this is the value of the secret '\(name)'"))
    }
    #expect(world.api.requests.isEmpty)
  }

  @Test(
    "rule 3: a known secret in place of a secret's name is refused like any other",
    arguments: [
      "echo {{secret:SECRET}}", "echo a{{secret:x-SECRET}}",
      "api service add q http://h --auth bearer:{{secret:SECRET}}",
      "api post http://h/ a={{secret:SECRET}} --save kept", "echo \"{{secret:SECRET}}",
      "open swiftboard://api/get?url=http://h/{{secret:SECRET}}", "db put d x {{secret:SECRET}}",
    ])
  func secretsAsNames(line: String) async throws {
    await run(0, "keychain unlock")
    world.logger.redactor.registerSecret(Array("CanaryPlain-7f3a9b".utf8), name: "plain")
    // A name that is another one's value is still a name.
    world.logger.redactor.registerSecret(Array("plain-as-day".utf8), name: "CanaryPlain-7f3a9b-1")
    await run(64, line.replacing("SECRET", with: "CanaryPlain-7f3a9b"))
    try await expectNowhere("CanaryPlain-7f3a9b")
    #expect(lines.allSteps.contains("[refused: secret plain]"), "\(lines.allSteps)")
    #expect(world.api.requests.isEmpty)
    let named = "echo {{secret:CanaryPlain-7f3a9b-1}}"
    _ = await lines.run(named)
    #expect(lines.allSteps.contains(named), "\(lines.allSteps)")
  }

  @Test(
    "rule 2: a name that a command makes known as a value is masked from its failure on",
    arguments: ["keychain remove 123456789", "keychain get 123456789 --reveal"])
  func valueAsNameOfRefused(line: String) async throws {
    #expect(await lines.run(line) != 0)
    let refused = try #require(lines.allSteps.firstRange(of: #""refused":"#), "\(lines.allSteps)")
    let steps = lines.allSteps[refused.upperBound...]
    #expect(steps.contains("«secret:pin»") && !steps.contains("123456789"), "\(steps)")
  }

  @Test(
    "rule 3: the spaces between the words of a secret do not matter",
    arguments: [
      "echo correct horse battery", "echo correct  horse   battery", "echo correct\thorse battery",
      "echo correct 'horse' battery", "set h horse; echo correct $h battery",
      "echo \"correct  horse battery", "log note x correct  horse  battery",
    ])
  func spacedSecrets(line: String) async throws {
    world.logger.redactor.registerSecret(Array("correct horse battery".utf8), name: "phrase")
    await run(64, line)
    #expect(lines.allSteps.contains("[refused: secret phrase]"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("battery"), "\(lines.allPrinted)")
  }

  @Test(
    "rule 3: a backslash that an item or a line takes away hides no secret",
    arguments: [
      (#"pass\\=word:zzqq"#, #"api post http://h/ 'k=pass\\=word\:zzqq'"#),
      (#"a\b:zzqq"#, #"api post http://h/ 'a\\b\:zzqq=1'"#),
      ("ab:cd=ef;zzqq", #"api post http://h/ 'k=ab\:cd=ef\;zzqq' --nosuch"#),
      ("ab:cd=ef;zzqq", #"api post http://h/ 'k=ab\:cd=ef\;zzqq' 'x"#),
      ("ab:cd=ef;zzqq", #"api post http://h/ "k=ab\\:cd=ef\\;zzqq" <<1E"#),
      (#"pa"ss"wo'zzqq"#, #"echo pa'"ss"'wo\'zzqq 'x"#),
      (#"pa"ss"wo'zzqq"#, #"echo 'pa"ss"wo'"'"'zzqq' "x"#),
      ("ab:cd=ef;zzqq", #"api post http://h/ k=ab'\:cd\=ef'\\\;zzqq 'x"#),
      ("ab:cd=ef;zzqq", #"echo x; # ab\:cd=ef\;zzqq"#),
      ("ab:cd=ef;zzqq", #"set v cd; api post http://h/ k=ab\:$v\=ef\;zzqq"#),
    ])
  func escapedSecrets(secret: String, line: String) async throws {
    world.logger.redactor.registerSecret(Array(secret.utf8), name: "hidden")
    await run(64, line)
    #expect(lines.allSteps.contains("[refused: secret hidden]"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("zzqq"), "\(lines.allPrinted)")
    // A part of a secret is no secret until a variable completes it.
    #expect(!lines.allSteps.contains("zzqq") || line.contains("$v"), "\(lines.allSteps)")
    #expect(world.api.requests.isEmpty)
  }

  @Test("rule 3: the words of a command and the names of its options are no typed secrets")
  func wordsOfCommands() async throws {
    await run(0, "keychain unlock")
    for word in ["keychain", "remove", "timeout", "--json"] {
      world.logger.redactor.registerSecret(Array(word.utf8), name: "word-\(word)")
    }
    await run(0, "keychain list --timeout 3s", "keychain remove k --json", "time keychain list")
    await run(0, "watch --count 1 1ms keychain status")
    await run(
      64, "echo keychain", "keychain remove keychain", "keychain list timeout", "keychain 'list",
      "set w keychain; echo $w", "echo x > keychain", "nope keychain")
    #expect(lines.allSteps.contains("[refused: secret word-keychain]"))
  }

  @Test(
    "rule 3: also where it is put together, encoded, or came before it was known",
    arguments: [
      "set a 1234; set b 56789; echo ${a}${b}", "echo 12345\"6789\"", "echo a; echo 12345'6789'",
      "echo 313233343536373839",
      "echo MTIzNDU2Nzg5",
    ])
  func composedSecrets(line: String) async throws {
    await run(0, "set early 123456789", "echo 123456789", "keychain unlock", "set x x")
    let before = lines.allSteps.count
    await run(0, "set y y")
    let steps = lines.allSteps.count
    #expect(steps > before)
    await run(64, line)
    let after = lines.allSteps.dropFirst(steps)
    #expect(!after.contains("123456789") && !after.contains("MTIzNDU2Nzg5"), "\(after)")
    #expect(after.contains("[refused: secret pin]"))
    #expect(!after.contains("6789'"), "\(after)")
  }

  @Test("rule 3: a failing line that has unlocked the keychain is not shown with its known secret")
  func secretOfTheUnlockingLine() async throws {
    await run(66, "keychain get 123456789 --reveal")
    #expect(!lines.allPrinted.contains("123456789"), "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("\n  [refused: secret pin]\n  ^~~~"), "\(lines.allPrinted)")
  }

  @Test(
    "rule 3: a value typed where an address or a header takes a secret is refused",
    arguments: [
      ("api get http://h/ Authorization:Bearer-x1y2", "Authorization"),
      ("api get http://h/ 'Cookie:a=x1y2'", "Cookie"),
      ("api get http://h/ Cookie:a=x1y2{{secret:k}}", "Cookie"),
      ("api get http://h/ \"Cookie:a={{secret:k}}; b=x1y2\"", "Cookie"),
      ("api get http://h/ X-Api-Key:x1y2{{secret:k}}", "X-Api-Key"),
      ("api get http://h/ X-Api-Key:x1y2", "X-Api-Key"),
      ("api get http://h/ 'Referer:http://x/?token=x1y2'", "Referer"),
      ("api get http://h/ 'X-A:http://u:x1y2@x/'", "X-A"),
      ("api get http://h/ \"Referer:http://x/?token=x1y2&id={{secret:k}}\"", "Referer"),
      ("set v 1; api get http://h/ \"Referer:http://x/?token=x1y2&id=$v\"", "Referer"),
      ("api get http://h/ 'token==@x1y2'", "token"),
      ("api get http://h/ Authorization:@x1y2", "Authorization"),
      ("api get http://h/ X-Api-Key:@x1y2", "X-Api-Key"),
      ("api get http://h/ 'X-A:@http://x/?token=x1y2'", "X-A"),
      ("echo a; api get http://h/ token==@x1y2", "token"),
      ("api get http://h/ token==x1y2", "token"), ("api get http://h/?api_key=x1y2", "api_key"),
      ("api get http://h/?a=1&password=x1y2", "password"), ("api run s apikey==x1y2", "apikey"),
      ("open 'swiftboard://api/h?token=x1y2'", "token"), ("api get http://x1y2:p@h/", "user"),
      ("api service add s http://h --auth header:X-Api-Key=x1y2", "auth"),
      ("api service add s http://h --auth=bearer:x1y2", "auth"),
      ("echo a; api get http://h/ token==x1y2", "token"),
      ("api get http://h/ token==x1y2 \"open", "token"),
      ("set c api; $c get http://h/ token==x1y2", "token"),
      ("api get http://h/?tok%65n=x1y2", "token"),
      ("api get http://h/?a=1&api%5Fkey=x1y2", "api_key"),
      ("api --timeout 5s get --json http://h/?token=x1y2", "token"),
      ("api http://h/?token=x1y2", "token"), ("api gte http://h/?token=x1y2", "token"),
      ("api service add s http://h/?token=x1y2", "token"), ("api get s/x?token=x1y2", "token"),
      ("set m get; api $m s/x?token=x1y2", "token"),
      ("set u http://h; api $u token==x1y2", "token"),
      ("api post http://h/ --out f -- token==x1y2", "token"),
    ])
  func typedAtAPosition(line: String, name: String) async throws {
    await run(64, line)
    #expect(!lines.allPrinted.contains("x1y2"), "\(lines.allPrinted)")
    #expect(lines.allSteps.contains("[refused: secret \(name)]"), "\(lines.allSteps)")
    if !line.hasPrefix("set") { #expect(!lines.allSteps.contains("x1y2"), "\(lines.allSteps)") }
    #expect(world.api.requests.isEmpty)
  }

  @Test(
    "rule 3: what is public beside a reference, and a header with a longer name, are no secrets",
    arguments: [
      "Cookie:a={{secret:k}}", "\"Cookie:a={{secret:k}}; b={{secret:k}}\"", "Cookie:{{secret:k}}",
      "\"Authorization:Token id:{{secret:k}}\"", "My.Cookie:a=x1y2", "My.X-Api-Key:x1y2",
    ])
  func publicParts(item: String) async throws {
    world.api.answer { _ in .json("{}") }
    await run(0, "api get http://h/ \(item)")
    #expect(world.api.requests.count == 1)
  }

  @Test(
    "rule 3: the advice has the scheme of --auth that was typed",
    arguments: [
      ("--auth bearer:x1y2", "--auth bearer:{{secret:NAME}}"),
      ("--auth=basic:me:x1y2", "--auth basic:USER:{{secret:NAME}}"),
      ("--auth query:k=x1y2", "--auth query:NAME={{secret:NAME}}"),
      ("--auth x1y2", "--auth header:NAME={{secret:NAME}}"),
    ])
  func schemeOfAuth(option: String, advice: String) async throws {
    await run(64, "api service add s http://h \(option)")
    #expect(lines.allPrinted.contains(advice), "\(lines.allPrinted)")
  }

  @Test(
    "rule 3: only where a request goes, and in its headers and query items",
    arguments: [
      "api post http://h/ url=http://h/?token=1",
      #"api post http://h/ d:='{"u":"http://h/?token=1"}'"#,
      "api post http://h/ 'text=see http://me@example.com/'", "api get http://h/ --out x?token=5",
      "api get http://h/ --out=x?token=5", "api recent token==x",
      "api recent 'http://a@b/?token=1'",
      "api post http://h/ f@a?token=1",
      "set u http://h/?token=1; api get $u", "set u 'http://h/?token=1'; api post http://h/ u=$u",
    ])
  func dataOfARequest(line: String) async throws {
    try await world.files.write(Data("{}".utf8), to: "a?token=1", mode: .create)
    answer("{}")
    await run(0, line)
  }

  @Test("rule 3: the name of a service is no address")
  func nameOfAService() async { await run(66, "api cache clear 'x?token=1'") }

  @Test("rule 3: members of a body, empty values, references and data are not refused")
  func notRefused() async throws {
    answer(#"{"token":"fr0m-data"}"#)
    await run(
      0, "api post http://h/ password=x token:=1 key=y", "api get http://h/ Authorization: token==",
      "api get http://h/ token=={{secret:k}}", "api post http://h/login",
      "api get http://h/ token=={{last.body.token}}", "api post http://h/login",
      "set t {{last.body.token}}",
      "api get http://h/ 'Authorization:Bearer '$t -v", "echo 'http://h/?token=x' token==y",
      "log redact test 'Authorization: Bearer abc'")
    #expect(world.api.requests[4].url == "http://h/?token=fr0m-data")
    #expect(world.api.requests[6].headers.value(of: "Authorization") == "Bearer fr0m-data")
    #expect(lines.allPrinted.contains("http://h/?token=x token==y\n"))
    #expect(lines.allPrinted.contains("Authorization: [redacted]\n"))
  }

  // MARK: Rule 4

  @Test(
    "rule 4: secret headers and query items are masked on the screen and in the log, data stays whole in actions"
  )
  func positions() async throws {
    answer(
      #"{"token":"fr0m-data","location":"http://h/?token=z"}"#,
      headers: [
        HTTPHeader("Set-Cookie", "sid=c00kie"),
        HTTPHeader("Link", "<http://h/?token=l1nk&key=k3y>"),
        HTTPHeader("Link", "<http://h/2>"),
      ])
    await run(
      0, "api post http://h/login", "api get http://h/ token=={{last.body.token}} --verbose",
      "api get http://h/ --headers", "api get http://h/ --json")
    #expect(
      !lines.allSteps.contains("c00kie"), "an answer's headers are masked before there is an action"
    )
    #expect(
      lines.allSteps.contains(#""name":"token","value":"fr0m-data""#), "the request needs its items"
    )
    #expect(!lines.allSteps.contains("http://h/?token=fr0m-data"), "the answer needs no address")
    #expect(lines.allPrinted.contains("GET http://h/?token=[redacted]\n"))
    #expect(lines.allPrinted.contains("Set-Cookie: [redacted]\n"))
    #expect(lines.allPrinted.contains("Link: <http://h/?token=[redacted]&key=k3y>\n"))
    #expect(
      lines.allPrinted.contains(#""link":["<http://h/?token=[redacted]&key=k3y>","<http://h/2>"]"#))
    #expect(lines.allPrinted.contains(#""location":"http://h/?token=z""#), "bodies are data")
    let log = world.logger.records.map(\.message).joined(separator: "\n")
    #expect(!log.contains("fr0m-data") && log.contains("token=«redacted»"), "\(log)")
    let searches = try await world.persistence.searches(scope: "api", containing: nil)
    #expect(!searches.contains { $0.text.contains("fr0m-data") })
    world.api.answer { _ in .status(404) }
    await run(4, "api get http://h/ token=={{last.body.token}}")
    #expect(lines.allPrinted.contains("HTTP 404 from http://h/?token=[redacted]"))
    #expect(!lines.allPrinted.contains("token=fr0m-data"))
  }

  @Test("rule 4: answers under other keys of an address are kept apart")
  func cacheKeys() async throws {
    world.api.answer { request in
      .json(
        #"{"q":"\#(request.url.suffix(1))"}"#, headers: [HTTPHeader("Cache-Control", "max-age=60")])
    }
    await run(
      0, "set a 1", "set b 2", "api get http://h/ token==$a",
      "api get http://h/ token==$b --cache localFirst")
    #expect(lines.board.store.state.shell.last?.text?.contains(#""q":"2""#) == true)
    await run(0, "api cache list")
    #expect(lines.allPrinted.contains("GET http://h/?token=[redacted]"))
  }

  // MARK: Rule 5

  @Test("rule 5: a captured part of an answer is a secret from then on, in the answer itself too")
  func capture() async throws {
    answer(
      #"{"token":"cap-tured-1","n":987654321}"#,
      headers: [HTTPHeader("Set-Cookie", "cap-tured-2"), HTTPHeader("Cache-Control", "max-age=60")])
    await run(
      0,
      "api get http://h/ --capture t=body.token --capture c=headers.set-cookie --capture n=body.n",
      "api post http://h/ Authorization:{{secret:t}} n={{secret:n}}")
    #expect(lines.allPrinted.contains("stored the secret 't'\n"))
    await run(0, "api get http://h/ --capture t=body.token")
    #expect(lines.allPrinted.contains("replaced the value of the secret 't'\n"))
    #expect(world.api.requests[1].headers.value(of: "Authorization") == "cap-tured-1")
    #expect(world.api.requests[1].body == Data(#"{"n":"987654321"}"#.utf8))
    for secret in ["cap-tured-1", "cap-tured-2", "987654321"] { try await expectNowhere(secret) }
    #expect(lines.allSteps.contains("«secret:t»") && lines.allSteps.contains("«secret:n»"))
    await run(64, "echo cap-tured-2")
    // What is not there loses none of the answer, and is a failure.
    await run(66, "api get http://h/ --capture x=body.nothing")
    #expect(
      lines.allPrinted.contains(
        "the answer has nothing at 'body.nothing'; the secret 'x' was not stored"))
    world.api.answer { _ in .json(#"{"token":"denied-1"}"#, status: 401) }
    await run(4, "api get http://h/ --capture t=body.token")
    let stored = try await world.keychain.load(forKey: "t")
    #expect(stored == Data("cap-tured-1".utf8), "a refusal's body is no login")
    await run(64, "api get http://h/ --capture t", "api get http://h/ --capture t=status")
  }

  @Test("rule 5: a mark is not captured, in the escapes of a document neither")
  func captureOfAMark() async throws {
    answer(#"{"token":"«secret:k»","document":"{\"a\":\"\\u00absecret:k\\u00bb\"}"}"#)
    for path in ["body.token", "body.document"] {
      await run(66, "api get http://h/ --capture t=\(path)")
      #expect(lines.allPrinted.contains("'\(path)' is a mark in place of a value"))
    }
  }

  @Test("rule 5: a captured body keeps its bytes, and is masked by them")
  func captureOfBytes() async throws {
    let bytes = Data((0...255).map { UInt8($0) } + Array("tail".utf8))
    world.api.answer { _ in .response(status: 200, headers: [], body: bytes) }
    await run(0, "api get http://h/ --capture b=body")
    #expect(try await world.keychain.load(forKey: "b") == bytes)
    #expect(!lines.allSteps.contains(bytes.base64EncodedString()))
    let marked = Data("«secret:b»".utf8).base64EncodedString()
    #expect(lines.allSteps.contains(marked), "\(lines.allSteps)")
  }

  @Test("rule 5: a part of a body or of a header that is not UTF-8 is refused, not altered")
  func captureOfUndecodableText() async throws {
    let body = Data(Array(#"{"token":"cap-"#.utf8) + [0xFF, 0xFE] + Array(#"-tured"}"#.utf8))
    let headers = [HTTPHeader("X-Token", "cap-\u{FF}\u{FE}-tured")]
    world.api.answer { _ in .response(status: 200, headers: headers, body: body) }
    await run(66, "api get http://h/ --capture t=body.token")
    #expect(
      lines.allPrinted.contains(
        "the body is not UTF-8, so a part of it would not be exact; the secret 't' was not stored"))
    await run(66, "api get http://h/ --capture h=headers.x-token")
    #expect(
      lines.allPrinted.contains(
        "what is at 'headers.x-token' is not ASCII; the secret 'h' was not stored"))
    #expect(try await world.keychain.keys().sorted() == ["k", "pin"])
  }

  @Test("rule 5: nothing is sent where what is captured could not be stored")
  func captureWhileLocked() async throws {
    let locked = World(MockKeychainService(unlocked: false))
    locked.api.answer { _ in .json(#"{"token":"cap-tured-1"}"#) }
    let lines = Lines(locked)
    #expect(await lines.run("api post http://h/ --capture t=body.token") == 77)
    #expect(locked.api.requests.isEmpty)
  }
}
