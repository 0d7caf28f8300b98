import CCurl
import SwiftBoardSystem

/// A failure of the proxy between the client and the server.
struct ProxyFailure {
  let error: APIError

  /// Creates the failure for a code of libcurl. Returns `nil` if the proxy did not fail.
  init?(_ transfer: Transfer, _ easy: EasyHandle, _ code: CURLcode) {
    let address = transfer.address
    let endpoint = address.endpoint
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      error = APIError(
        .dns,
        "the host name of the proxy was not found: check its spelling, \(Self.origin(transfer))")
    case CURLE_COULDNT_CONNECT:
      // libcurl reports the host that it tried to connect to. If it is the host of the URL, the
      // proxy did not fail.
      guard transfer.request.connection.unixSocket == nil, Self.mayBeUsed(transfer),
        let tried = Self.triedPort(easy.error), tried != Self.port(of: address)
      else { return nil }
      let number = Int32(truncatingIfNeeded: easy.library.get(easy.raw, CURLINFO_OS_ERRNO))
      if number == 0 || number == ECONNREFUSED {
        error = APIError(
          .refused,
          "the proxy refused the connection: start it, or check its address, \(Self.origin(transfer))"
        )
      } else {
        error = APIError(
          .unreachable,
          "the proxy cannot be reached: \(APIError.words(number)); check \(Self.origin(transfer))")
      }
    case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY, CURLE_COULDNT_RESOLVE_HOST:
      let status = easy.library.get(easy.raw, CURLINFO_HTTP_CONNECTCODE)
      if status == 407 {
        error = APIError(
          .unreachable,
          "the proxy requires a user name and a password before it lets a connection to \(endpoint) through (407)"
        )
      } else if status >= 300 {
        error = APIError(
          .unreachable,
          "the proxy, \(Self.origin(transfer)), did not let the connection to \(endpoint) through (\(status))"
        )
      } else if code == CURLE_PROXY {
        error = APIError(
          .unreachable,
          "the proxy did not let the connection to \(endpoint) through: check its settings")
      } else if status == 0, code != CURLE_COULDNT_RESOLVE_HOST,
        let proxy = transfer.request.connection.proxy,
        Self.isTunnelBroken(
          proxy, scheme: address.scheme,
          connects: easy.library.get(easy.raw, CURLINFO_NUM_CONNECTS),
          handshake: easy.library.get(easy.raw, offset: CURLINFO_APPCONNECT_TIME_T))
      {
        error = APIError(
          .truncated,
          "the connection to \(endpoint) through the proxy broke before it was there: check that \(proxy) is an HTTP proxy"
        )
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Returns whether a connection without a status of the proxy broke before the proxy had made its
  /// tunnel.
  ///
  /// - Parameters:
  ///   - connects: The number of new connections. Over an earlier one, the tunnel was there.
  ///   - handshake: The time of the handshake with the server, 0 if there was none.
  static func isTunnelBroken(
    _ proxy: String, scheme: String, connects: Int, handshake: Int64
  ) -> Bool {
    // SOCKS has no status.
    scheme == "https" && !proxy.lowercased().hasPrefix("socks") && connects > 0 && handshake == 0
  }

  /// Returns where the proxy was configured.
  private static func origin(_ transfer: Transfer) -> String {
    transfer.request.connection.proxy.map { "which is \($0)" }
      ?? "which http_proxy, https_proxy or all_proxy names"
  }

  /// The variables that libcurl takes a proxy from, by scheme and for both. They do not include
  /// `HTTP_PROXY`, which a server sets from a header of a request.
  private static let plainVariables = ["http_proxy"]
  private static let secureVariables = ["https_proxy", "HTTPS_PROXY"]
  private static let commonVariables = ["all_proxy", "ALL_PROXY"]
  static let variables = plainVariables + secureVariables + commonVariables

  /// Returns whether libcurl accepts the address of a proxy, which is `HOST:PORT` or a URL.
  static func isProxy(_ address: String) -> Bool {
    let parts = address.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    let schemes = APIConnection.proxySchemes + ["socks"]
    let isKnown = parts.count == 1 || schemes.contains(parts[0].lowercased())
    return isKnown && parts.last?.isEmpty == false && !address.contains(where: \.isWhitespace)
  }

  /// Returns whether a proxy may apply.
  private static func mayBeUsed(_ transfer: Transfer) -> Bool {
    if transfer.request.connection.proxy != nil { return true }
    let names =
      commonVariables
      + (transfer.address.scheme == "http" ? plainVariables : secureVariables)
    return names.contains { getenv($0).map { $0.pointee != 0 } ?? false }
  }

  private static func port(of address: URLBuilder) -> Int {
    address.port ?? (address.scheme == "https" ? 443 : 80)
  }

  /// Returns the number in `Failed to connect to HOST port NUMBER after …`.
  private static func triedPort(_ text: String) -> Int? {
    guard let range = text.firstRange(of: " port ") else { return nil }
    return Int(text[range.upperBound...].prefix { $0.isNumber })
  }
}
