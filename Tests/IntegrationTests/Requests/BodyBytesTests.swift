import SwiftBoardTestSupport
import Testing

/// Rule 1: off a terminal the body of an answer is printed as its bytes, and a replay prints the
/// same.
@Suite(.timeLimit(.minutes(20)))
struct BodyBytesTests {
  private static let bodies: [String: [UInt8]] = [
    "/binary": (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167) },
    "/json": Array(#"{"b": 1.50,  "a":"é","token":"t", "url":"http://h/?key=1&token=2"}"#.utf8),
    "/bom": [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}\r\n".utf8),
    "/controls": Array("a\u{1B}[31mb\0c\r\n\tno end".utf8),
    "/broken": Array("caf\u{E9}".utf8.dropLast()) + [0xC3],
    "/empty": [], "/lines": Array("one\n\ntwo\n".utf8),
  ]

  private static func server() throws -> TestHTTPServer {
    try TestHTTPServer { request in
      bodies[request.path].map {
        .response(.init(200, headers: [("Content-Type", "application/json")], body: $0))
      }
    }
  }

  @Test("the bytes are the server's", arguments: bodies.keys.sorted())
  func theBytesAreTheServers(path: String) async throws {
    let server = try Self.server()
    let program = try Program()
    let body = try #require(Self.bodies[path])
    let run = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c", "api get \(server.origin)\(path)", "-c",
      "api get \(server.origin)\(path) > file", "-c", "api get \(server.origin)\(path) --raw", "-c",
      "api get \(server.origin)\(path) --out exact")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.output == body + body)
    #expect(try program.folder.read("file") == body)
    #expect(try program.folder.read("exact") == body)
    server.stop()
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.output == body + body)
  }

  @Test("a recording has a body of many escapes in base64, and its replay has the text")
  func escapes() async throws {
    let server = try TestHTTPServer { request in
      .response(.init(json: request.path == "/many" ? #"["a","b","c"]"# : #"{"name":"Rick"}"#))
    }
    let program = try Program()
    let lines = [
      "api get \(server.origin)/many", "echo {{last.body[2]}}", "state api.answers[0].body[1]",
      "api get \(server.origin)/few",
    ]
    let run = try await program.run(
      ["--home", "h", "--record", "r.jsonl"] + lines.flatMap { ["-c", $0] })
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == #"["a","b","c"]c\#n"b"\#n{"name":"Rick"}"#)
    let recording = try program.text("r.jsonl")
    #expect(recording.contains(#""base64":"WyJhIiwiYiIsImMiXQ==""#), "\(recording)")
    #expect(recording.contains(#""text":"{\"name\":\"Rick\"}""#), "\(recording)")
    server.stop()
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0) && replay.output == run.output, "\(replay.errorText)")
  }

  @Test(
    "a body that a format cannot show has its bytes off a terminal", arguments: bodies.keys.sorted()
  )
  func everyFormat(path: String) async throws {
    let server = try Self.server()
    let program = try Program()
    let body = try #require(Self.bodies[path])
    let isJSON = ["/json", "/bom"].contains(path)
    try program.makeFolder("h")
    try program.folder.write(#"{"output":"plain"}"#, to: "h/config.json")
    for options in [["-o", "plain"], ["-o", "csv"], ["--pretty"], []] {
      guard !isJSON || options.isEmpty || options.last == "plain" else { continue }
      let run = try await program.run(
        ["--home", "h", "api", "get", "\(server.origin)\(path)"] + options)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.output == body, "\(options)")
    }
    let file = try await program.run(
      "--home", "h", "-c", "api get \(server.origin)\(path) -o plain > file")
    #expect(file.status == .exited(0), "\(file.errorText)")
    #expect(try program.folder.read("file") == body)
  }

  @Test("behind the request and the headers, a body has its bytes off a terminal too")
  func showRequest() async throws {
    let server = try Self.server()
    let program = try Program()
    for (path, body) in Self.bodies {
      // JSON is indented there, unless the line says otherwise.
      let options = ["/json", "/bom"].contains(path) ? [["--raw"]] : [[], ["-o", "plain"]]
      for options in options {
        let run = try await program.run(
          ["--home", "h", "api", "get", "\(server.origin)\(path)", "--show-request"] + options)
        #expect(run.status == .exited(0), "\(run.errorText)")
        let heads = Array("GET \(server.origin)\(path)\n".utf8)
        #expect(run.output.starts(with: heads), "\(run.outputText)")
        let end = try #require(run.outputText.ranges(of: "\n\n").dropFirst().first)
        let count = run.outputText[..<end.upperBound].utf8.count
        #expect(Array(run.output.dropFirst(count)) == body, "\(path): \(run.outputText)")
      }
    }
    for options in [[], ["--pretty"]] {
      let pretty = try await program.run(
        ["--home", "h", "api", "get", "\(server.origin)/json", "--show-request"] + options)
      #expect(pretty.outputText.hasSuffix("\"url\": \"http://h/?key=1&token=2\"\n}\n"))
    }
  }

  @Test("an echo is one cell of CSV, wherever the format is asked for") func csvEcho() async throws
  {
    let program = try Program()
    let expected = "value\r\n\"a,b \"\"c\"\"\"\r\n"
    let line = #"echo a,b '"c"'"#
    for words in [
      ["-o", "csv", "echo", "a,b", "\"c\""], ["echo", "a,b", "\"c\"", "-o", "csv"],
      ["-o", "csv", "-c", line], ["-c", "\(line) -o csv"], ["-c", "echo -o csv a,b '\"c\"'"],
    ] {
      let run = try await program.run(["--home", "h"] + words)
      #expect(run.outputText == expected, "\(words): \(run.outputText)\(run.errorText)")
    }
    let file = try await program.run("--home", "h", "-c", "\(line) -o csv > file")
    #expect(file.status == .exited(0))
    #expect(try program.text("file") == expected)
  }

  @Test("an echo has its bytes off a terminal") func echo() async throws {
    let program = try Program()
    for options in [[], ["-o", "plain"]] {
      let run = try await program.run(
        ["--home", "h"] + options + [
          "-c", #"echo "a\r\nb\rc\u{1b}[31m\t""#, "-c", #"echo "a\r\nb\rc" > file"#,
        ])
      #expect(run.outputText == "a\r\nb\rc\u{1B}[31m\t\n", "\(options)")
      #expect(try program.text("file") == "a\r\nb\rc\n", "\(options)")
    }
  }

  @Test("a line or a terminal decides otherwise") func aLineOrATerminalDecidesOtherwise()
    async throws
  {
    let server = try Self.server()
    let program = try Program()
    let pretty = try await program.run(
      "--home", "h", "api", "get", "\(server.origin)/json", "--pretty")
    #expect(
      pretty.outputText
        == "{\n  \"b\": 1.50,\n  \"a\": \"é\",\n  \"token\": \"t\",\n  \"url\": \"http://h/?key=1&token=2\"\n}\n"
    )
    let both = try await program.run(
      "--home", "h", "api", "get", "\(server.origin)/json", "--pretty", "--raw")
    #expect(both.status == .exited(64), "\(both.errorText)")

    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "--no-init")
    #expect(await terminal.waitForOutput("board> "))
    terminal.type("api get \(server.origin)/json\r")
    #expect(await terminal.waitForOutput("  \"token\": \"t\",\r\n"), "\(terminal.outputText)")
    terminal.type("api get \(server.origin)/binary\r")
    #expect(
      await terminal.waitForOutput("(4096 bytes that are no text; --out FILE keeps them)"),
      "\(terminal.outputText)")
    terminal.type("api get \(server.origin)/lines --raw\r")
    #expect(await terminal.waitForOutput("one\r\n\r\ntwo\r\n"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }
}
