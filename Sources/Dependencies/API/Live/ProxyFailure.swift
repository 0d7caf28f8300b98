import CCurl
import SwiftBoardSystem

/// A failure of the proxy between the client and the server.
struct ProxyFailure {
  let error: APIError

  /// Creates the failure for a code of libcurl. Returns `nil` if the proxy did not fail.
  init?(_ transfer: Transfer, _ easy: EasyHandle, _ code: CURLcode) {
    guard let proxy = transfer.proxy else { return nil }
    let address = transfer.address
    let endpoint = address.endpoint
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      error = APIError(.dns, "the host name of the proxy \(proxy) was not found")
    case CURLE_COULDNT_CONNECT:
      let number = easy.connectionError(of: transfer)
      if number == 0 || number == ECONNREFUSED {
        error = APIError(
          .refused, "the proxy \(proxy) refused the connection: start it, or check its address")
      } else {
        error = APIError(
          .unreachable,
          "the proxy \(proxy) cannot be reached: \(APIError.words(number)); check its address")
      }
    case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY, CURLE_COULDNT_RESOLVE_HOST:
      let status = easy.library.get(easy.raw, CURLINFO_HTTP_CONNECTCODE)
      if status == 407 {
        error = Self.login(proxy)
      } else if status >= 300 {
        error = APIError(
          .unreachable,
          "the proxy \(proxy) did not let the connection to \(endpoint) through (\(status))")
      } else if code == CURLE_PROXY {
        error = APIError(
          .unreachable,
          "the proxy \(proxy) did not let the connection to \(endpoint) through: check its settings"
        )
      } else if status == 0, code != CURLE_COULDNT_RESOLVE_HOST,
        Self.isTunnelBroken(
          proxy, scheme: address.scheme,
          connects: easy.library.get(easy.raw, CURLINFO_NUM_CONNECTS),
          handshake: easy.library.get(easy.raw, offset: CURLINFO_APPCONNECT_TIME_T))
      {
        error = .truncated(
          "the connection to \(endpoint) through the proxy \(proxy) broke before it was there: check that it is an HTTP proxy"
        )
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Returns the proxy if a handshake of TLS failed with it, and not with the server.
  static func ofHandshake(_ transfer: Transfer, _ easy: EasyHandle) -> UsedProxy? {
    guard let proxy = transfer.proxy, proxy.scheme == "https" else { return nil }
    // Before a handshake with the server, the proxy has made a tunnel.
    let hasTunnel = easy.library.get(easy.raw, CURLINFO_HTTP_CONNECTCODE) > 0
    return transfer.address.scheme == "http" || !hasTunnel ? proxy : nil
  }

  /// Returns the error for a proxy that asks for a login, or refuses the one in its address.
  static func login(_ proxy: UsedProxy) -> APIError {
    let problem =
      proxy.hasLogin
      ? "does not accept the user name and the password in its address (407)"
        + (proxy.variable.map { ": correct them in \($0)" } ?? "")
      : "requires a user name and a password (407): "
        + "\(proxy.variable ?? "http_proxy or https_proxy") takes an address with both, "
        + "USER:PASSWORD@HOST:PORT"
    var error = APIError(.unreachable, "the proxy \(proxy) \(problem)", status: 407)
    error.proxy = proxy.description
    // Another try sends the same login, for which accounts are locked.
    error.isFinal = true
    return error
  }

  /// Returns whether a connection without a status of the proxy broke before the proxy had made its
  /// tunnel.
  ///
  /// - Parameters:
  ///   - connects: The number of new connections. Over an earlier one, the tunnel was there.
  ///   - handshake: The time of the handshake with the server, 0 if there was none.
  static func isTunnelBroken(
    _ proxy: UsedProxy, scheme: String, connects: Int, handshake: Int64
  ) -> Bool {
    scheme == "https" && proxy.speaksHTTP && connects > 0 && handshake == 0
  }
}
