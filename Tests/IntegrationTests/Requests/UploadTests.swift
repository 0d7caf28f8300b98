import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What a request sends: files, standard input, forms, headers and methods, as they arrive.
@Suite(.timeLimit(.minutes(20)))
struct UploadTests {
  let server: TestHTTPServer
  let program: Program

  init() throws {
    server = try TestHTTPServer { _ in .response(.init(json: #"{"ok":true}"#)) }
    program = try Program()
  }

  /// Runs `api post URL` with more words, and gives what arrived.
  private func post(_ words: String..., stdin: String = "") async throws -> TestHTTPServer.Request {
    let run = try await program.run(
      ["--home", "h", "api", "post", server.origin] + words, stdin: stdin)
    #expect(run.status == .exited(0), "\(run.errorText)")
    return try #require(server.requests.last)
  }

  @Test("a file is the body, of any size, with the type of its name")
  func aFileIsTheBody() async throws {
    for (name, count, type) in [
      ("a.json", 5, "application/json"), ("b.png", 3_000_001, "image/png"), ("c", 0, nil),
    ] {
      let bytes = TestHTTPServer.pattern(0..<count)
      try program.folder.write(bytes, to: name)
      let request = try await post("@\(name)")
      #expect(request.body == bytes)
      #expect(request.header("Content-Type") == type)
      #expect(request.header("Content-Length") == "\(count)")
      #expect(request.header("Transfer-Encoding") == nil)
    }
    let typed = try await post("@a.json", "Content-Type:text/x")
    #expect(typed.header("Content-Type") == "text/x")
    let missing = try await program.run("--home", "h", "api", "post", server.origin, "@nothing")
    #expect(missing.status == .exited(66))
    let two = try await program.run(
      "--home", "h", "api", "post", server.origin, "@a.json", "k=v")
    #expect(two.status == .exited(64))
  }

  @Test("standard input is the body, short or long") func standardInputIsTheBody() async throws {
    let short = try await post("@-", stdin: "hello")
    #expect(short.bodyText == "hello")
    #expect(short.header("Content-Length") == "5")
    let text = String(repeating: "0123456789", count: 300_000)
    let long = try await post("@-", stdin: text)
    #expect(long.bodyText == text)
    #expect(long.header("Transfer-Encoding") == "chunked")

    let count = server.requests.count
    let empty = try await program.run(["--home", "h", "api", "post", server.origin, "@-"])
    #expect(empty.status == .exited(64), "\(empty.errorText)")
    let script = try await program.run(
      ["--home", "h"], stdin: "api post \(server.origin) @-\nnot read as a body\n")
    #expect(script.status == .exited(64))
    #expect(script.errorText.contains("@FILE"), "\(script.errorText)")
    #expect(server.requests.count == count)
  }

  @Test("members come from files, as text and as JSON") func membersComeFromFiles() async throws {
    try program.folder.write("line\n", to: "t.txt")
    try program.folder.write("[1, 2.50]", to: "j.json")
    let request = try await post("a=@t.txt", "b:=@j.json", #"c=\@t.txt"#)
    #expect(request.bodyText == #"{"a":"line\n","b":[1, 2.50],"c":"@t.txt"}"#)
    try program.folder.write("nope", to: "bad.json")
    let bad = try await program.run(
      "--home", "h", "api", "post", server.origin, "b:=@bad.json")
    #expect(bad.status == .exited(65))
  }

  @Test("JSON of a member is sent as it was given, with each of its members")
  func jsonIsSentAsGiven() async throws {
    let json = #"{"x": 1.0, "x": "\u00e9"}"#
    try program.folder.write("\(json)\n", to: "j.json")
    #expect(try await post("a:=\(json)").bodyText == #"{"a":\#(json)}"#)
    #expect(try await post("b:=@j.json").bodyText == #"{"b":\#(json)}"#)
    let form = try await post("--form", #"a:={"x":1,"x":2}"#)
    #expect(form.bodyText == "a=%7B%22x%22%3A1%2C%22x%22%3A2%7D")
    let parts = try await post("--multipart", "b:=@j.json")
    #expect(parts.bodyText.contains("\r\n\r\n\(json)\r\n"))

    let echo = try TestHTTPServer { _ in .response(.init(json: #"{"x":1,"x":2}"#)) }
    let run = try await program.run(
      "--home", "h", "-c", "api get \(echo.origin)", "-c",
      "api post \(server.origin) 'a':={{last.body}}")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.last?.bodyText == #"{"a":{"x":1,"x":2}}"#)
  }

  @Test("a form is encoded, by an option or by its type") func aFormIsEncoded() async throws {
    for words in [["--form"], ["Content-Type:application/x-www-form-urlencoded"]] {
      let run = try await program.run(
        ["--home", "h", "api", "post", server.origin, "a=x y&=é", "n:=1.50", "s:=\"t\""] + words)
      #expect(run.status == .exited(0), "\(run.errorText)")
      let request = try #require(server.requests.last)
      #expect(request.bodyText == "a=x%20y%26%3D%C3%A9&n=1.50&s=t")
      #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
    }
  }

  @Test("files and texts are parts, streamed where they are long")
  func filesAndTextsAreParts() async throws {
    let bytes = TestHTTPServer.pattern(0..<2_000_000)
    try program.folder.write(bytes, to: "big.bin")
    try program.folder.write("hi", to: "x\".txt")
    let request = try await post(
      "a=1", "f@big.bin", "g@x\".txt;type=text/special", "b:={\"c\":1}")
    let type = try #require(request.header("Content-Type"))
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(type.hasPrefix("multipart/form-data; boundary="))
    let head =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"f\"; filename=\"big.bin\"\r\n"
      + "Content-Type: application/octet-stream\r\n\r\n"
    let tail =
      "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"g\"; filename=\"x%22.txt\"\r\n"
      + "Content-Type: text/special\r\n\r\nhi\r\n"
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n{\"c\":1}\r\n--\(boundary)--\r\n"
    #expect(request.body == Array(head.utf8) + bytes + Array(tail.utf8))
    #expect(request.header("Content-Length") == "\(request.body.count)")
    let small = try await post("--multipart", "a=1")
    #expect(small.bodyText.contains("name=\"a\"\r\n\r\n1\r\n"))
  }

  @Test(
    "a body from a pipe is not sent again, and its advice is no retry",
    arguments: [nil, "0", "5"] as [String?])
  func aBodyThatIsSentOnce(wait: String?) async throws {
    let headers = wait.map { [("Retry-After", $0)] } ?? []
    let server = try TestHTTPServer { _ in .response(.init(503, headers: headers)) }
    let run = try await program.run(
      ["--home", "h", "api", "put", server.origin, "--retry", "3", "@-"], stdin: "x")
    #expect(run.status == .exited(5), "\(run.errorText)")
    #expect(server.requests.count == 1)
    let begin = "help: the service failed; the body comes from a pipe and cannot be sent again"
    #expect(run.errorText.contains(begin), "\(run.errorText)")
    #expect(run.errorText.contains("asks to wait") == (wait == "5"), "\(run.errorText)")
    #expect(!run.errorText.contains("tries again"), "\(run.errorText)")
  }

  @Test("a text is the body as it is") func aTextIsTheBody() async throws {
    let request = try await post("--json-body", #"{"a": [1,  2]}"#)
    #expect(request.bodyText == #"{"a": [1,  2]}"#)
    #expect(request.header("Content-Type") == "application/json")
    let both = try await program.run(
      "--home", "h", "api", "post", server.origin, "--json-body", "{}", "a=1")
    #expect(both.status == .exited(64))
    let options = try await program.run(
      "--home", "h", "api", "post", server.origin, "--json-body", "{}", "--form")
    #expect(options.status == .exited(64))
  }

  @Test("headers are taken away and sent empty") func headersAreTakenAway() async throws {
    let request = try await post(
      "User-Agent:", "Accept:", "Accept-Encoding:", "X-Empty;", "a=1", "Content-Type:")
    for name in ["User-Agent", "Accept", "Accept-Encoding", "Content-Type"] {
      #expect(request.header(name) == nil, "\(name)")
    }
    #expect(request.header("X-Empty") == "")
    #expect(request.bodyText == #"{"a":"1"}"#)
  }

  @Test("any word in capitals is a method", arguments: ["PURGE", "GET", "OPTIONS", "M-SEARCH"])
  func anyWordInCapitalsIsAMethod(method: String) async throws {
    let run = try await program.run(
      "--home", "h", "api", method, "\(server.origin)/x", "q==1", "X-A:b")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let request = try #require(server.requests.last)
    #expect(request.method == method)
    #expect(request.target == "/x?q=1")
    #expect(request.header("X-A") == "b")
    let none = try await program.run("--home", "h", "api", method)
    #expect(none.status == .exited(64))
    let secret = try await program.run(
      "--home", "h", "api", method, "\(server.origin)/x?token=abcdef")
    #expect(secret.status == .exited(64))
  }

  @Test("a long file with a mark in place of a secret is not sent whole")
  func aLongFileWithAMarkIsNotSent() async throws {
    let filler = String(repeating: "x", count: 1 << 20)
    for offset in [0, 5, 12] {
      try program.folder.write(
        String(filler.dropLast(offset)) + "«secret:k»" + filler + filler, to: "long")
      let run = try await program.run("--home", "h", "api", "post", server.origin, "@long")
      #expect(run.status == .exited(65), "\(run.errorText)")
      #expect(run.errorText.contains("in place of a value"))
    }
    #expect(server.requests.isEmpty)
  }

  @Test("a recorded upload replays without the file") func aRecordedUploadReplays() async throws {
    try program.folder.write(TestHTTPServer.pattern(0..<3_000_000), to: "big")
    let run = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c", "api post \(server.origin) @big", "-c",
      "api put \(server.origin) f@big --show-request")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.folder.read("r.jsonl").count < 20_000)
    server.stop()
    try FileManager.default.removeItem(atPath: program.folder.path("big"))
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.output == run.output)
  }
}
