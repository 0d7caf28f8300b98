import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

@Suite(.timeLimit(.minutes(20)))
struct ProxyFailureTests {
  /// A client with a proxy for `http` that a variable names.
  private func client(_ proxy: String, trusting file: String? = nil) -> LiveAPIClient {
    var configuration = LiveAPIClient.Configuration()
    configuration.proxies = ProxySettings { $0 == "http_proxy" ? proxy : nil }
    configuration.certificateFile = file
    return LiveAPIClient(configuration: configuration)
  }

  private func failure(_ client: LiveAPIClient, timeout: Duration? = nil) async -> APIError? {
    await #expect(throws: APIError.self) {
      try await client.send(APIRequest(url: "http://h.invalid/x?apikey=hidden", timeout: timeout))
    }
  }

  // MARK: Tunnels

  private func isBlamed(
    _ proxy: String = "http://proxy:1", scheme: String = "https", connects: Int = 1,
    handshake: Int64 = 0
  ) -> Bool {
    ProxyFailure.isTunnelBroken(
      UsedProxy(url: proxy, variable: nil), scheme: scheme, connects: connects,
      handshake: handshake)
  }

  @Test("a new connection that broke before the handshake is the proxy's fault")
  func blamed() { #expect(isBlamed() && isBlamed("https://proxy:1", connects: 2)) }

  @Test(
    "behind SOCKS, which has no status, no HTTP proxy is blamed",
    arguments: ["socks4", "socks4a", "socks5", "socks5h", "SOCKS5"])
  func socks(scheme: String) { #expect(!isBlamed("\(scheme)://proxy:1")) }

  @Test("a tunnel of an earlier request was made by the proxy")
  func reused() { #expect(!isBlamed(connects: 0)) }

  @Test("after the handshake with the server, the proxy has done its part")
  func connected() { #expect(!isBlamed(handshake: 1)) }

  @Test("a request without TLS has no tunnel")
  func plain() { #expect(!isBlamed(scheme: "http")) }

  // MARK: Answers

  @Test("an answer that a proxy may have sent names it, and its variable")
  func possibleAnswer() async throws {
    let proxy = try TestHTTPServer { _ in .response(.init(403)) }
    let response = try await client("127.0.0.1:\(proxy.port)").send(
      APIRequest(url: "http://h.invalid/x", timeout: nil))
    #expect(response.status == 403 && response.proxy == "\(proxy.origin) (http_proxy)")
    let error = APIError.noValue(APIRequest(url: "http://h.invalid/x"), in: response)
    #expect(error.proxy == response.proxy && error.message.contains("through the proxy http://"))
    // A proxy that is not asked has sent nothing.
    var configuration = LiveAPIClient.Configuration()
    configuration.proxies = ProxySettings {
      ["http_proxy": proxy.origin, "no_proxy": "localhost, 127.0.0.0/8"][$0]
    }
    let server = try TestHTTPServer { _ in .response(.init(403)) }
    let direct = try await LiveAPIClient(configuration: configuration).send(
      APIRequest(url: server.origin, timeout: nil))
    #expect(direct.status == 403 && direct.proxy == nil && proxy.requests.count == 1)
  }

  @Test("a proxy that requires a login says so, and not that the service has an answer")
  func login() async throws {
    let proxy = try TestHTTPServer { _ in .response(.init(407)) }
    let error = await failure(client(proxy.origin))
    #expect(error?.kind == .unreachable && error?.mayHaveArrived == false)
    // Another try would send the same login.
    #expect(error?.status == 407 && error?.isTemporary == false)
    #expect(
      error?.message.hasPrefix(
        "the proxy \(proxy.origin) (http_proxy) requires a user name and a password") == true)
    // A server that is asked without a proxy may answer as it likes.
    let server = try TestHTTPServer { _ in .response(.init(407)) }
    var configuration = LiveAPIClient.Configuration()
    configuration.proxies = ProxySettings { _ in nil }
    let response = try await LiveAPIClient(configuration: configuration).send(
      APIRequest(url: server.origin, timeout: nil))
    #expect(response.status == 407)
  }

  @Test("the user and the password in the address of a proxy are sent to it, and never shown")
  func credentials() async throws {
    let proxy = try TestHTTPServer { request in
      // u:p@w/
      .response(.init(request.header("Proxy-Authorization") == "Basic dTpwQHcv" ? 403 : 407))
    }
    let response = try await client("http://u:p%40w%2F@127.0.0.1:\(proxy.port)").send(
      APIRequest(url: "http://h.invalid/x", timeout: nil))
    #expect(response.status == 403 && response.proxy == "\(proxy.origin) (http_proxy)")
    let error = await failure(client("http://u:wrong@127.0.0.1:\(proxy.port)"))
    #expect(
      error?.message.hasPrefix("the proxy \(proxy.origin) (http_proxy) does not accept") == true)
  }

  @Test("a proxy whose address cannot be used is not asked, and its variable is named")
  func unusableAddress() async throws {
    for proxy in ["ftp://127.0.0.1:1", "http://127.0.0.1:bad", ":99999"] {
      let error = await failure(client(proxy))
      #expect(error?.kind == .invalidProxy && error?.isTemporary == false)
      #expect(error?.mayHaveArrived == false)
      let message = error?.message ?? ""
      #expect(
        message.hasPrefix("the address of the proxy in http_proxy cannot be used: its "),
        "\(message)")
    }
    // A host without a proxy does not need the address.
    let server = try TestHTTPServer()
    var configuration = LiveAPIClient.Configuration()
    configuration.proxies = ProxySettings { ["http_proxy": ":99999", "no_proxy": "127.0.0.1"][$0] }
    let response = try await LiveAPIClient(configuration: configuration).send(
      APIRequest(url: "\(server.origin)/echo", timeout: nil))
    #expect(response.status == 200)
  }

  @Test("a failure that a proxy may have caused names it")
  func possibleCause() async throws {
    let proxy = try TestHTTPServer { request in
      request.target.contains("hidden") ? .raw([]) : .response(.init(200))
    }
    let error = await failure(client(proxy.origin))
    #expect(error?.kind == .truncated && error?.proxy == "\(proxy.origin) (http_proxy)")
    #expect(
      error?.message
        == "h.invalid:80 through the proxy \(proxy.origin) (http_proxy) closed the connection "
        + "without an answer")
    let closed = try ClosedPort()
    let refused = await failure(client("http://127.0.0.1:\(closed.number)"))
    #expect(refused?.kind == .refused)
    #expect(
      refused?.message.hasPrefix("the proxy http://127.0.0.1:\(closed.number) (http_proxy)")
        == true)
  }

  @Test(
    "the certificate of a proxy is not taken for that of the service",
    .enabled(if: TestTLSServer.isAvailable))
  func certificate() async throws {
    let proxy = try await TestTLSServer()
    let error = await failure(client(proxy.origin))
    #expect(error?.kind == .tls && error?.tlsProblem == nil)
    #expect(
      error?.message.hasPrefix("no secure connection to the proxy \(proxy.origin) (http_proxy)")
        == true, "\(error?.message ?? "")")
    let response = try await client(proxy.origin, trusting: proxy.authority).send(
      APIRequest(url: "http://h.invalid/x", timeout: nil))
    #expect(response.status == 200)
  }

  // MARK: Programs

  @Test("a proxy may have refused in place of a program, unless the answer names the program")
  func program() async throws {
    let isRadarr = #"{"error":"Unauthorized"}"#
    for (body, isProxy) in [("blocked by policy", true), (isRadarr, false)] {
      let proxy = try TestHTTPServer { _ in
        .response(.init(401, headers: [], body: Array(body.utf8)))
      }
      var dependencies = ProgramConformanceTests.dependencies()
      dependencies.apiClient = client(proxy.origin)
      let service = LiveMediaService(dependencies)
      let server = ProgramConformanceTests.server(.radarr, "http://nas.invalid")
      for call in ["status", "queue"] {
        let error = await #expect(throws: ProgramError.self) {
          if call == "status" {
            _ = try await service.status(of: server)
          } else {
            _ = try await service.queue(of: server)
          }
        }
        #expect(error?.proxy == (isProxy ? "\(proxy.origin) (http_proxy)" : nil), "\(call)")
      }
    }
  }
}
