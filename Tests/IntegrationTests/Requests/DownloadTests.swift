import Dispatch
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// `--out FILE` writes what comes while it comes, and `--resume` goes on where it broke off.
@Suite(.timeLimit(.minutes(20)))
struct DownloadTests {
  let server: TestHTTPServer
  let program: Program

  /// Returns the number of a request, from 1.
  private static func next(_ attempts: borrowing Mutex<Int>) -> Int {
    attempts.withLock { count in
      count += 1
      return count
    }
  }

  init() throws {
    server = try TestHTTPServer()
    program = try Program()
  }

  private func get(_ path: String, _ options: String...) async throws -> ChildProcess.Outcome {
    try await program.run(
      ["--home", "h", "api", "get", server.origin + path, "--out", "file"] + options)
  }

  private var parts: [String] {
    get throws { try program.files().filter { $0.hasPrefix("file") } }
  }

  @Test("a body beyond the limit of memory goes into a file, which a replay does not need")
  func aBodyBeyondTheLimitGoesIntoAFile() async throws {
    let count = 20_000_000
    let line = "api get \(server.origin)/faults/ranges?bytes=\(count)"
    let run = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c", "\(line) --out file", "-c", "echo {{last.bytes}}")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "\(count)\n")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<count))
    #expect(!run.errorText.contains("\r"), "no progress off a terminal")
    #expect(try parts == ["file"])
    #expect(try program.folder.read("r.jsonl").count < 10_000)
    let kept = try await program.run("--home", "h", "api", "cache", "list", "--json")
    #expect(kept.outputText.contains(#""value":[]"#))
    server.stop()
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.output == run.output)
    let again = try await program.run("--home", "h", "-c", line)
    #expect(again.status == .exited(69))
  }

  // Real time: the answer goes on until the program ends.
  @Test("a transfer that a signal ends leaves no temporary file", arguments: [SIGINT, SIGTERM])
  func aSignalLeavesNoTemporaryFile(signal: Int32) async throws {
    let endless = try TestHTTPServer { _ in
      .drip(chunk: String(repeating: "x", count: 1000), times: 36_000, milliseconds: 50)
    }
    try program.folder.write("old", to: "file")
    let run = try await program.shell(
      """
      (until [ "$(ls -d file*| wc -l)" -gt 1 ] || [ -e over ]; do sleep 0.05; done
      kill -\(signal) $(cat pid)) &
      # A shell lets what it starts with '&' ignore SIGINT.
      sh -c 'echo $$ > pid; exec "$0" "$@"' "$0" --home h api get \(endless.origin)/drip --out file
      echo "ended with $?"; touch over
      """)
    #expect(run.outputText == "ended with \(128 + signal)\n", "\(run.errorText)")
    #expect(try parts == ["file"])
    #expect(try program.folder.read("file") == Array("old".utf8))
  }

  @Test("a body that is too large for memory says what takes it")
  func aBodyTooLargeForMemorySaysWhatTakesIt() async throws {
    let run = try await program.run(
      "--home", "h", "api", "get", "\(server.origin)/faults/ranges?bytes=17000000")
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("--out FILE"), "\(run.errorText)")
  }

  @Test("a transfer that broke off goes on from where it was")
  func aTransferThatBrokeOffGoesOn() async throws {
    // The same address, of which the connection breaks the first time.
    let server = try TestHTTPServer { request in
      guard request.path == "/big" else { return nil }
      let first = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let head =
        first == 0
        ? "HTTP/1.1 200 OK"
        : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-2999999/3000000"
      return .pattern(
        head: head + "\r\nETag: \"one\"", range: first..<3_000_000,
        cut: first == 0 ? 1_000_000 : first < 2_000_000 ? 2_000_000 : nil)
    }
    try program.folder.write("old", to: "file")
    func get() async throws -> ChildProcess.Outcome {
      try await program.run(
        "--home", "h", "api", "get", "\(server.origin)/big", "--out", "file", "--resume")
    }
    for count in [1_000_000, 2_000_000] {
      let broken = try await get()
      #expect(broken.status == .exited(76), "\(broken.errorText)")
      #expect(broken.errorText.contains("\(count) bytes are in file.part"), "\(broken.errorText)")
      #expect(try program.text("file") == "old")
      #expect(try program.folder.read("file.part") == TestHTTPServer.pattern(0..<count))
      var status = stat()
      #expect(stat(program.folder.path("file.part"), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
    let whole = try await get()
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<3_000_000))
    #expect(try parts == ["file"])
    #expect(
      server.requests.map { $0.header("Range") } == [nil, "bytes=1000000-", "bytes=2000000-"])
    #expect(server.requests.last?.header("If-Range") == "\"one\"")
    #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == nil })
  }

  @Test("what is left of a transfer is named again where nothing more came")
  func whatIsLeftIsNamedAgain() async throws {
    let server = try TestHTTPServer { request in
      guard request.header("Range") == nil else { return .reset }
      return .pattern(
        head: "HTTP/1.1 200 OK\r\nETag: \"one\"", range: 0..<3_000_000, cut: 1_000_000)
    }
    for _ in 0..<2 {
      let run = try await program.run(
        "--home", "h", "api", "get", "\(server.origin)/big", "--out", "file", "--resume")
      #expect(run.status == .exited(76), "\(run.errorText)")
      #expect(
        run.errorText.contains("1000000 bytes are in file.part; the same line goes on from there"),
        "\(run.errorText)")
    }
  }

  @Test("a service that goes on with another file than the one that broke off is asked anew")
  func anotherFileIsNotContinued() async throws {
    // It does not know If-Range.
    let server = try TestHTTPServer { request in
      guard let first = request.header("Range").flatMap({ Int($0.dropFirst(6).dropLast()) }) else {
        let isFirst = request.header("If-Range") == nil && request.header("X-Whole") == nil
        return .pattern(
          head: "HTTP/1.1 200 OK\r\nETag: \"\(isFirst ? "one" : "two")\"", range: 0..<100_000,
          cut: request.path == "/cut" ? 40_000 : nil)
      }
      return .pattern(
        head: "HTTP/1.1 206 Part\r\nContent-Range: bytes \(first)-99999/100000\r\nETag: \"two\"",
        range: first..<100_000, cut: nil)
    }
    let broken = try await program.run(
      "--home", "h", "api", "get", server.origin + "/cut", "--out", "file", "--resume")
    #expect(broken.status == .exited(76), "\(broken.errorText)")
    let again = try await program.run(
      "--home", "h", "api", "get", server.origin + "/cut", "--out", "file", "--resume")
    // The whole file was asked for once more, and broke off again.
    #expect(again.status == .exited(76), "\(again.errorText)")
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=40000-", nil])
    #expect(try parts.contains("file") == false)
  }

  @Test(
    "what another address sends after a redirect is not continued, whatever its validator",
    arguments: [
      ("/b", ["", "bytes=40000-", ""]),
      // Many services sign the address that they redirect to anew each time.
      ("/a?signature=2", ["", "bytes=40000-"]),
    ])
  func anotherAddressIsNotContinued(target: String, ranges: [String]) async throws {
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      guard request.path != "/latest" else {
        let isFirst = Self.next(attempts) == 1
        return .response(.init(302, headers: [("Location", isFirst ? "/a?signature=1" : target)]))
      }
      let tag = "ETag: \"one\""
      guard request.header("Range") == nil else {
        return .pattern(
          head: "HTTP/1.1 206 P\r\nContent-Range: bytes 40000-99999/100000\r\n\(tag)",
          range: 40_000..<100_000, cut: nil)
      }
      return .pattern(
        head: "HTTP/1.1 200 OK\r\n\(tag)", range: 0..<100_000,
        cut: request.path == "/a" ? 40_000 : nil)
    }
    let line = [
      "--home", "h", "api", "get", server.origin + "/latest", "--follow", "1", "--out", "file",
      "--resume",
    ]
    #expect(try await program.run(line).status == .exited(76))
    let again = try await program.run(line)
    #expect(again.status == .exited(0), "\(again.errorText)")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<100_000))
    #expect(
      server.requests.filter { $0.path != "/latest" }.map { $0.header("Range") ?? "" } == ranges)
  }

  @Test(
    "a service that cannot continue is told of once, and the next attempt begins anew",
    arguments: [
      (
        "HTTP/1.1 416 No\r\nContent-Range: bytes */100000", 4,
        "file.part with 40000 bytes is discarded, and the same line gets the whole file"
      ),
      ("HTTP/1.1 206 P\r\nContent-Range: bytes 30000-99999/100000", 76, "bytes 30000-99999"),
      ("HTTP/1.1 206 P\r\nETag: \"one\"", 76, "no range"),
      ("HTTP/1.1 206 P\r\nContent-Range: bytes 40000-99999/100007", 76, "has 100007 now"),
    ] as [(String, Int32, String)])
  func whatIsNotContinuedBeginsAnew(head: String, code: Int32, text: String) async throws {
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      guard request.header("Range") == nil else {
        return .pattern(head: head, range: 40_000..<100_000, cut: nil)
      }
      let isFirst = Self.next(attempts) == 1
      return .pattern(
        head: "HTTP/1.1 200 OK\r\nETag: \"one\"", range: 0..<100_000, cut: isFirst ? 40_000 : nil)
    }
    let line = ["--home", "h", "api", "get", server.origin + "/f", "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let refused = try await program.run(line)
    #expect(refused.status == .exited(code), "\(refused.errorText)")
    #expect(refused.errorText.contains(text), "\(refused.errorText)")
    #expect(try parts == [])
    let anew = try await program.run(line)
    #expect(anew.status == .exited(0), "\(anew.errorText)")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<100_000))
  }

  @Test(
    "what comes after another version is not continued, and a part is not the whole",
    arguments: [("/one", "closed the connection"), ("/part", "asked for the whole")])
  func afterAnotherVersion(path: String, text: String) async throws {
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      let count = Self.next(attempts)
      if count == 1 || (count == 3 && request.path == "/one") {
        return .pattern(head: "HTTP/1.1 200 OK\r\nETag: \"one\"", range: 0..<100, cut: 40)
      }
      return .pattern(
        head: "HTTP/1.1 206 P\r\nContent-Range: bytes 40-99/100\r\nETag: \"two\"",
        range: 40..<100, cut: nil)
    }
    let line = ["--home", "h", "api", "get", server.origin + path, "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let again = try await program.run(line)
    #expect(again.status == .exited(76), "\(again.errorText)")
    #expect(again.errorText.contains(text), "\(again.errorText)")
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=40-", nil])
    #expect(try parts == [])
  }

  @Test("a service may send the rest in parts, whether they say the size of the whole or not")
  func theRestInParts() async throws {
    let server = try TestHTTPServer { request in
      let first = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      guard first > 0 else {
        return .pattern(
          head: "HTTP/1.1 200 OK\r\nETag: \"one\"", range: 0..<100_000, cut: 40_000)
      }
      let size = first < 70_000 ? "*" : "100000"
      return .pattern(
        head: """
          HTTP/1.1 206 P\r\nContent-Range: bytes \(first)-\(first + 19_999)/\(size)\r\nETag: "one"
          """, range: first..<(first + 20_000), cut: nil)
    }
    let line = ["--home", "h", "api", "get", server.origin + "/f", "--out", "file", "--resume"]
    for count in [40_000, 60_000, 80_000] {
      let run = try await program.run(line)
      #expect(run.status == .exited(76), "\(run.errorText)")
      #expect(run.errorText.contains("\(count) bytes are in file.part"), "\(run.errorText)")
      #expect(try parts == ["file.part", "file.part.tag"])
    }
    #expect(try await program.run(line).status == .exited(0))
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<100_000))
  }

  /// Answers of 206 for the bytes from 40 000 of 100 000 that are not these bytes.
  private static let wrongRests: [(name: String, answer: [UInt8])] = {
    let head = "HTTP/1.1 206 P\r\nETag: \"one\"\r\nContent-Range: bytes 40000-99999/100000\r\n"
    let rest = TestHTTPServer.pattern(40_000..<100_000)
    let gzip = "Content-Encoding: gzip\r\n"
    func chunked(_ body: [UInt8]) -> [UInt8] {
      Array("Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n".utf8) + body
        + Array("\r\n0\r\n\r\n".utf8)
    }
    return [
      ("gzip", Array("\(head)\(gzip)Content-Length: 229\r\n\r\n".utf8) + compressedZeros),
      ("gzip", Array((head + gzip).utf8) + chunked(compressedZeros)),
      (
        "100000 bytes",
        Array("\(head)Content-Length: 100000\r\n\r\n".utf8) + TestHTTPServer.pattern(0..<100_000)
      ),
      ("more than the 60000", Array(head.utf8) + chunked(rest + [1, 2, 3])),
      ("more than the 60000", Array("\(head)\r\n".utf8) + rest + [1, 2, 3]),
      ("1000 of the 60000", Array(head.utf8) + chunked(Array(rest.reversed()[..<1000]))),
    ]
  }()

  @Test(
    "bytes that are not the rest are not added, and the next attempt goes on from what was there",
    arguments: wrongRests.indices)
  func aWrongRestIsNotAdded(index: Int) async throws {
    let (name, wrong) = Self.wrongRests[index]
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      let attempt = Self.next(attempts)
      if attempt == 2 { return .raw(wrong) }
      let range = "Content-Range: bytes 40000-99999/100000"
      return .pattern(
        head: "HTTP/1.1 \(attempt == 1 ? "200 OK" : "206 P\r\n\(range)")\r\nETag: \"one\"",
        range: attempt == 1 ? 0..<100_000 : 40_000..<100_000, cut: attempt == 1 ? 40_000 : nil)
    }
    let line = ["--home", "h", "api", "get", server.origin + "/f", "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let refused = try await program.run(line)
    #expect(refused.status == .exited(76), "\(refused.errorText)")
    #expect(refused.errorText.contains(name), "\(refused.errorText)")
    // A service that compresses the rest does so again.
    #expect(
      refused.errorText.contains("40000 bytes are in file.part") == (name != "gzip"),
      "\(refused.errorText)")
    #expect(refused.errorText.contains("try again") == (name != "gzip"), "\(refused.errorText)")
    #expect(try program.folder.read("file.part") == TestHTTPServer.pattern(0..<40_000))
    let whole = try await program.run(line)
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<100_000))
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=40000-", "bytes=40000-"])
  }

  @Test(
    "with --resume an answer without content leaves the file and its part as they are",
    arguments: [204, 205])
  func noContent(status: Int) async throws {
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      let attempt = Self.next(attempts)
      if attempt == 2 { return .response(.init(status)) }
      let range = "Content-Range: bytes 400-999/1000"
      return .pattern(
        head: "HTTP/1.1 \(attempt == 1 ? "200 OK" : "206 P\r\n\(range)")\r\nETag: \"one\"",
        range: attempt == 1 ? 0..<1000 : 400..<1000, cut: attempt == 1 ? 400 : nil)
    }
    try program.folder.write("old", to: "file")
    let line = ["--home", "h", "api", "get", server.origin + "/f", "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let empty = try await program.run(line)
    #expect(empty.status == .exited(76), "\(empty.errorText)")
    #expect(empty.errorText.contains("HTTP \(status)"), "\(empty.errorText)")
    #expect(empty.errorText.contains("400 bytes are in file.part"), "\(empty.errorText)")
    #expect(try program.text("file") == "old")
    #expect(try program.folder.read("file.part") == TestHTTPServer.pattern(0..<400))
    #expect(try await program.run(line).status == .exited(0))
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<1000))
  }

  @Test("a part that was not asked for is not the whole")
  func anUnaskedPart() async throws {
    let server = try TestHTTPServer { _ in
      .pattern(
        head: "HTTP/1.1 206 P\r\nContent-Range: bytes 40-99/100\r\nETag: \"one\"", range: 40..<100)
    }
    let run = try await program.run(
      "--home", "h", "api", "get", server.origin, "--out", "file", "--resume")
    #expect(run.status == .exited(76), "\(run.errorText)")
    #expect(run.errorText.contains("asked for the whole"), "\(run.errorText)")
    #expect(try parts == [])
  }

  @Test(
    "a file that is now as long as its part was is another one, and is asked for anew",
    arguments: [
      ("Content-Length: 100", ""), ("Content-Length: 100", "ETag: \"two\"\r\n"),
      ("Transfer-Encoding: chunked", "ETag: \"two\"\r\n"),
    ])
  func aFileAsLongAsItsPart(length: String, tag: String) async throws {
    let attempts = Mutex(0)
    let server = try TestHTTPServer { request in
      let attempt = Self.next(attempts)
      let old = length.hasPrefix("T") ? "5\r\nold..\r\n" : "old.."
      return switch attempt {
      case 1: .raw(Array("HTTP/1.1 200 OK\r\nETag: \"one\"\r\n\(length)\r\n\r\n\(old)".utf8))
      case 2:
        .raw(
          Array(
            "HTTP/1.1 416 No\r\n\(tag)Content-Range: bytes */5\r\nContent-Length: 0\r\n\r\n".utf8))
      default: .response(.init(200, headers: [("ETag", "\"two\"")], body: Array("new..".utf8)))
      }
    }
    let line = ["--home", "h", "api", "get", server.origin, "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let run = try await program.run(line)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.text("file") == "new..")
    #expect(try parts == ["file"])
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=5-", nil])
  }

  @Test("a range of the line's own does not go with --resume, in a kept request either")
  func aRangeOfTheLinesOwn() async throws {
    for item in ["Range:bytes=10-", "range;", "If-Range:\"one\""] {
      let run = try await get("/echo", "--resume", item)
      #expect(run.status == .exited(64), "\(run.errorText)")
    }
    #expect(server.requests.isEmpty)
    #expect(try await get("/echo", "--resume", "--save", "kept").status == .exited(0))
    let run = try await program.run("--home", "h", "api", "run", "kept", "Range:bytes=10-")
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains("--resume"), "\(run.errorText)")
    #expect(server.requests.count == 1)
  }

  @Test("a part that another program has left is not touched")
  func aPartOfAnotherProgramIsLeft() async throws {
    try program.folder.write("mine", to: "file.part")
    let run = try await get("/status/404", "--resume")
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(run.errorText.contains("file.part is there already"), "\(run.errorText)")
    #expect(try program.text("file.part") == "mine")
  }

  @Test("an answer is kept for the headers that it was asked with")
  func anAnswerIsKeptForItsHeaders() async throws {
    let server = try TestHTTPServer { request in
      .response(.init(200, body: Array((request.header("X-Tenant") ?? "none").utf8)))
    }
    let run = try await program.run(
      "--home", "h", "-q", "-c", "api get \(server.origin)/x X-Tenant:a --cache localFirst", "-c",
      "echo", "-c", "api get \(server.origin)/x X-Tenant:b --cache localFirst", "-c", "echo", "-c",
      "api get \(server.origin)/x X-Tenant:a --cache localFirst", "-c", "echo", "-c",
      "api get \(server.origin)/x 'X-Tenant;' --cache localFirst", "-c", "echo", "-c",
      "api get \(server.origin)/x --cache localFirst")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "a\nb\na\n\nnone")
    #expect(server.requests.count == 4)
  }

  @Test("an answer with a secret that another process has just stored is not kept")
  func aSecretOfAnotherProcess() async throws {
    let program = try Program.withKeychain()
    let source = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
    let isStored = DispatchSemaphore(value: 0)
    let server = try TestHTTPServer { request in
      if request.path == "/wait" { isStored.wait() }
      return .response(.init(200, body: Array("a value of the other process".utf8)))
    }
    let lines = [
      "keychain list", "api get \(server.origin)/wait", "api get \(server.origin)/leak",
    ]
    async let run = program.run(
      ["--home", "h"] + lines.flatMap { ["-c", $0] }, environment: source)
    await server.waitForRequest(path: "/wait")
    try program.folder.write("a value of the other process", to: "v")
    let stored = try await program.run(
      ["--home", "h", "keychain", "set", "k2", "--from-file", "v"], environment: source)
    #expect(stored.status == .exited(0), "\(stored.errorText)")
    isStored.signal()
    let asked = try await run
    #expect(asked.status == .exited(0), "\(asked.errorText)")
    #expect(asked.outputText.contains("[secret:k2]"), "\(asked.outputText)")
    for path in ["wait", "leak"] {
      let kept = try await program.run([
        "--home", "h", "--offline", "api", "get", "\(server.origin)/\(path)", "--cache",
        "localFirst",
      ])
      #expect(kept.status == .exited(69), "\(kept.outputText)")
    }
  }

  @Test("services whose names differ in their bytes only are two")
  func servicesOfOneLetter() async throws {
    let program = try Program()
    let (composed, other) = try (TestHTTPServer(), TestHTTPServer())
    let run = try await program.run(
      "--home", "h", "-c", "api service add \u{E9} \(composed.origin)", "-c",
      "api service add e\u{301} \(other.origin)", "-c", "api get e\u{301}/echo -q", "-c",
      "api service remove e\u{301}", "-c", "api get \u{E9}/echo -q")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(composed.requests.count == 1 && other.requests.count == 1)
  }

  @Test("a mark in escapes of a JSON file is not passed on")
  func aMarkInEscapes() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    try program.folder.write(#"{"a":"\u00absecret:plain\u00bb"}"#, to: "f.json")
    let run = try await program.run(
      "--home", "h", "api", "post", "\(server.origin)/echo", "v:=@f.json")
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(server.requests.isEmpty)
  }

  @Test("one line with tries goes on by itself") func oneLineGoesOnByItself() async throws {
    let server = try TestHTTPServer { request in
      let first = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let range = "Content-Range: bytes \(first)-99999/100000"
      return .pattern(
        head: "HTTP/1.1 \(first == 0 ? "200 OK" : "206 Part\r\n\(range)")\r\nETag: \"one\"",
        range: first..<100_000, cut: first == 0 ? 40_000 : nil)
    }
    let run = try await program.run(
      "--home", "h", "api", "get", server.origin, "--out", "file", "--resume", "--retry", "1")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<100_000))
  }

  @Test("another version, another address and no validator begin anew")
  func anotherVersionBeginsAnew() async throws {
    let broken = try await get("/faults/ranges?bytes=500000&cut=100000", "--resume")
    #expect(broken.status == .exited(76))
    #expect(program.exists("file.part"))
    // Of another address.
    let other = try await get("/faults/ranges?bytes=500000", "--resume")
    #expect(other.status == .exited(0), "\(other.errorText)")
    #expect(server.requests.last?.header("Range") == nil)
    #expect(try program.folder.read("file") == TestHTTPServer.pattern(0..<500_000))
    // Without a validator nothing is left to go on from.
    let weak = try await get("/faults/ranges?bytes=500000&cut=100000&tag=W/%22a%22", "--resume")
    #expect(weak.status == .exited(76))
    #expect(weak.errorText.contains("an ETag that is weak"), "\(weak.errorText)")
    #expect(try parts == ["file"])

    let versions = try TestHTTPServer { request in
      request.header("If-Range") == nil
        ? .pattern(head: "HTTP/1.1 200 OK\r\nETag: \"one\"", range: 0..<9000, cut: 5000)
        : .pattern(head: "HTTP/1.1 200 OK\r\nETag: \"two\"", range: 7000..<9000)
    }
    let line = ["--home", "h", "api", "get", versions.origin, "--out", "new", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    #expect(try await program.run(line).status == .exited(0))
    #expect(try program.folder.read("new") == TestHTTPServer.pattern(7000..<9000))
  }

  @Test("a part that is whole already is taken, and one that is too long begins anew")
  func aWholePartIsTaken() async throws {
    let path = "/faults/ranges?bytes=100000"
    // The last byte came, and the end of the connection did not.
    let broken = try TestHTTPServer { request in
      request.header("Range") == nil
        ? .raw(
          Array(
            "HTTP/1.1 200 OK\r\nETag: \"t\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"
              .utf8))
        : .response(.init(416, headers: [("Content-Range", "bytes */5")]))
    }
    let line = ["--home", "h", "api", "get", broken.origin, "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let whole = try await program.run(line)
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    #expect(try program.text("file") == "abcde")
    #expect(try parts == ["file"])

    let cut = try await get(path + "&cut=5000", "--resume")
    #expect(cut.status == .exited(76))
    let long = try program.folder.read("file.part") + [UInt8](repeating: 1, count: 200_000)
    try program.folder.write(long, to: "file.part")
    let refused = try await get(path + "&cut=5000", "--resume")
    #expect(refused.status == .exited(76), "\(refused.errorText)")
    #expect(server.requests.suffix(2).map { $0.header("Range") } == ["bytes=205000-", nil])
  }

  @Test("a failing status is shown and leaves the part")
  func aFailingStatusLeavesThePart() async throws {
    let server = try TestHTTPServer { request in
      request.header("Range") == nil
        ? .pattern(head: "HTTP/1.1 200 OK\r\nETag: \"t\"", range: 0..<100, cut: 50)
        : .response(.init(503, body: Array("busy".utf8)))
    }
    let line = ["--home", "h", "api", "get", server.origin, "--out", "file", "--resume"]
    #expect(try await program.run(line).status == .exited(76))
    let run = try await program.run(line)
    #expect(run.status == .exited(5))
    #expect(run.outputText == "busy")
    #expect(try parts == ["file.part", "file.part.tag"])
    #expect(try program.folder.read("file.part").count == 50)
  }

  @Test("what a killed program has written goes with the next download of the same file")
  func whatAKilledProgramHasWrittenGoes() async throws {
    let slow = try TestHTTPServer { _ in .drip(chunk: "x", times: 36_000, milliseconds: 100) }
    let child = try program.start("--home", "h", "api", "get", slow.origin, "--out", "file")
    // Real time: the system tells nobody that there is a file.
    _ = try await program.shell("until ls file.*.tmp 2> /dev/null; do sleep 0.02; done")
    child.signal(SIGKILL)
    _ = await child.wait()
    #expect(try program.files().filter { $0.hasSuffix(".tmp") }.count == 1)
    #expect(try await get("/echo").status == .exited(0))
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
  }

  @Test(
    "what cannot be continued is refused before anything is sent",
    arguments: ["fifo", "h/log.jsonl", "link"])
  func whatCannotBeContinuedIsRefused(name: String) async throws {
    #expect(mkfifo(program.folder.path("fifo"), 0o600) == 0)
    try program.folder.write("precious", to: "precious")
    #expect(symlink("precious", program.folder.path("link.part")) == 0)
    _ = try await program.run("--home", "h", "log", "note", "x")
    let run = try await program.run(
      "--home", "h", "api", "get", "\(server.origin)/echo", "--out", name, "--resume")
    #expect(run.status == .exited(73), "\(run.errorText)")
    #expect(server.requests.isEmpty)
    #expect(try program.text("precious") == "precious")
    let usage = try await program.run("--home", "h", "api", "get", server.origin, "--resume")
    #expect(usage.status == .exited(64))
  }

  @Test("a compressed answer is unpacked up to a limit of the line")
  func aCompressedAnswerIsUnpackedUpToALimit() async throws {
    let run = try await get("/faults/gzip", "--compressed-limit", "199999")
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("--compressed-limit"), "\(run.errorText)")
    #expect(!program.exists("file"))
    let whole = try await get("/faults/gzip", "--compressed-limit", "200000")
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    #expect(try program.folder.read("file").count == 200_000)
  }

  @Test("what a service compresses unasked is refused with --resume, and written without")
  func resumeOfACompressedAnswer() async throws {
    let refused = try await get("/faults/gzip", "--resume")
    #expect(refused.status == .exited(76), "\(refused.errorText)")
    #expect(
      refused.errorText.contains("cannot be continued later: get it in one piece"),
      "\(refused.errorText)")
    let whole = try await get("/faults/gzip")
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    #expect(try program.folder.read("file").count == 200_000)
  }

  @Test("progress is shown at a terminal, and taken away")
  func progressIsShownAtATerminal() async throws {
    let server = try TestHTTPServer { _ in
      .drip(chunk: String(repeating: "x", count: 1000), times: 36_000, milliseconds: 50)
    }
    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "--no-init")
    #expect(await terminal.waitForOutput("board> "))
    terminal.type("api get \(server.origin)/ --out file\r")
    #expect(await terminal.waitForOutput("KiB/s"), "\(terminal.outputText)")
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("cancelled"), "\(terminal.outputText)")
    terminal.type("\u{4}")
    _ = await terminal.wait()
    #expect(!program.exists("file"))
    #expect(try program.files().filter { $0.hasSuffix(".tmp") } == [])
  }
}
