import SwiftBoardSystem

/// HTTP over libcurl: connections are kept and shared, cancelling closes them, proxies are taken
/// from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
///
/// Nothing is loaded and no thread runs before the first request. Then one thread serves all
/// requests, until the client is dropped. A request costs about 50 µs beside the network.
public final class LiveAPIClient: APIClient {
  /// What one client does for all requests.
  public struct Configuration: Sendable, Equatable {
    /// The most connections to one scheme, host and port at a time, and the most requests: further
    /// ones wait, first come, first served, and their time limit runs meanwhile. Less than 1 counts
    /// as 1.
    ///
    /// It is the same for HTTP/2, where requests share a connection: the protocol of a connection
    /// is known too late to count otherwise.
    public var connectionsPerHost: Int
    /// The most connections in all, and the most requests. Less than 1 counts as 1.
    public var connections: Int
    /// Sent where a request has no `User-Agent` of its own.
    public var userAgent: String
    /// A PEM file with the authorities to trust instead of the system's.
    public var certificateFile: String?
    /// A folder of such files, named by hash.
    public var certificateFolder: String?

    /// The defaults; certificates from `CURL_CA_BUNDLE`, else `SSL_CERT_FILE`, and from
    /// `SSL_CERT_DIR`.
    public init() {
      connectionsPerHost = 64
      connections = 256
      userAgent = "swiftboard"
      certificateFile = Self.variable("CURL_CA_BUNDLE") ?? Self.variable("SSL_CERT_FILE")
      certificateFolder = Self.variable("SSL_CERT_DIR")
    }

    /// Empty is unset.
    private static func variable(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.isEmpty ? nil : text
    }
  }

  private let engine: TransferEngine

  /// A client that has done nothing yet: no library is loaded, no thread made.
  public init(configuration: Configuration = Configuration()) {
    engine = TransferEngine(configuration: configuration)
  }

  /// - Parameters:
  ///   - onWait: called on the client's thread with each request that has to wait for another.
  ///   - onEnd: called on that thread when it ends.
  init(
    configuration: Configuration = Configuration(), onWait: (@Sendable (APIRequest) -> Void)? = nil,
    onEnd: (@Sendable () -> Void)? = nil
  ) {
    engine = TransferEngine(configuration: configuration, onWait: onWait, onEnd: onEnd)
  }

  deinit { engine.stop() }

  /// The library in use, for example `libcurl/7.88.1 OpenSSL/3.0.19`. Loads it: some milliseconds.
  public static func libraryVersion() throws(APIError) -> String {
    try CurlLibrary.loaded.get().version
  }

  /// Starts the client's thread, which loads libcurl.
  public func prepare() { engine.prepare() }

  /// Sends over a kept connection if there is one. Nothing is retried.
  ///
  /// - Throws: `APIError`; `cancelled` at once when the task is cancelled, `timeout` when all
  ///   redirects together took longer than the request allows.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let exchange = try await exchange(request, isStreamed: false)
    var response = exchange.response
    response.body = exchange.body
    return response
  }

  /// As `send`; at most about a megabyte of the body is in memory, and the server waits until it is
  /// taken.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    let exchange = try await exchange(request, isStreamed: true)
    guard let (id, pipe) = exchange.stream else { return APIStream(whole: exchange.response) }
    let elapsed = exchange.elapsed
    return APIStream(
      exchange.response,
      // The client is held, since it ends its transfers with itself.
      pieces: { () throws(APIError) in try await self.take(from: pipe, id) },
      end: { pipe.timing?.shifted(by: elapsed) }, drop: { [engine] in engine.post(.cancel(id)) })
  }

  /// An answer after redirects.
  private struct Exchange {
    /// Without its body.
    var response: APIResponse
    var body: Data
    /// When its request began, in microseconds after the first one.
    var elapsed: Int64
    var stream: (id: UInt64, pipe: DownloadPipe)?
  }

  private func exchange(
    _ request: APIRequest, isStreamed: Bool
  ) async throws(APIError) -> Exchange {
    try request.check()
    let clock = ContinuousClock()
    // Some 24 days at the most, which is what libcurl can count.
    let deadline = request.timeout.map { timeout in
      clock.now.advanced(by: .milliseconds(min(timeout.millisecondsRoundedUp, Int64(Int32.max))))
    }
    var current = request
    var address = try Self.address(request.url)
    var elapsed: Int64 = 0
    var redirects = 0
    while true {
      if Task.isCancelled { throw .cancelled(address) }
      if let deadline, deadline <= clock.now { throw .timeout(address, request.timeout) }
      let id = engine.makeID()
      let pipe = isStreamed ? DownloadPipe() : nil
      var isTaken = false
      // An answer whose body nobody reads would keep its connection for ever.
      defer { if isStreamed, !isTaken { engine.post(.cancel(id)) } }
      let answer = try await engine.perform(
        current, to: address, deadline: deadline, id: id, download: pipe
      ).get()
      guard let head = ResponseHead(answer.head) else {
        throw APIError(
          .malformed, "what \(address.endpoint) answered is not HTTP: check the port and the scheme"
        )
      }
      let timing = answer.timing.shifted(by: elapsed)
      guard request.redirectLimit > 0,
        let target = try Redirect.target(of: head, from: address)
      else {
        isTaken = true
        return Exchange(
          response: APIResponse(
            status: head.status, httpVersion: head.httpVersion, headers: head.headers,
            url: address.url, redirects: redirects, timing: timing),
          body: answer.body, elapsed: elapsed, stream: pipe.map { (id, $0) })
      }
      guard redirects < request.redirectLimit else {
        throw APIError(
          .tooManyRedirects,
          """
          \(address.endpoint) redirects once more after \(redirects) redirects: it may do so for ever; if not, allow more
          """)
      }
      if let pipe { try await skip(pipe, id) }
      redirects += 1
      elapsed = (pipe?.timing?.shifted(by: elapsed) ?? timing).total
      (current, address) = try await Redirect.request(
        current, status: head.status, from: address, to: target)
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

  /// Leaves the body of a redirect behind, so that its connection can be kept; a long one is not
  /// worth it.
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
  /// Counted from so many microseconds earlier: from the first request of a chain of redirects, or
  /// from the begin of waiting.
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

extension APIRequest {
  /// Whether it needs none of the options that few requests ask for.
  var isPlain: Bool {
    method == "GET" && body == nil && upload == nil && idleLimit == nil && acceptsCompression
      && digest == nil && connection == APIConnection()
  }

  /// Refuses characters with which a value could break out of its position in the request.
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
          "the request cannot be sent: a header name is empty or has a character that none may have"
        )
      }
      guard !header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw APIError(
          .invalidURL,
          "the request cannot be sent: the value of \(header.name) has a line break or a NUL in it")
      }
    }
  }

  /// RFC 9110, 5.6.2.
  private static func isToken(_ text: String) -> Bool {
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
