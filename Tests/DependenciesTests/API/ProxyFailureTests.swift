import Testing

@testable import SwiftBoardDependencies

struct ProxyFailureTests {
  private func isBlamed(
    _ proxy: String = "http://proxy:1", scheme: String = "https", connects: Int = 1,
    handshake: Int64 = 0
  ) -> Bool {
    ProxyFailure.isTunnelBroken(proxy, scheme: scheme, connects: connects, handshake: handshake)
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
}
