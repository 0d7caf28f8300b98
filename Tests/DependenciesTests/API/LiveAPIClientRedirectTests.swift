import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite(.timeLimit(.minutes(60)))
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
        body: body.map { Data($0.utf8) }, timeout: nil, redirectLimit: follow,
        secretHeaders: ["x-api-key"]))
  }

  @Test func withoutLeaveARedirectIsTheAnswer() async throws {
    let response = try await send(to: "/echo", follow: 0)
    #expect(response.status == 302)
    #expect(response.headers.value(of: "Location") == "/echo")
    #expect(response.redirects == 0)
    #expect(server.requests.count == 1)
  }

  @Test func theSameOriginGetsEverything() async throws {
    let response = try await send(to: "/echo?a=1#part")
    #expect(response.status == 200)
    #expect(response.redirects == 1)
    #expect(response.url == "\(server.origin)/echo?a=1")
    let request = try #require(server.requests.last)
    #expect(request.header("Authorization") == "Bearer hidden")
    #expect(request.header("X-Api-Key") == "hidden")
    #expect(request.header("Cookie") == "hidden")
  }

  @Test func anotherHostGetsNoSecret() async throws {
    let response = try await send(to: "http://localhost:\(server.port)/echo")
    #expect(response.status == 200)
    let request = try #require(server.requests.last)
    #expect(request.header("Host") == "localhost:\(server.port)")
    #expect(request.header("X-Plain") == "shown")
    #expect(!request.headers.contains { $0.value.contains("hidden") })
  }

  @Test func anotherPortGetsNoSecretAlsoOnTheWayBack() async throws {
    let origin = server.origin
    let other = try TestHTTPServer { _ in
      .response(.init(302, headers: [("Location", "\(origin)/echo")]))
    }
    let response = try await send(to: "\(other.origin)/")
    #expect(response.redirects == 2)
    #expect(other.requests.last?.headers.contains { $0.value.contains("hidden") } == false)
    #expect(server.requests.last?.headers.contains { $0.value.contains("hidden") } == false)
  }

  @Test(arguments: [
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

  @Test func aLoopEnds() async throws {
    let error = await #expect(throws: APIError.self) {
      try await client.send(
        APIRequest(url: server.origin + "/faults/loop", timeout: nil, redirectLimit: 3))
    }
    #expect(error?.kind == .tooManyRedirects)
    #expect(server.requests.count == 4)
  }

  @Test(arguments: [
    ("file:///etc/passwd", APIError.Kind.unsupportedScheme), ("http://", .malformed),
    ("http://user:hidden@h/", .malformed),
  ])
  func aTargetThatCannotBeUsed(target: String, kind: APIError.Kind) async throws {
    let error = await #expect(throws: APIError.self) { try await send(to: target) }
    #expect(error?.kind == kind)
    #expect(error?.message.contains("hidden") == false)
  }

  @Test func theTimeLimitHoldsForTheWholeChain() async throws {
    let url = "\(server.origin)/faults/redirect?to=/faults/hang"
    let error = await #expect(throws: APIError.self) {
      try await client.send(APIRequest(url: url, timeout: .milliseconds(200), redirectLimit: 1))
    }
    #expect(error?.kind == .timeout)
  }
}
