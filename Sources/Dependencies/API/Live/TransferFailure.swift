import CCurl
import SwiftBoardSystem

extension APIError {
  static var stopped: APIError { APIError(.cancelled, "the HTTP client has been shut down") }

  private static func malformed(_ what: String) -> APIError { APIError(.malformed, what) }

  static func truncated(_ what: String) -> APIError { APIError(.truncated, what) }

  static func cancelled(_ address: URLBuilder, wasSent: Bool? = nil) -> APIError {
    .cancelled("the request to \(address.endpoint)", wasSent: wasSent)
  }

  static func timeout(_ endpoint: String, _ limit: Duration?) -> APIError {
    let limit = limit.map { " of \($0.formattedMilliseconds)" } ?? ""
    return APIError(
      .timeout, "\(endpoint) did not answer completely within the time limit\(limit)")
  }

  /// Returns the error for a code of libcurl.
  ///
  /// The text of libcurl's error buffer is used only for TLS, where it says more than the code.
  /// Elsewhere it may remain from an earlier attempt or repeat parts of the URL.
  ///
  /// A connection that was closed before the first byte is `truncated`, because the service was
  /// reached but did not respond.
  static func transfer(_ transfer: Transfer, _ easy: EasyHandle, _ code: CURLcode) -> APIError {
    let address = transfer.address
    let endpoint = transfer.endpoint
    if let overflow = transfer.overflow { return tooLarge(overflow, transfer) }
    if let fault = transfer.bodyFault { return badBody(fault, endpoint) }
    if let problem = transfer.head.problem { return badHead(problem, endpoint) }
    if transfer.endsInHead {
      return truncated("\(endpoint) closed the connection before the end of its answer's headers")
    }
    if transfer.isResendingRefused {
      return truncated(
        "\(endpoint) did not answer on a kept connection, and may have carried out the request")
    }
    if let failure = transfer.upload?.failure { return failure }
    if let failure = ProxyFailure(transfer, easy, code) { return failure.error }
    if let error = plain(code, transfer) { return error }
    let systemError = easy.connectionError(of: transfer)
    switch code {
    case CURLE_UNSUPPORTED_PROTOCOL:
      // The scheme was checked before. Once the request was sent, the code is about the answer:
      // bytes without a status line, or a version that is none. The time of the connection does
      // not tell, because it is 0 for a connection that was used before.
      if easy.library.get(easy.raw, CURLINFO_REQUEST_SIZE) > 0 { return noHTTP(endpoint) }
      return APIError(.unsupportedScheme, "this libcurl was built without \(address.scheme)")
    case CURLE_COULDNT_CONNECT:
      if let path = transfer.request.connection.unixSocket {
        return couldNotConnect(socket: path, systemError)
      }
      return couldNotConnect(address, systemError)
    case CURLE_OPERATION_TIMEDOUT:
      if let limit = transfer.request.idleLimit, transfer.request.timeout == nil {
        return APIError(
          .timeout, "\(endpoint) sent and took nothing for \(limit.formattedMilliseconds)")
      }
      return timeout(endpoint, transfer.request.timeout)
    case CURLE_WEIRD_SERVER_REPLY:
      return easy.error.contains("Content-Length")
        ? badLength(.malformed, endpoint) : noHTTP(endpoint)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      // The size of a chunk is no number or too large, or its end is not where it should be.
      if easy.error.hasSuffix("in chunked-encoding") {
        return malformed("the answer of \(endpoint) is damaged: its chunks cannot be told apart")
      }
      // Newer libraries have a lower limit of their own, without a code for it.
      if easy.error.hasPrefix("Too large response headers") { return tooLarge(.headers, transfer) }
      // With TLS 1.3 a service refuses the client's certificate after the handshake.
      if TLSProblem(libcurl: easy.error) == .clientCertificate {
        return tls(easy, .clientCertificate, transfer, code)
      }
      return connectionBroke(endpoint, systemError)
    case CURLE_FILESIZE_EXCEEDED: return tooLarge(.body, transfer)
    case CURLE_BAD_FUNCTION_ARGUMENT
    where easy.library.get(easy.raw, CURLINFO_REQUEST_SIZE) > 0:
      // The code of a folded first header, and of a size of a chunk with other characters.
      return malformed("the answer of \(endpoint) is damaged: libcurl cannot read its structure")
    default: break
    }
    if tlsAdvice(code, transfer.request.connection) != nil {
      if let file = encryptedKeyFile(transfer.request.connection, code) {
        return encryptedKey(file)
      }
      return tls(easy, TLSProblem(libcurl: easy.error), transfer, code)
    }
    // CURLE_TOO_LARGE, which older headers lack.
    if code.rawValue == 100 { return tooLarge(.headers, transfer) }
    return APIError(.io, "the request to \(endpoint) failed inside libcurl (code \(code.rawValue))")
  }

  /// Returns the error for a code that says all there is, or `nil` for any other.
  static func plain(_ code: CURLcode, _ transfer: Transfer) -> APIError? {
    let (address, endpoint) = (transfer.address, transfer.endpoint)
    return switch code {
    case CURLE_URL_MALFORMAT:
      APIError(.invalidURL, "libcurl does not understand the address of \(endpoint)")
    case CURLE_COULDNT_RESOLVE_HOST:
      APIError(.dns, "the host name \(address.host) was not found")
    case CURLE_ABORTED_BY_CALLBACK: cancelled(address)
    // Of a `Transfer-Encoding`. Bodies are decoded by this client.
    case CURLE_BAD_CONTENT_ENCODING: badBody(.damaged, endpoint)
    // Also where the service has announced the end of the connection, which is no fault of it.
    case CURLE_HTTP2:
      truncated(
        "\(endpoint) ended the connection before its answer was whole, or broke the rules of HTTP/2"
      )
    // As a server does whose own source of the answer has broken off.
    case CURLE_HTTP2_STREAM:
      truncated("\(endpoint) reset the request before its answer was whole")
    // Of HTTP/2, if the connection ends before the answer begins.
    case CURLE_PARTIAL_FILE where transfer.head.bytes.isEmpty, CURLE_GOT_NOTHING:
      truncated("\(endpoint) closed the connection without an answer")
    case CURLE_PARTIAL_FILE:
      truncated("\(endpoint) closed the connection before the announced end of its answer")
    case CURLE_OUT_OF_MEMORY:
      malformed(
        (transfer.head.bytes.isEmpty || transfer.head.isFinal ? "memory is short, or " : "")
          + "a header line of \(endpoint) is longer than libcurl accepts")
    case CURLE_SEND_FAIL_REWIND:
      truncated(
        "\(endpoint) closed the connection while the body was sent, which can be read only once"
      )
    default: nil
    }
  }

  private static func tooLarge(_ overflow: Transfer.Overflow, _ transfer: Transfer) -> APIError {
    let endpoint = transfer.endpoint
    switch overflow {
    case .headers:
      return malformed("\(endpoint) sent more headers than are accepted: is it the right service?")
    case .body:
      return APIError(
        .tooLarge,
        "the answer of \(endpoint) is larger than the limit of \(transfer.request.bodyLimit) bytes")
    case .decoded:
      return APIError(
        .tooLargeDecoded,
        """
        the compressed answer of \(endpoint) unpacks to more than the limit of \(transfer.request.decodedLimit ?? 0) bytes
        """)
    }
  }

  private static let asItIs =
    "with a header Accept-Encoding, such as Accept-Encoding:identity, the body is given as it comes"

  private static func badBody(_ fault: Transfer.BodyFault, _ endpoint: String) -> APIError {
    switch fault {
    case .damaged:
      malformed(
        "the answer of \(endpoint) is damaged: its compressed body cannot be unpacked; \(asItIs)")
    case .trailing:
      malformed(
        "the answer of \(endpoint) has more behind the end of its compressed body; \(asItIs)")
    case .truncated:
      truncated("the answer of \(endpoint) ends before its compressed body does")
    case .unknownEncoding(let name):
      malformed(
        "the answer of \(endpoint) has the Content-Encoding \(printable(name)), which was not asked for; \(asItIs)"
      )
    }
  }

  private static func badHead(_ problem: ReceivedHead.Problem, _ endpoint: String) -> APIError {
    switch problem {
    case .length(let problem): badLength(problem, endpoint)
    case .coding(let name):
      malformed(
        "the answer of \(endpoint) has the Transfer-Encoding \(printable(name)), which was not asked for: check the service, or a proxy before it"
      )
    case .otherProtocol:
      malformed("\(endpoint) changes to another protocol (101), which is not supported")
    case .challenges:
      malformed("\(endpoint) answers each log-in with a new challenge (401): check the service")
    }
  }

  private static func badLength(_ problem: ResponseHead.LengthProblem, _ endpoint: String)
    -> APIError
  {
    let what =
      switch problem {
      case .malformed: "a Content-Length that is not a number of bytes"
      case .conflicting: "several values of Content-Length that differ"
      }
    return malformed(
      "the answer of \(endpoint) has \(what), so that its end is not known: check the service, or a proxy before it"
    )
  }

  private static func noHTTP(_ endpoint: String) -> APIError {
    malformed("what \(endpoint) answered is not HTTP: check the port and the scheme")
  }

  private static func couldNotConnect(_ address: URLBuilder, _ code: Int32) -> APIError {
    switch code {
    case 0, ECONNREFUSED:
      return APIError(
        .refused,
        "\(address.endpoint) refused the connection")
    default:
      let reason = missingInterface(of: address.host).map { "there is no interface '\($0)'" }
      return APIError(
        .unreachable, "\(address.endpoint) cannot be reached: \(reason ?? words(code))")
    }
  }

  /// Returns the interface that an IPv6 address names, if this machine has none of that name.
  static func missingInterface(of host: String) -> String? {
    guard host.hasSuffix("]"), let zone = host.dropLast().firstRange(of: "%25") else { return nil }
    let name = String(host[zone.upperBound...].dropLast())
    return UInt32(name) == nil && if_nametoindex(name) == 0 ? name : nil
  }

  private static func couldNotConnect(socket path: String, _ code: Int32) -> APIError {
    var reason = words(code)
    if code == 0 || code == ECONNREFUSED { reason = "nothing listens there" }
    return APIError(
      .refused,
      "the socket \(path) cannot be connected to: \(reason); start the service, or check the path")
  }

  private static func connectionBroke(_ endpoint: String, _ code: Int32) -> APIError {
    switch code {
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, ETIMEDOUT:
      APIError(
        .unreachable,
        "the connection to \(endpoint) was lost: \(words(code))")
    default:
      truncated("\(endpoint) broke the connection before its answer was whole")
    }
  }

  private static func tls(
    _ easy: EasyHandle, _ problem: TLSProblem?, _ transfer: Transfer, _ code: CURLcode
  ) -> APIError {
    let reason = printable(easy.error)
    let proxy = ProxyFailure.ofHandshake(transfer, easy)
    // The files of a request are for the service.
    let connection = proxy == nil ? transfer.request.connection : APIConnection()
    let advice = problem?.advice(for: connection) ?? tlsAdvice(code, connection) ?? ""
    let peer = proxy.map { "the proxy \($0)" } ?? transfer.endpoint
    var error = APIError(
      .tls, "no secure connection to \(peer)\(reason.isEmpty ? "" : ": \(reason)"). \(advice)")
    if proxy == nil { error.tlsProblem = problem }
    return error
  }

  /// Returns the file with the client's key, if the connection failed because it is encrypted.
  private static func encryptedKeyFile(_ connection: APIConnection, _ code: CURLcode) -> String? {
    // GnuTLS has no other code for a key that it cannot read.
    guard code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CONNECT_ERROR,
      let file = connection.keyFile ?? connection.certificateFile, EncryptedKey.isIn(file)
    else { return nil }
    return file
  }

  private static func encryptedKey(_ file: String) -> APIError {
    let problem = TLSProblem.encryptedKey
    var error = APIError(
      .tls,
      "the key in \(file) is encrypted, and its passphrase is not asked for. "
        + problem.advice(for: APIConnection()))
    error.tlsProblem = problem
    return error
  }

  /// Returns advice on a failure of TLS, or `nil` if the code is not one.
  private static func tlsAdvice(_ code: CURLcode, _ connection: APIConnection) -> String? {
    if let file = connection.authorityFile, code == CURLE_SSL_CACERT_BADFILE {
      return "Check that \(file) is a readable PEM file."
    }
    if let file = connection.certificateFile, code == CURLE_SSL_CERTPROBLEM {
      let files = connection.keyFile.map { "\(file) and \($0) are readable PEM files" }
      return
        "Check that \(files ?? "\(file) is a readable PEM file") with a certificate and its key."
    }
    return switch code {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      TLSProblem.unknownIssuer.advice(for: connection)
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
      "Check that \(LiveAPIClient.Configuration.fileVariable) names a readable PEM file."
    case CURLE_SSL_CERTPROBLEM: "Check the client certificate."
    case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      "Check the TLS settings of this machine."
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT:
      "Check that TLS is spoken on this port; if it is not, write http:// instead."
    default: nil
    }
  }

  static func words(_ code: Int32) -> String {
    SystemError.text(of: code).lowercased()
  }

  /// Returns a text without control characters. Servers choose parts of their certificates.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter {
          $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }))
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up, so that no limit becomes 0.
  var millisecondsRoundedUp: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let rest = attoseconds / 1_000_000_000_000_000
    return scaled &+ rest &+ (attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0)
  }

  /// The duration as a text such as `500 ms` or `30 s`.
  var formattedMilliseconds: String {
    let milliseconds = millisecondsRoundedUp
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension Transfer {
  /// Returns the error for a code of libcurl. For a request that must not be repeated, it says
  /// whether the service may have carried it out.
  func failure(_ easy: EasyHandle, _ code: CURLcode) -> APIError {
    var error = APIError.transfer(self, easy, code)
    if wasSent, !request.isRepeatable { error.wasSent = true }
    error.proxy = proxy?.description
    return error
  }

  /// The server, and the proxy that may have caused what went wrong.
  var endpoint: String {
    address.endpoint + (proxy.map { " through the proxy \($0)" } ?? "")
  }
}
