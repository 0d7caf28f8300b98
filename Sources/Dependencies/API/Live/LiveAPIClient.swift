import SwiftBoardJSON
import SwiftBoardSystem

/// An HTTP client on libcurl. Requests share kept connections, cancellation closes them, and
/// proxies come from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as they are when the
/// client's configuration is created.
///
/// No library is loaded and no thread runs before the first request. One thread then serves all
/// requests until the client is released. A request takes about 50 µs plus the time of the network.
public final class LiveAPIClient: APIClient {
  /// The settings for all requests of a client.
  public struct Configuration: Sendable, Equatable {
    /// The maximum number of connections, and of requests, per scheme, host and port; at least 1.
    /// Further requests wait in the order of arrival, and their time limits include the wait.
    ///
    /// The limit also applies to HTTP/2, where requests share a connection, because the protocol of
    /// a connection is known too late to count otherwise.
    public var connectionsPerHost: Int
    /// The maximum number of connections, and of requests, in total; at least 1.
    public var connections: Int
    /// The `User-Agent` of requests that do not set one.
    public var userAgent: String
    /// A PEM file with the authorities to trust, in place of the system's.
    public var certificateFile: String?
    /// A folder of such files, named by hash.
    public var certificateFolder: String?
    /// The proxies of requests that name none.
    var proxies: ProxySettings

    /// Creates the default configuration: 64 connections per host and 256 in total, with the
    /// certificates from `CURL_CA_BUNDLE`, or else `SSL_CERT_FILE`, and from `SSL_CERT_DIR`.
    public init() {
      connectionsPerHost = 64
      connections = 256
      userAgent = "swiftboard"
      certificateFile = Self.fileVariables.lazy.compactMap(Self.variable).first
      certificateFolder = Self.variable(Self.folderVariable)
      proxies = ProxySettings(Self.variable)
    }

    /// The variables of `certificateFile`, by precedence, and of `certificateFolder`.
    static let fileVariables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
    static let folderVariable = "SSL_CERT_DIR"

    /// The variable of `certificateFile` that is in force, or all if none is set.
    static var fileVariable: String {
      fileVariables.first { variable($0) != nil } ?? fileVariables.joined(separator: " or ")
    }

    /// Returns the value of a variable, or `nil` if it is unset or empty.
    private static func variable(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.isEmpty ? nil : text
    }
  }

  private let engine: TransferEngine
  private let redactor: Redactor

  /// Creates a client. Loads no library and starts no thread.
  ///
  /// - Parameter redactor: Has the secrets that no redirect may send to another host, besides those
  ///   of the request.
  public init(configuration: Configuration = Configuration(), redactor: Redactor = Redactor()) {
    self.redactor = redactor
    engine = TransferEngine(configuration: configuration)
  }

  /// Creates a client for tests.
  ///
  /// - Parameters:
  ///   - onWait: Called on the client's thread with each request that waits for another one.
  ///   - onEnd: Called on that thread when it ends.
  init(
    configuration: Configuration = Configuration(), onWait: (@Sendable (APIRequest) -> Void)? = nil,
    onEnd: (@Sendable () -> Void)? = nil
  ) {
    redactor = Redactor()
    engine = TransferEngine(configuration: configuration, onWait: onWait, onEnd: onEnd)
  }

  deinit { engine.stop() }

  /// Starts the client's thread, which loads libcurl.
  public func prepare() { engine.prepare() }

  /// Begins to load the HTTP library, on a thread of its own. Call this before any thread changes
  /// the environment, or when none does any more, because the library reads it.
  package static func loadLibrary() {
    DetachedThread.start(blocksSignals: true) { _ = CurlLibrary.loaded }
  }

  /// Sends a request over a kept connection if there is one. Retries nothing, except a repeatable
  /// request whose kept connection was closed before the answer began.
  ///
  /// - Throws: `APIError`, with `cancelled` immediately if the task is cancelled, and `timeout` if
  ///   the exchange including all redirects takes longer than the request allows.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let exchange = try await exchange(request, isStreamed: false)
    var response = exchange.response
    response.body = exchange.body
    return response
  }

  /// Sends a request and returns when the head of the response has arrived. At most about a
  /// megabyte of the body is in memory. The server waits until it is read.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    let exchange = try await exchange(request, isStreamed: true)
    guard let (id, pipe) = exchange.stream else { return APIStream(whole: exchange.response) }
    let elapsed = exchange.elapsed
    return APIStream(
      exchange.response,
      // Keeps the client alive, because its `deinit` ends the transfers.
      pieces: { () throws(APIError) in try await self.take(from: pipe, id) },
      end: { pipe.timing?.shifted(by: elapsed) }, drop: { [engine] in engine.post(.cancel(id)) })
  }

  /// A response after redirects.
  private struct Exchange {
    /// The response without its body.
    var response: APIResponse
    var body: Data
    /// The start of the request in microseconds after the first one.
    var elapsed: Int64
    var stream: (id: UInt64, pipe: DownloadPipe)?
  }

  private func exchange(
    _ request: APIRequest, isStreamed: Bool
  ) async throws(APIError) -> Exchange {
    try request.check()
    let clock = ContinuousClock()
    // At most 24 days, the largest time limit that libcurl supports.
    let deadline = request.timeout.map { timeout in
      clock.now.advanced(by: .milliseconds(min(timeout.millisecondsRoundedUp, Int64(Int32.max))))
    }
    var current = request
    var address = try Self.address(request.url)
    var elapsed: Int64 = 0
    var redirects = 0
    var changedURLs: [String] = []
    while true {
      if Task.isCancelled { throw .cancelled(address, wasSent: redirects > 0) }
      if let deadline, deadline <= clock.now { throw .timeout(address.endpoint, request.timeout) }
      let id = engine.makeID()
      let pipe = isStreamed ? DownloadPipe() : nil
      var isTaken = false
      // A response whose body is not read would occupy its connection forever.
      defer { if isStreamed, !isTaken { engine.post(.cancel(id)) } }
      let answer = try await engine.perform(
        current, to: address, deadline: deadline, id: id, download: pipe
      ).mapError { redirects > 0 ? $0.behindRedirect(of: request) : $0 }.get()
      guard let head = ResponseHead(answer.head) else {
        throw APIError(
          .malformed, "what \(address.endpoint) answered is not HTTP: check the port and the scheme"
        )
      }
      // Only a proxy asks for a login in this way.
      if head.status == 407, let proxy = answer.proxy { throw ProxyFailure.login(proxy) }
      let timing = answer.timing.shifted(by: elapsed)
      guard current.redirectLimit > 0,
        let target = try Redirect.target(of: head, from: address, current.secretValues, redactor)
      else {
        isTaken = true
        var response = APIResponse(
          status: head.status, httpVersion: head.httpVersion, headers: head.headers,
          url: address.url, redirects: redirects, timing: timing)
        response.isDecoded = answer.isDecoded
        response.proxy = answer.proxy?.description
        if redirects > 0, !current.isSafe, head.status < 400 { changedURLs.append(address.url) }
        response.changedURLs = changedURLs
        return Exchange(
          response: response, body: answer.body, elapsed: elapsed, stream: pipe.map { (id, $0) })
      }
      if let pipe { try await skip(pipe, id) }
      redirects += 1
      current.redirectLimit -= 1
      if !current.isSafe { changedURLs.append(address.url) }
      elapsed = (pipe?.timing?.shifted(by: elapsed) ?? timing).total
      (current, address) = try await Redirect.request(
        current, status: head.status, from: address, to: target, location: head.location ?? "",
        redactor)
    }
  }

  private func take(
    from pipe: DownloadPipe, _ id: UInt64
  ) async throws(APIError) -> Data? {
    let engine = engine
    let result: Result<Data?, APIError> = await withTaskCancellationHandler {
      do throws(APIError) {
        return .success(try await pipe.take { engine.post(.resume(id)) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      engine.post(.cancel(id))
    }
    return try result.get()
  }

  /// Discards the body of a redirect, so that its connection can be kept. If the body exceeds a
  /// megabyte, closes the connection instead.
  private func skip(_ pipe: DownloadPipe, _ id: UInt64) async throws(APIError) {
    var skipped = 0
    while let piece = try await take(from: pipe, id) {
      skipped += piece.count
      if skipped > 1 << 20 { return engine.post(.cancel(id)) }
    }
  }

  private static func address(_ url: String) throws(APIError) -> URLBuilder {
    do throws(APIError) {
      return try URLBuilder(url)
    } catch {
      throw APIError(error.kind, "the request cannot be sent: \(error.message)")
    }
  }
}

extension APITiming {
  /// Returns the timing counted from `offset` microseconds earlier, such as the first request of a
  /// chain of redirects or the start of a wait. Stages that did not happen stay 0.
  func shifted(by offset: Int64) -> APITiming {
    func shift(_ value: Int64) -> Int64 { value == 0 ? 0 : value + offset }
    var result = self
    result.lookup = shift(lookup)
    result.connect = shift(connect)
    result.tls = shift(tls)
    result.firstByte = shift(firstByte)
    result.total = total + offset
    return result
  }
}

extension APIError {
  /// Returns the error of a request that a service has received and redirected.
  fileprivate func behindRedirect(of request: APIRequest) -> APIError {
    var error = self
    if !request.isRepeatable { error.isFinal = true }
    if kind == .cancelled { error.wasSent = true }
    return error
  }
}

extension APIRequest {
  /// Whether the request uses only common options.
  var isPlain: Bool {
    method == "GET" && body == nil && upload == nil && idleLimit == nil && digest == nil
      && connection == APIConnection()
  }

  /// Checks that no value contains a character that could end its place in the request.
  ///
  /// - Throws: `APIError` of kind `invalidURL`.
  fileprivate func check() throws(APIError) {
    try checkReferences()
    guard Self.isToken(method) else {
      throw APIError(.invalidURL, "the request cannot be sent: its method is not a word like GET")
    }
    if let path = connection.unixSocket, !(1...107).contains(path.utf8.count) {
      throw APIError(
        .invalidURL, "the request cannot be sent: the path of a socket has 1 to 107 bytes")
    }
    for header in headers + removedHeaders.map({ HTTPHeader($0, "") }) {
      guard Self.isToken(header.name) else {
        throw APIError(
          .invalidURL,
          "the request cannot be sent: the name \(JSON.string(header.name)) of a header is empty or "
            + "has a character that none may have")
      }
      guard !header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw APIError(
          .invalidURL,
          "the request cannot be sent: the value of \(header.name) has a line break or a NUL in it")
      }
    }
  }

  /// Returns whether a text is a token by RFC 9110, 5.6.2.
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        if PercentEncoding.isUnreserved(byte) { return true }
        return switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
          UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
          UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"):
          true
        default: false
        }
      }
  }
}
