import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LiveAPIClientRedirectTests {
  let server: TestHTTPServer
  let client = LiveAPIClient()

  init() throws { server = try TestHTTPServer() }

  private func send(
    _ method: String = "GET", status: Int = 302, to target: String, follow: Int = 5,
    body: String? = nil
  ) async throws -> APIResponse {
    let url = try URLBuilder("\(server.origin)/faults/redirect").appending(query: [
      QueryItem("to", target), QueryItem("status", String(status)),
    ])
    return try await client.send(
      APIRequest(
        method: method, url: url.url,
        headers: [
          HTTPHeader("authorization", "Bearer hidden"), HTTPHeader("X-API-KEY", "hidden"),
          HTTPHeader("Cookie", "hidden"), HTTPHeader("X-Plain", "shown"),
          HTTPHeader("Content-Type", "text/plain"),
        ],
        body: body.map { Data($0.utf8) }, timeout: .seconds(3600), redirectLimit: follow,
        secretHeaders: ["x-api-key"]))
  }

  @Test("without leave a redirect is the answer") func withoutLeaveARedirectIsTheAnswer()
    async throws
  {
    let response = try await send(to: "/echo", follow: 0)
    #expect(response.status == 302)
    #expect(response.headers.value(of: "Location") == "/echo")
    #expect(response.redirects == 0)
    #expect(server.requests.count == 1)
  }

  @Test("the same origin gets everything") func theSameOriginGetsEverything() async throws {
    let response = try await send(to: "/echo?a=1#part")
    #expect(response.status == 200)
    #expect(response.redirects == 1)
    #expect(response.url == "\(server.origin)/echo?a=1")
    let request = try #require(server.requests.last)
    #expect(request.header("Authorization") == "Bearer hidden")
    #expect(request.header("X-Api-Key") == "hidden")
    #expect(request.header("Cookie") == "hidden")
  }

  @Test(
    "the bytes of a target are asked for, in whatever encoding they are",
    arguments: [
      ([0x63, 0xE9], "/c%E9"), ([0x63, 0xC3, 0xA9], "/c%C3%A9"),
      ([0xE9, 0x25, 0x32, 0x46], "/%E9%2F"),
    ] as [([UInt8], String)])
  func theBytesOfATarget(bytes: [UInt8], path: String) async throws {
    let server = try TestHTTPServer { request in
      guard request.path == "/from" else { return .response(.init(200)) }
      return .raw(
        Array("HTTP/1.1 302 F\r\nLocation: /".utf8) + bytes
          + Array(" \r\nLocation: /other\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let response = try await client.send(
      APIRequest(url: server.origin + "/from", timeout: nil, redirectLimit: 1))
    #expect(server.requests.last?.target == path)
    #expect(response.url == server.origin + path)
  }

  @Test(
    "the answer names the addresses that a change was sent to and that did not refuse it",
    arguments: [
      ("PUT", 307, 200, ["/from", "/to"]), ("PUT", 307, 409, ["/from"]),
      ("POST", 303, 200, ["/from"]), ("GET", 302, 200, []), ("PUT", 200, 200, []),
    ])
  func changedURLs(
    method: String, redirect: Int, status: Int, paths: [String]
  ) async throws {
    let server = try TestHTTPServer { request in
      request.path == "/from"
        ? .response(.init(redirect, headers: [("Location", "/to")]))
        : .response(.init(status))
    }
    let response = try await client.send(
      APIRequest(method: method, url: server.origin + "/from", timeout: nil, redirectLimit: 1))
    #expect(response.changedURLs == paths.map { server.origin + $0 })
  }

  @Test("another host gets no secret") func anotherHostGetsNoSecret() async throws {
    let response = try await send(to: "http://localhost:\(server.port)/echo")
    #expect(response.status == 200)
    let request = try #require(server.requests.last)
    #expect(request.header("Host") == "localhost:\(server.port)")
    #expect(request.header("X-Plain") == "shown")
    #expect(!request.headers.contains { $0.value.contains("hidden") })
  }

  @Test("another port gets no secret also on the way back")
  func anotherPortGetsNoSecretAlsoOnTheWayBack() async throws {
    let origin = server.origin
    let other = try TestHTTPServer { _ in
      .response(.init(302, headers: [("Location", "\(origin)/echo")]))
    }
    let response = try await send(to: "\(other.origin)/")
    #expect(response.redirects == 2)
    #expect(other.requests.last?.headers.contains { $0.value.contains("hidden") } == false)
    #expect(server.requests.last?.headers.contains { $0.value.contains("hidden") } == false)
  }

  @Test(
    "methods follow the status",
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
      (308, "POST", "POST"), (301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
      (307, "DELETE", "DELETE"),
    ])
  func methodsFollowTheStatus(status: Int, method: String, expected: String) async throws {
    let body = method == "HEAD" ? nil : "text"
    _ = try await send(method, status: status, to: "/echo", body: body)
    let request = try #require(server.requests.last)
    #expect(request.path == "/echo")
    #expect(request.method == expected)
    #expect(request.bodyText == (expected == "GET" ? "" : body ?? ""))
    #expect((request.header("Content-Type") == nil) == (expected == "GET"))
  }

  @Test("behind as many redirects as may be followed, the next one is the answer")
  func aLoopEnds() async throws {
    let response = try await client.send(
      APIRequest(url: server.origin + "/faults/loop", timeout: .seconds(3600), redirectLimit: 3))
    #expect(response.status == 302)
    #expect(response.headers.value(of: "Location") == "/faults/loop")
    #expect(response.redirects == 3)
    #expect(server.requests.count == 4)
  }

  /// The answer is the server's fault, never the user's.
  @Test(
    "a redirect to what cannot be used is malformed",
    arguments: [
      "file:///etc/passwd", "FILE:/x", "gopher://127.0.0.1/_x", "ftp://h/x", "javascript:alert(1)",
      "mailto:a@b", "http://", "http:/x", "https://h:99999/", "http://user:hidden@h/",
      "http://a b/",
      "//",
    ])
  func aTargetThatCannotBeUsed(target: String) async throws {
    let error = await #expect(throws: APIError.self) { try await send(to: target) }
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    #expect(error?.message.contains("hidden") == false)
    #expect(server.requests.count == 1)
  }

  // MARK: Secrets in bodies and addresses

  private func sendSecretBody(_ method: String, _ status: Int, to target: String) async throws
    -> APIResponse
  {
    let url = try URLBuilder("\(server.origin)/faults/redirect").appending(query: [
      QueryItem("to", target), QueryItem("status", String(status)),
    ])
    return try await client.send(
      APIRequest(
        method: method, url: url.url, body: Data("password=hidden-value".utf8),
        timeout: .seconds(3600), redirectLimit: 5,
        secretValues: ["hidden-value"], hasSecretBody: true))
  }

  @Test(
    "a secret body goes to no other host",
    arguments: [(307, "POST"), (308, "POST"), (307, "PUT"), (301, "PUT"), (302, "PATCH")])
  func aSecretBodyGoesToNoOtherHost(status: Int, method: String) async throws {
    let other = try TestHTTPServer()
    for target in ["\(other.origin)/echo?a=1", "http://localhost:\(server.port)/echo"] {
      let error = await #expect(throws: APIError.self) {
        try await sendSecretBody(method, status, to: target)
      }
      #expect(error?.kind == .redirectRefused)
      let message = try #require(error?.message)
      #expect(message.contains("\(server.origin)/faults/redirect"))
      #expect(message.contains(target.prefix { $0 != "?" }))
      #expect(!message.contains("hidden"))
    }
    #expect(other.requests.isEmpty)
    #expect(server.requests.allSatisfy { $0.path == "/faults/redirect" })
  }

  @Test("a secret body stays behind where the redirect drops it")
  func aSecretBodyStaysBehindWhereTheRedirectDropsIt() async throws {
    let other = try TestHTTPServer()
    for status in [301, 302, 303] {
      let response = try await sendSecretBody("POST", status, to: "\(other.origin)/echo")
      #expect(response.status == 200)
    }
    #expect(other.requests.map(\.method) == ["GET", "GET", "GET"])
    #expect(other.requests.allSatisfy { $0.body.isEmpty })
  }

  @Test("a secret body is sent again to the same place") func aSecretBodyIsSentAgainToTheSamePlace()
    async throws
  {
    let response = try await sendSecretBody("POST", 307, to: "/echo")
    #expect(response.status == 200)
    #expect(server.requests.last?.bodyText == "password=hidden-value")
  }

  @Test("a chain is judged at each redirect") func aChainIsJudgedAtEachRedirect() async throws {
    let other = try TestHTTPServer()
    let first = "/faults/redirect?status=308&to=\(other.origin)/echo"
    let error = await #expect(throws: APIError.self) {
      try await sendSecretBody("POST", 307, to: first)
    }
    #expect(error?.kind == .redirectRefused)
    #expect(server.requests.count == 2)
    #expect(other.requests.isEmpty)
  }

  @Test("a body without a secret goes on") func aBodyWithoutASecretGoesOn() async throws {
    let other = try TestHTTPServer()
    let response = try await send("POST", status: 307, to: "\(other.origin)/echo", body: "text")
    #expect(response.status == 200)
    #expect(other.requests.last?.bodyText == "text")
  }

  /// Servers that move often repeat the query of what they were asked.
  @Test(
    "another host gets no secret in its query",
    arguments: [
      ("apikey=hidden%2Bvalue%201&page=2", "page=2"), ("page=2&apikey=hidden+value%201", "page=2"),
      ("page=2&x=before-hidden%2bvalue+1-behind", "page=2"), ("hidden%2Bvalue%201", nil),
      ("hidden%2Bvalue%201=x", nil),
      ("next=http%3A%2F%2Fh%2F%3Fapikey%3Dhidden%252Bvalue%25201&page=2", "page=2"),
      ("short=ab&page=2&long=cabin", "page=2&long=cabin"),
      ("page=2", "page=2"),
    ])
  func anotherHostGetsNoSecretInItsQuery(query: String, kept: String?) async throws {
    let origin = server.origin
    let other = try TestHTTPServer { request in
      guard request.path == "/away" else { return nil }
      return .response(.init(302, headers: [("Location", "\(origin)/echo?\(query)")]))
    }
    let response = try await client.send(
      APIRequest(
        url: "\(other.origin)/away?apikey=hidden%2Bvalue%201&short=ab", timeout: .seconds(3600),
        redirectLimit: 5,
        secretValues: ["hidden+value 1", "ab"]))
    let expected = "/echo" + (kept.map { "?\($0)" } ?? "")
    #expect(server.requests.last?.target == expected)
    #expect(response.url == origin + expected)
    // Within one place it is the server's own.
    _ = try await client.send(
      APIRequest(
        url: "\(origin)/faults/redirect?to=/echo?\(query.replacing("&", with: "%26"))",
        timeout: .seconds(3600),
        redirectLimit: 5, secretValues: ["hidden+value 1", "ab"]))
    #expect(server.requests.last?.path == "/echo")
    #expect(server.requests.last?.query.isEmpty == false)
  }

  @Test(
    "a secret in the path goes to no other host",
    arguments: ["/files/hidden-value/x", "/files/a-hidden%2Dvalue-b", "/ab", "/files/ab/x"])
  func aSecretInThePathGoesToNoOtherHost(path: String) async throws {
    let other = try TestHTTPServer()
    let error = await #expect(throws: APIError.self) {
      try await client.send(
        APIRequest(
          url: "\(server.origin)/faults/redirect?to=\(other.origin)\(path)",
          timeout: .seconds(3600), redirectLimit: 5,
          secretValues: ["hidden-value", "ab"]))
    }
    #expect(error?.kind == .redirectRefused)
    #expect(error?.message.contains("hidden") == false)
    #expect(other.requests.isEmpty)
  }

  @Test("the time limit holds for the whole chain") func theTimeLimitHoldsForTheWholeChain()
    async throws
  {
    let url = "\(server.origin)/faults/redirect?to=/faults/hang"
    let error = await #expect(throws: APIError.self) {
      // Real time: the limit is libcurl's own.
      try await client.send(APIRequest(url: url, timeout: .milliseconds(200), redirectLimit: 1))
    }
    #expect(error?.kind == .timeout)
  }
}
