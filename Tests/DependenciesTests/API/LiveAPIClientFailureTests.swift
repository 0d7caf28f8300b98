import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// What goes wrong is told precisely, and tells no secret.
@Suite(.timeLimit(.minutes(20)))
struct LiveAPIClientFailureTests {
  let server: TestHTTPServer
  let client = LiveAPIClient()

  init() throws { server = try TestHTTPServer() }

  private func failure(
    _ url: String, timeout: Duration? = nil, headers: [HTTPHeader] = [],
    method: String = "GET"
  ) async -> APIError? {
    await #expect(throws: APIError.self) {
      try await client.send(
        APIRequest(method: method, url: url, headers: headers, timeout: timeout))
    }
  }

  @Test(
    "a broken answer fails by its kind and shows no secret",
    arguments: [
      ("cut", APIError.Kind.truncated), ("empty", .truncated), ("reset", .truncated),
      ("garbage", .malformed), ("old", .malformed),
    ])
  func aBrokenAnswer(fault: String, kind: APIError.Kind) async throws {
    let error = await failure("\(server.origin)/faults/\(fault)?apikey=hidden")
    #expect(error?.kind == kind)
    #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    #expect(error?.message.contains("hidden") == false)
    // The client is none the worse for it.
    #expect(
      try await client.send(APIRequest(url: server.origin + "/echo", timeout: nil)).status == 200)
  }

  @Test("an answer that is no HTTP is malformed on a connection that was used before, too")
  func garbageOnAUsedConnection() async throws {
    let server = try TestHTTPServer { request in
      switch request.path {
      case "/garbage": .raw(Array("\u{0}\u{1}garbage\r\n\r\n".utf8))
      case "/version": .raw(Array("HTTP/1.1 abc S\r\n\r\n".utf8))
      default: .response(.init(json: "1"))
      }
    }
    for fault in ["/garbage", "/version"] {
      _ = try await client.send(APIRequest(url: server.origin + "/good", timeout: nil))
      let error = await failure(server.origin + fault)
      #expect(error?.kind == .malformed, "\(fault): \(error?.message ?? "none")")
      #expect(error?.message.contains("is not HTTP") == true)
    }
  }

  @Test("a POST is not sent again where a kept connection closes before its answer; a GET is")
  func closedKeptConnection() async throws {
    let isClosing = Mutex(true)
    let server = try TestHTTPServer { request in
      guard request.path == "/second" else { return .response(.init(json: "1")) }
      let closes = isClosing.withLock { value in
        defer { value = false }
        return value
      }
      return closes ? .raw([]) : .response(.init(json: "2"))
    }
    for (method, headers) in [("POST", [HTTPHeader]()), ("PATCH", []), ("GET", [])] {
      isClosing.withLock { $0 = true }
      _ = try await client.send(APIRequest(url: server.origin + "/first", timeout: nil))
      let before = server.requests.count
      let request = APIRequest(
        method: method, url: server.origin + "/second", headers: headers,
        body: method == "GET" ? nil : Data("order=1".utf8), timeout: nil)
      if method == "GET" {
        #expect(try await client.send(request).status == 200)
      } else {
        let error = await #expect(throws: APIError.self) { try await client.send(request) }
        #expect(error?.kind == .truncated)
        #expect(error?.message.hasSuffix("may have carried out the request") == true)
      }
      #expect(server.requests.count - before == (method == "GET" ? 2 : 1), "\(method)")
    }
  }

  @Test("each GET on a kept connection that has closed is sent again, however many there are")
  func closedKeptConnections() async throws {
    let isClosing = Mutex(false)
    let server = try TestHTTPServer { request in
      let closes = isClosing.withLock { value in
        defer { value = false }
        return value
      }
      return closes ? .raw([]) : .response(.init(json: "1"))
    }
    for _ in 0..<12 {
      _ = try await client.send(APIRequest(url: server.origin + "/first", timeout: nil))
      isClosing.withLock { $0 = true }
      let answer = try await client.send(APIRequest(url: server.origin + "/second", timeout: nil))
      #expect(answer.status == 200)
    }
    #expect(server.requests.count == 36)
  }

  @Test("a GET that changes something is not sent again, and a POST with an Idempotency-Key is")
  func repeatable() {
    var request = APIRequest(url: "http://h/")
    #expect(request.isRepeatable)
    request.isIdempotent = false
    #expect(!request.isRepeatable)
    var post = APIRequest(method: "POST", url: "http://h/")
    #expect(!post.isRepeatable)
    post.headers = [HTTPHeader("Idempotency-Key", "1")]
    #expect(post.isRepeatable)
  }

  @Test("a POST that was redirected is not sent again, because it was carried out")
  func redirectedToNowhere() async throws {
    let closed = try ClosedPort()
    for status in [301, 302, 303, 307, 308] {
      let server = try TestHTTPServer { _ in
        .response(
          .init(status, headers: [("Location", "http://127.0.0.1:\(closed.number)/done")]))
      }
      for method in ["POST", "GET"] {
        let error = await #expect(throws: APIError.self) {
          try await client.send(
            APIRequest(method: method, url: server.origin, timeout: nil, redirectLimit: 2))
        }
        #expect(error?.kind == .refused)
        #expect(error?.isFinal == (method == "POST" ? true : nil), "\(status)")
        #expect(error?.isTemporary == (method == "GET"), "\(status)")
      }
    }
  }

  @Test("a host name beyond ASCII is sent in its ASCII form")
  func internationalName() async throws {
    let proxy = try TestHTTPServer { _ in .response(.init(json: "1")) }
    var request = APIRequest(url: "http://b\u{fc}cher.example/x", timeout: nil)
    request.connection.proxy = proxy.origin
    #expect(try await client.send(request).status == 200)
    #expect(proxy.requests.first?.target == "http://xn--bcher-kva.example/x")
  }

  @Test("a damaged compressed body is malformed") func aDamagedCompressedBodyIsMalformed()
    async throws
  {
    let server = try TestHTTPServer { _ in
      .response(.init(200, headers: [("Content-Encoding", "gzip")], body: Array("no gzip".utf8)))
    }
    #expect(await failure(server.origin)?.kind == .malformed)
  }

  @Test("bytes behind the end of a compressed body are malformed, not an error of this program")
  func bytesBehindACompressedBody() async throws {
    let whole = compressedZeros
    let server = try TestHTTPServer { request in
      .response(
        .init(
          200, headers: [("Content-Encoding", "gzip")],
          body: whole + (request.path == "/members" ? whole : Array("more".utf8))))
    }
    let error = await failure(server.origin + "/bytes")
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains("compressed body") == true, "\(error?.message ?? "none")")
    let members = try await client.send(APIRequest(url: server.origin + "/members", timeout: nil))
    #expect(members.body.count == 400_000)
  }

  @Test(
    "a compressed body that is cut off is truncated, although its length is as announced",
    arguments: [1, 10, 30, 229 - 8, 229 - 1])
  func truncatedCompressedBody(count: Int) async throws {
    let server = try TestHTTPServer { _ in
      .response(
        .init(
          200, headers: [("Content-Encoding", "gzip")], body: Array(compressedZeros.prefix(count))))
    }
    let error = await failure(server.origin)
    #expect(error?.kind == .truncated)
    #expect(error?.message.contains("compressed body") == true)
    let stream = try await client.open(APIRequest(url: server.origin, timeout: nil))
    await #expect(throws: APIError.self) { while try await stream.next() != nil {} }
  }

  @Test(
    "a transfer coding that was not asked for is malformed: libcurl does not see where it ends",
    arguments: [
      "gzip, chunked", "GZip\r\ntransfer-encoding: chunked", "deflate", "chunked,\r\n gzip",
    ])
  func transferCoding(codings: String) async throws {
    let server = try TestHTTPServer { _ in
      .raw(
        Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(codings)\r\n\r\n64\r\n".utf8)
          + compressedZeros.prefix(100) + Array("\r\n0\r\n\r\n".utf8))
    }
    let error = await failure(server.origin)
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains("Transfer-Encoding") == true, "\(error?.message ?? "none")")
    await #expect(throws: APIError.self) {
      try await client.open(APIRequest(url: server.origin, timeout: nil))
    }
  }

  @Test(
    "chunks that cannot be told apart, and another protocol, are malformed and not cut off",
    arguments: [
      ("200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", "chunks"),
      ("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n", "chunks"),
      ("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", "damaged"),
      ("200 OK\r\n X-A: a\r\nContent-Length: 3\r\n\r\nabc", "damaged"),
      ("101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nxx", "101"),
    ])
  func otherForms(answer: String, text: String) async throws {
    let server = try TestHTTPServer { _ in .raw(Array("HTTP/1.1 \(answer)".utf8)) }
    let error = await failure(server.origin)
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "none")")
  }

  @Test(
    "encodings stand in several lines, and a whole body is said in several ways",
    arguments: [["identity", "gzip"], ["gzip, identity"], ["none", "X-GZIP"]])
  func encodingLines(lines: [String]) async throws {
    let server = try TestHTTPServer { _ in
      .response(
        .init(200, headers: lines.map { ("Content-Encoding", $0) }, body: compressedZeros))
    }
    let answer = try await client.send(APIRequest(url: server.origin, timeout: nil))
    #expect(!answer.body.isEmpty && answer.body.allSatisfy { $0 == 0 })
  }

  @Test(
    "two encodings of one body are malformed, and not half decoded",
    arguments: [["gzip, deflate"], ["gzip", "gzip"], ["gzip", "br"], ["br, gzip"]])
  func twoEncodings(lines: [String]) async throws {
    let server = try TestHTTPServer { _ in
      .response(
        .init(200, headers: lines.map { ("Content-Encoding", $0) }, body: compressedZeros))
    }
    let error = await failure(server.origin)
    #expect(error?.kind == .malformed)
    #expect(
      error?.message.contains("the Content-Encoding \(lines.joined(separator: ", "))") == true,
      "\(error?.message ?? "none")")
  }

  @Test("the body of a redirect that is followed is not decoded")
  func encodedRedirect() async throws {
    let target = try TestHTTPServer { _ in .response(.init(200, body: [7])) }
    let redirect = try TestHTTPServer { _ in
      .response(
        .init(
          302, headers: [("Location", target.origin), ("Content-Encoding", "br")], body: [1, 2, 3]))
    }
    let answer = try await client.send(
      APIRequest(url: redirect.origin, timeout: nil, redirectLimit: 1))
    #expect(answer.status == 200 && Array(answer.body) == [7])
  }

  /// A server whose body has an encoding that it names without looking at what is accepted. Its
  /// field `X-Accepted` says what that was.
  private func server(
    _ status: Int, encoding: String
  ) throws -> TestHTTPServer {
    try TestHTTPServer { request in
      .response(
        .init(
          status,
          headers: [
            ("Content-Encoding", encoding), ("X-Accepted", request.header("Accept-Encoding") ?? ""),
          ],
          body: [1, 2, 3]))
    }
  }

  @Test("a range is asked for without compression, and comes as it is")
  func compressedRange() async throws {
    let server = try server(206, encoding: "gzip")
    let answer = try await client.send(
      APIRequest(
        url: server.origin, headers: [HTTPHeader("Range", "bytes=5-7")], timeout: nil))
    #expect(Array(answer.body) == [1, 2, 3])
    #expect(answer.headers.value(of: "X-Accepted") == "")
  }

  @Test("an encoding that was not asked for is malformed; one that was asked for comes as it is")
  func unknownEncoding() async throws {
    let server = try server(200, encoding: "br")
    let error = await failure(server.origin)
    #expect(error?.kind == .malformed)
    #expect(
      error?.message.contains("the Content-Encoding br") == true, "\(error?.message ?? "none")")
    let asked = try await client.send(
      APIRequest(
        url: server.origin, headers: [HTTPHeader("Accept-Encoding", "br")], timeout: nil))
    #expect(Array(asked.body) == [1, 2, 3])
    #expect(asked.headers.value(of: "X-Accepted") == "br")
    #expect(!asked.isDecoded)
  }

  @Test(
    "a body comes as it is if the request sets Accept-Encoding or takes it away, as the error says",
    arguments: ["gzip", "identity", nil])
  func ownAcceptEncoding(accepted: String?) async throws {
    let server = try server(200, encoding: "gzip")
    let error = await failure(server.origin)
    #expect(error?.message.contains("such as Accept-Encoding:identity") == true)
    var request = APIRequest(url: server.origin, timeout: nil)
    request.headers = accepted.map { [HTTPHeader("accept-encoding", $0)] } ?? []
    if accepted == nil { request.removedHeaders = ["Accept-Encoding"] }
    let asked = try await client.send(request)
    #expect(Array(asked.body) == [1, 2, 3] && !asked.isDecoded)
    #expect(asked.headers.value(of: "X-Accepted") == accepted ?? "")
  }

  @Test(
    "a service that answers each log-in with a new challenge is asked a few times",
    arguments: ["GET", "POST"])
  func endlessChallenges(method: String) async throws {
    let server = try TestHTTPServer { request in
      .response(
        .init(
          401,
          headers: [
            ("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", stale=true"#)
          ]))
    }
    var request = APIRequest(method: method, url: server.origin, timeout: nil)
    request.digest = APICredentials(user: "joe", password: "hidden")
    do {
      let response = try await client.send(request)
      Issue.record("\(response.status)")
    } catch {
      #expect(error.kind == .malformed)
      #expect(error.message.contains("a new challenge (401)"), "\(error.message)")
    }
    #expect(server.requests.count == 5)
  }

  @Test(
    "Digest sends the name of a user as it is, with quotes and backslashes escaped",
    arguments: [("a \"b\" \\ =", #"a \"b\" \\ ="#), ("\u{e9}", "\u{e9}"), ("", "")])
  func userOfDigest(user: String, quoted: String) async throws {
    let server = try TestHTTPServer { request in
      guard request.header("Authorization") == nil else { return .response(.init(json: "{}")) }
      let challenge = #"Digest realm="r", nonce="n", qop="auth""#
      return .response(.init(401, headers: [("WWW-Authenticate", challenge)]))
    }
    var request = APIRequest(url: server.origin, timeout: nil)
    request.digest = APICredentials(user: user, password: "hidden")
    #expect(try await client.send(request).status == 200)
    let sent = server.requests.last?.header("Authorization") ?? ""
    #expect(sent.contains("username=\"\(quoted)\", "), "\(sent)")
  }

  @Test("a closed port refuses") func aClosedPortRefuses() async throws {
    let port = try ClosedPort()
    let error = await failure("http://127.0.0.1:\(port.number)/path?apikey=hidden")
    withExtendedLifetime(port) {}
    #expect(error?.kind == .refused)
    #expect(error?.message.contains("hidden") == false)
  }

  @Test("an unknown name is DNS") func anUnknownNameIsDNS() async {
    let error = await failure("http://no-such-host.invalid/")
    #expect(error?.kind == .dns)
    #expect(error?.message.contains("no-such-host.invalid") == true)
  }

  @Test("plain HTTP behind HTTPS is TLS") func plainHTTPBehindHTTPSIsTLS() async {
    let error = await failure("https://127.0.0.1:\(server.port)/?apikey=hidden")
    #expect(error?.kind == .tls)
    #expect(error?.message.contains("http://") == true)
    #expect(error?.message.contains("hidden") == false)
  }

  @Test("a missing certificate file is TLS") func aMissingCertificateFileIsTLS() async throws {
    var configuration = LiveAPIClient.Configuration()
    configuration.certificateFile = "/nowhere/authorities.pem"
    let client = LiveAPIClient(configuration: configuration)
    let error = await #expect(throws: APIError.self) {
      try await client.send(APIRequest(url: "https://127.0.0.1:\(server.port)/", timeout: nil))
    }
    #expect(error?.kind == .tls)
  }

  /// Expects that the connection of a request is closed. A request whose time is over before it is
  /// sent has none.
  private func expectClose(path: String) async {
    guard server.requests.contains(where: { $0.path == path }) else { return }
    #expect(await server.waitForClose(path: path))
  }

  @Test("the time limit is in milliseconds") func theTimeLimitIsInMilliseconds() async {
    // Real time: the limit is libcurl's own.
    let clock = ContinuousClock()
    let start = clock.now
    let error = await failure("\(server.origin)/faults/hang", timeout: .milliseconds(400))
    let elapsed = clock.now - start
    #expect(error?.kind == .timeout)
    #expect(error?.message.contains("400 ms") == true)
    // A larger unit would last longer than the suite may.
    #expect(elapsed >= .milliseconds(399))
    await expectClose(path: "/faults/hang")
  }

  @Test("the time limit holds for the whole answer") func theTimeLimitHoldsForTheWholeAnswer() async
  {
    // Real time: the limit is libcurl's own.
    let error = await failure("\(server.origin)/faults/drip", timeout: .milliseconds(250))
    #expect(error?.kind == .timeout)
    await expectClose(path: "/faults/drip")
  }

  @Test("no time is a timeout", arguments: [Duration.zero, .milliseconds(-5)])
  func noTimeIsATimeout(limit: Duration) async {
    #expect(await failure(server.origin + "/echo", timeout: limit)?.kind == .timeout)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a wrong address fails by its kind and shows no password",
    arguments: [
      ("ftp://127.0.0.1/", APIError.Kind.unsupportedScheme),
      ("file:///etc/passwd", .unsupportedScheme),
      ("127.0.0.1/path", .invalidURL), ("http://", .invalidURL),
      ("http://user:pass@h/", .invalidURL),
      ("http://h:99999/", .invalidURL), ("http://a b/", .invalidURL),
      ("http://h/\r\nX: y", .invalidURL),
    ])
  func aWrongAddress(url: String, kind: APIError.Kind) async {
    let error = await failure(url)
    #expect(error?.kind == kind)
    #expect(error?.message.contains("pass@") == false)
  }

  @Test("nothing is smuggled into the head") func nothingIsSmuggledIntoTheHead() async {
    let split = [HTTPHeader("X-A", "1\r\nX-B: 2")]
    #expect(await failure(server.origin, headers: split)?.kind == .invalidURL)
    let wrong = await failure(server.origin, headers: [HTTPHeader("X A", "1")])
    #expect(wrong?.kind == .invalidURL && wrong?.message.contains(#"the name "X A""#) == true)
    #expect(await failure(server.origin, method: "GET / HTTP/1.1\r\n")?.kind == .invalidURL)
    #expect(server.requests.isEmpty)
  }

  @Test("a request shows no secret") func aRequestShowsNoSecret() {
    let request = APIRequest(
      url: "http://h/path?apikey=hidden", headers: [HTTPHeader("X-Api-Key", "hidden")],
      body: Data("hidden".utf8), timeout: .seconds(3600))
    var dumped = ""
    dump(request, to: &dumped)
    #expect("\(request)" == "GET http://h/path")
    #expect(!dumped.contains("hidden"))
    #expect(!String(reflecting: request).contains("hidden"))
  }
}
