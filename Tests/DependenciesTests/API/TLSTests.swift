import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Real servers whose certificates do not hold. What is kept of them is no answer then.
@Suite("TLS", .enabled(if: TestTLSServer.isAvailable), .timeLimit(.minutes(20)))
struct TLSTests {
  /// Asks with an answer in the cache that would do.
  private func fetch(_ url: String, authority: String?) async throws
    -> Result<Fetched<APIResponse>, APIError>
  {
    var configuration = LiveAPIClient.Configuration()
    configuration.certificateFile = authority
    configuration.certificateFolder = nil
    let cache = MockPersistenceService()
    try await cache.storeResponse(
      CachedResponse(
        key: "k", service: "", status: 200, headers: [], body: Data("kept".utf8), stored: 0,
        expires: nil))
    return await ResponseRepository(
      client: LiveAPIClient(configuration: configuration), cache: cache
    ).fetch(
      request: APIRequest(url: url, timeout: .seconds(3600)), key: "k", service: "",
      policy: .remoteFirst, now: 1)
  }

  @Test("a certificate that holds is trusted, and a server that is gone is stood in for")
  func trusted() async throws {
    let server = try await TestTLSServer()
    let answer = try await fetch(server.origin, authority: server.authority).get()
    #expect(answer.verdict == .miss)
    #expect(answer.value.status == 200)
    await server.stop()
    let kept = try await fetch(server.origin, authority: server.authority).get()
    #expect(kept.verdict == .stale)
    #expect(kept.networkError?.kind == .refused)
  }

  @Test(
    "an expired certificate and one of another host are told apart",
    arguments: [(TestTLSServer.Fault.expired, TLSProblem.outOfDate), (.otherHost, .otherHost)])
  func untrusted(fault: TestTLSServer.Fault, problem: TLSProblem) async throws {
    let server = try await TestTLSServer(fault)
    let result = try await fetch(server.origin, authority: server.authority)
    let error = #expect(throws: APIError.self) { try result.get() }
    #expect(error?.kind == .tls)
    #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    #expect(error?.tlsProblem == problem)
    #expect(
      error?.message.contains("the authority that signed") == false, "\(error?.message ?? "")")
  }

  @Test("of an authority that nobody knows")
  func unknownIssuer() async throws {
    let (server, other) = (try await TestTLSServer(), try await TestTLSServer())
    let result = try await fetch(server.origin, authority: other.authority)
    #expect(throws: APIError.self) { try result.get() }
    guard case .failure(let error) = result else { return }
    #expect(error.kind == .tls)
    #expect(error.tlsProblem == .unknownIssuer)
    #expect(error.message.contains("to a file with the authority"), "\(error.message)")
  }

  @Test("a handshake that fails, also where it fails behind its end")
  func handshake() async throws {
    let server = try await TestTLSServer(.clientCertificate)
    let result = try await fetch(server.origin, authority: server.authority)
    let error = #expect(throws: APIError.self) { try result.get() }
    #expect(error?.kind == .tls)
    #expect(error?.tlsProblem == .clientCertificate)
    let plain = try TestHTTPServer()
    let other = try await fetch("https://127.0.0.1:\(plain.port)/", authority: server.authority)
    #expect(throws: APIError.self) { try other.get() }
  }

  @Test("an answer that breaks the protocol is not stood in for either")
  func broken() async throws {
    let server = try TestHTTPServer()
    for fault in ["cut", "garbage", "old", "reset", "redirect?to=ftp://h/"] {
      var request = APIRequest(url: "\(server.origin)/faults/\(fault)", timeout: .seconds(3600))
      request.redirectLimit = 2
      let cache = MockPersistenceService()
      try await cache.storeResponse(
        CachedResponse(
          key: "k", service: "", status: 200, headers: [], body: Data(), stored: 0, expires: nil))
      let result = await ResponseRepository(client: LiveAPIClient(), cache: cache).fetch(
        request: request, key: "k", service: "", policy: .remoteFirst, now: 1)
      #expect(throws: APIError.self, "\(fault)") { try result.get() }
    }
  }
}
