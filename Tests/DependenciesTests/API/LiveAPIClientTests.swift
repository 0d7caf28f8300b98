import Dispatch
import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// The client against a real server: what arrives there and what comes back.
@Suite(.timeLimit(.minutes(20)))
struct LiveAPIClientTests {
  let server: TestHTTPServer
  let client = LiveAPIClient()

  init() throws { server = try TestHTTPServer() }

  private func get(
    _ path: String, headers: [HTTPHeader] = [], follow: Int = 0, limit: Int = 16 << 20
  ) async throws(APIError) -> APIResponse {
    try await client.send(
      APIRequest(
        url: server.origin + path, headers: headers, timeout: nil, redirectLimit: follow,
        bodyLimit: limit))
  }

  @Test("any status is an answer", arguments: [200, 201, 204, 304, 400, 404, 418, 429, 500, 503])
  func anyStatusIsAnAnswer(status: Int) async throws {
    let response = try await get("/faults/status/\(status)")
    #expect(response.status == status)
    #expect(response.httpVersion == "1.1")
    #expect(response.url == "\(server.origin)/faults/status/\(status)")
  }

  @Test("an Expect is sent as it is given, and none without one")
  func expect() async throws {
    let body = Data(repeating: 0x61, count: 3 << 20)
    for value in ["100-continue", "", nil] {
      for isUploaded in [false, true] {
        var request = APIRequest(
          method: "POST", url: server.origin + "/echo",
          headers: value.map { [HTTPHeader("Expect", $0)] } ?? [], timeout: nil)
        if isUploaded {
          request.upload = APIUpload(length: Int64(body.count), isRepeatable: true) {
            let rest = Mutex<Data?>(body)
            return { rest.withLock { $0.take() } }
          }
        } else {
          request.body = body
        }
        #expect(try await client.send(request).status == 200)
        let sent = try #require(server.requests.last)
        #expect(sent.header("Expect") == value, "\(sent.headers)")
        #expect(sent.body.count == body.count)
      }
    }
    let answers = try TestHTTPServer { request in
      request.path == "/moved"
        ? .response(.init(303, headers: [("Location", "/echo")])) : nil
    }
    let moved = APIRequest(
      method: "POST", url: answers.origin + "/moved",
      headers: [HTTPHeader("Expect", "100-continue")], body: body, timeout: nil, redirectLimit: 1)
    #expect(try await client.send(moved).status == 200)
    #expect(
      answers.requests.map { $0.header("Expect") } == ["100-continue", nil], "a GET has no body")
  }

  @Test("a header of blanks is sent without a value", arguments: ["", " ", " \t "])
  func aHeaderOfBlanks(value: String) async throws {
    _ = try await get("/echo", headers: [HTTPHeader("X-Blank", value)])
    #expect(server.requests.last?.header("X-Blank") == "")
  }

  @Test("the trailers of an answer are not its headers, whether it has a body or not")
  func trailers() async throws {
    let server = try TestHTTPServer { request in
      let body = request.path == "/body" ? "3\r\nabc\r\n" : ""
      return .raw(
        Array(
          """
          HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Head: 1\r\n\r\n\(body)0\r
          X-Trailer: 1\r\nContent-Type: text/x\r\nContent-Length: x\r\n\r\n
          """.utf8))
    }
    for path in ["/body", "/empty"] {
      let response = try await client.send(APIRequest(url: server.origin + path, timeout: nil))
      #expect(response.body.count == (path == "/body" ? 3 : 0))
      #expect(response.headers.map(\.name) == ["Transfer-Encoding", "X-Head"])
    }
  }

  @Test("the connection is kept") func theConnectionIsKept() async throws {
    let first = try await get("/echo")
    let second = try await get("/echo")
    #expect(server.connectionCount == 1)
    #expect(first.timing.connect > 0)
    #expect(second.timing.connect == 0 && second.timing.lookup == 0)
    #expect(second.timing.total >= second.timing.firstByte && second.timing.firstByte > 0)
  }

  @Test("a kept connection that the server closed is replaced")
  func aKeptConnectionThatTheServerClosedIsReplaced() async throws {
    let answers = try TestHTTPServer { request in
      request.path == "/last"
        ? .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)) : nil
    }
    for _ in 0..<20 {
      let last = APIRequest(url: answers.origin + "/last", timeout: nil)
      #expect(try await client.send(last).status == 200)
    }
  }

  @Test("head has no body") func headHasNoBody() async throws {
    let response = try await client.send(
      APIRequest(method: "HEAD", url: server.origin + "/faults/large?bytes=5000", timeout: nil))
    #expect(response.body.isEmpty)
    #expect(response.headers.value(of: "content-length") == "5000")
  }

  @Test("bodies arrive as they are", arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
  func bodiesArriveAsTheyAre(method: String) async throws {
    let body = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let response = try await client.send(
      APIRequest(
        method: method, url: server.origin + "/echo",
        headers: [HTTPHeader("Content-Type", "application/octet-stream")], body: body, timeout: nil)
    )
    #expect(response.status == 200)
    let request = try #require(server.requests.last)
    #expect(request.method == method)
    #expect(Data(request.body) == body)
    #expect(request.header("Content-Type") == "application/octet-stream")
    #expect(request.header("Expect") == nil)
  }

  @Test("an absent body has a length", arguments: ["POST", "PUT", "PATCH"])
  func anAbsentBodyHasALength(method: String) async throws {
    _ = try await client.send(
      APIRequest(method: method, url: server.origin + "/echo", timeout: nil))
    let request = try #require(server.requests.last)
    #expect(request.method == method)
    #expect(request.header("Content-Length") == "0")
    #expect(request.header("Content-Type") == nil)
  }

  @Test("headers arrive once and in order") func headersArriveOnceAndInOrder() async throws {
    _ = try await get(
      "/echo",
      headers: [
        HTTPHeader("X-One", "1"), HTTPHeader("X-Empty", ""), HTTPHeader("X-One", "2"),
        HTTPHeader("User-Agent", "mine"), HTTPHeader("Content-Length", "99"),
      ])
    let request = try #require(server.requests.last)
    let own = request.headers.filter { $0.name.hasPrefix("X-") }.map { "\($0.name)=\($0.value)" }
    #expect(own == ["X-One=1", "X-Empty=", "X-One=2"])
    #expect(request.header("User-Agent") == "mine")
    #expect(request.header("Content-Length") == nil)
  }

  @Test("repeated headers are kept") func repeatedHeadersAreKept() async throws {
    let headers = try await get("/faults/repeat").headers
    #expect(headers.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1", "b=2"])
    #expect(headers.value(of: "x-empty") == "")
  }

  @Test("cookies are not kept") func cookiesAreNotKept() async throws {
    _ = try await get("/faults/repeat")
    _ = try await get("/echo")
    #expect(server.requests.last?.header("Cookie") == nil)
  }

  @Test("a compressed body is unpacked") func aCompressedBodyIsUnpacked() async throws {
    let response = try await get("/faults/gzip")
    #expect(response.body == Data(count: 200_000))
  }

  @Test("the limit holds for the unpacked body") func theLimitHoldsForTheUnpackedBody() async throws
  {
    let error = await #expect(throws: APIError.self) {
      try await get("/faults/gzip", limit: 50_000)
    }
    #expect(error?.kind == .tooLarge)
  }

  @Test("the limit is exact") func theLimitIsExact() async throws {
    #expect(try await get("/faults/large?bytes=100000", limit: 100_000).body.count == 100_000)
    let error = await #expect(throws: APIError.self) {
      try await get("/faults/large?bytes=100001", limit: 100_000)
    }
    #expect(error?.kind == .tooLarge)
    #expect(error?.message.contains("100000 bytes") == true)
  }

  @Test("too many headers are refused") func tooManyHeadersAreRefused() async throws {
    #expect(try await get("/faults/headers?bytes=200000").headers.count > 190)
    let error = await #expect(throws: APIError.self) {
      try await get("/faults/headers?bytes=1200000")
    }
    // No file would take them.
    #expect(error?.kind == .malformed)
  }

  @Test("a challenge is an answer") func aChallengeIsAnAnswer() async throws {
    let refused = try await get("/faults/basic")
    #expect(refused.status == 401)
    #expect(refused.headers.value(of: "WWW-Authenticate") == "Basic realm=\"x\"")
    let accepted = try await get(
      "/faults/basic", headers: [HTTPHeader("Authorization", "Basic dXNlcjpwYXNz")])
    #expect(accepted.status == 200)
  }

  @Test("validators are honoured") func validatorsAreHonoured() async throws {
    let first = try await get("/api/character/1")
    let tag = try #require(first.headers.value(of: "ETag"))
    let second = try await get("/api/character/1", headers: [HTTPHeader("If-None-Match", tag)])
    #expect(second.status == 304)
    #expect(second.body.isEmpty)
  }

  @Test("fifty requests at once are answered") func fiftyAtOnce() async throws {
    // No answer before all fifty are there: they really run side by side.
    let gate = Gate(count: 50)
    let crowded = try TestHTTPServer { _ in
      gate.pass()
      return .response(.init(json: "1"))
    }
    let statuses = await withTaskGroup(of: Int?.self) { group in
      for index in 0..<50 {
        group.addTask {
          try? await client.send(APIRequest(url: "\(crowded.origin)/\(index)", timeout: nil)).status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 50))
  }

  @Test("connections to a host are limited") func connectionsToAHostAreLimited() async throws {
    var configuration = LiveAPIClient.Configuration()
    configuration.connectionsPerHost = 4
    let limited = LiveAPIClient(configuration: configuration)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          // Not a test of speed: without a time limit, however busy the machine.
          do {
            let request = APIRequest(url: server.origin + "/echo", timeout: nil)
            let status = try await limited.send(request).status
            #expect(status == 200)
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(server.connectionCount <= 4)
    #expect(server.requests.count == 100)
  }
}

/// Blocks threads until all have arrived. For the server's threads only.
private final class Gate: Sendable {
  private let group: DispatchGroup

  init(count: Int) {
    group = DispatchGroup()
    for _ in 0..<count { group.enter() }
  }

  func pass() {
    group.leave()
    group.wait()
  }
}
