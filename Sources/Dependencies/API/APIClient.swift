import SwiftBoardSystem

/// A client that sends HTTP requests and returns their responses, whole or piece by piece.
///
/// A response with any status is a result, also with 404 or 500. An error is thrown only if no
/// complete response arrived. Cancelling the calling task closes the connection and throws
/// `APIError.cancelled`.
public protocol APIClient: Service {
  /// Sends one request and returns the whole response. Retries nothing.
  ///
  /// - Throws: `APIError`, which says what failed and at which stage.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse
  /// Sends one request and returns when the head of the response has arrived. The body follows
  /// piece by piece and has no size limit: `bodyLimit` does not apply.
  ///
  /// - Throws: `APIError`, as `send` does. The stream throws the errors that occur after the head.
  func open(_ request: APIRequest) async throws(APIError) -> APIStream
  /// Starts the work that the first request would otherwise wait for, such as loading a library.
  /// Returns immediately. If that work fails, the request throws the error.
  func prepare()
  /// Whether every request throws without being sent. Neither secrets nor files are then read for
  /// one.
  var isOffline: Bool { get }
}

extension APIClient {
  /// Does nothing.
  public func prepare() {}

  /// `false`.
  public var isOffline: Bool { false }

  /// Sends the request and returns its whole body as one piece.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    APIStream(whole: try await send(request))
  }
}

/// An HTTP request.
///
/// The description contains the method and the URL only, never headers or body, which may hold
/// secrets.
public struct APIRequest: Sendable, Equatable {
  /// The method, a token by RFC 9110, 5.6.2. It is sent unchanged, including its case.
  public var method: String
  /// An absolute `http` or `https` URL.
  public var url: String
  /// The headers in the order sent. Names may repeat. A value with a line break or a NUL is
  /// rejected.
  public var headers: [HTTPHeader]
  /// The names of headers that libcurl would add and that are not sent.
  public var removedHeaders: Set<String> = []
  /// The body, sent with every method but `HEAD`. If it is `nil`, no body is sent, and POST, PUT
  /// and PATCH send a length of 0.
  public var body: Data?
  /// A body that is sent piece by piece, in place of `body`.
  public var upload: APIUpload?
  /// The limit of the time from the call to the last byte of the response, including redirects and
  /// the time in the queue. `nil` sets no limit.
  public var timeout: Duration?
  /// The longest time to connect, and then the longest time without a transferred byte, in whole
  /// seconds, rounded up; `nil` sets no limit. Use it for transfers of unknown duration. A body
  /// of unknown length may take any time, because its source may provide it slowly.
  public var idleLimit: Duration?
  /// The number of redirects to follow. Behind them, a 3xx response is the result.
  public var redirectLimit: Int
  /// The names of headers that contain a secret. They are removed if a redirect changes scheme,
  /// host or port. `Authorization` and `Cookie` are always removed then.
  public var secretHeaders: Set<String>
  /// The secrets in the URL and the headers. If a redirect changes scheme, host or port, query
  /// items of its target that contain one are removed. A target that contains one elsewhere is
  /// rejected with `APIError.redirectRefused`.
  public var secretValues: Set<String>
  /// Whether the body contains a secret. A redirect that would send it to another scheme, host or
  /// port is then rejected with `APIError.redirectRefused`.
  public var hasSecretBody: Bool
  /// The largest size of the body in bytes, after decompression. A larger one is
  /// `APIError.tooLarge`.
  public var bodyLimit: Int
  /// The largest size in bytes of a compressed body after decompression, streamed or not. `nil`
  /// sets no additional limit.
  public var decodedLimit: Int?
  /// Whether the request asks for a compressed response. The response is decompressed.
  public var acceptsCompression = true
  /// Whether sending the request twice has the same effect as sending it once, `nil` if the method
  /// and the headers tell: see `isRepeatable`. Set it to `false` for a GET that changes something.
  public var isIdempotent: Bool?
  /// The credentials for a Digest challenge. They are used only for the host of the first request.
  public var digest: APICredentials?
  /// The way in which the server is reached and verified.
  public var connection = APIConnection()
  /// Whether the headers contain conditions for a cached response. They are about the first
  /// address, so no redirect takes them along.
  package var confirmsCached = false
  /// The secrets and files that the request contains by name. They are replaced when it is sent;
  /// `nil` if it is complete. A client that receives references rejects the request, see
  /// `ResolvingAPIClient`.
  public var references: APIReferences?

  /// Creates a request. Nothing is checked before it is sent.
  ///
  /// - Parameters:
  ///   - timeout: The limit of the whole exchange; 30 seconds by default.
  ///   - redirectLimit: The number of redirects to follow; none by default.
  ///   - bodyLimit: The largest size of the body in bytes; 16 MiB by default.
  public init(
    method: String = "GET", url: String, headers: [HTTPHeader] = [], body: Data? = nil,
    timeout: Duration? = .seconds(30), redirectLimit: Int = 0, secretHeaders: Set<String> = [],
    secretValues: Set<String> = [], hasSecretBody: Bool = false, bodyLimit: Int = 16 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.redirectLimit = redirectLimit
    self.secretHeaders = secretHeaders
    self.secretValues = secretValues
    self.hasSecretBody = hasSecretBody
    self.bodyLimit = bodyLimit
  }
}

/// A header field, as sent or received. Names compare without regard to case; see
/// `Sequence.value(of:)`.
public struct HTTPHeader: Sendable, Hashable, Codable {
  /// The name in its original case.
  public var name: String
  /// The value as it is sent. In a response, the spaces around it are removed.
  public var value: String

  /// Creates a field. Nothing is checked or escaped.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Returns whether the field has the name, ignoring case.
  package func isNamed(_ other: String) -> Bool {
    // Most names have different lengths, which are compared without a copy in lowercase.
    name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
  }
}

extension Sequence<HTTPHeader> {
  /// Returns the first value of the field `name`, ignoring case, or `nil` if there is none.
  /// O(number of fields).
  public func value(of name: String) -> String? {
    first { $0.isNamed(name) }?.value
  }
}

/// A complete HTTP response.
public struct APIResponse: Sendable, Equatable {
  /// The status code, 200 to 999; never 1xx.
  public var status: Int
  /// The version of HTTP, such as `1.1` or `2`.
  public var httpVersion: String
  /// The headers in the order received, including repeated ones.
  public var headers: [HTTPHeader]
  /// The body after decompression; empty if there is none.
  public var body: Data
  /// The URL of the response, after redirects.
  public var url: String
  /// The number of redirects that were followed.
  public var redirects: Int
  /// The times at which the stages were reached, from the start of the first request, before
  /// redirects.
  public var timing: APITiming
  /// Whether the body had the `Content-Encoding` in the headers, and was decoded.
  public var isDecoded = false
  /// If redirects were followed, the URLs that have received the request with a method that is not
  /// safe, such as PUT, and have not refused it.
  public var changedURLs: [String] = []
  /// The proxy that may have sent the response itself, or `nil` if only the service can have. It
  /// has no credentials: `http://127.0.0.1:3128 (http_proxy)`.
  public var proxy: String?

  /// Creates a response. The default values suit a mock.
  public init(
    status: Int, httpVersion: String = "1.1", headers: [HTTPHeader] = [], body: Data = Data(),
    url: String, redirects: Int = 0, timing: APITiming = APITiming()
  ) {
    self.status = status
    self.httpVersion = httpVersion
    self.headers = headers
    self.body = body
    self.url = url
    self.redirects = redirects
    self.timing = timing
  }
}

/// The times of the stages of a request, in microseconds since its start. A stage that did not
/// happen is 0: a request over a kept connection has no lookup, for example.
public struct APITiming: Sendable, Equatable, Codable {
  /// The time at which the host name was resolved.
  public var lookup: Int64 = 0
  /// The time at which the connection was established.
  public var connect: Int64 = 0
  /// The time at which the TLS handshake was complete; 0 without TLS.
  public var tls: Int64 = 0
  /// The time at which the first byte of the response arrived.
  public var firstByte: Int64 = 0
  /// The time at which the last byte of the response arrived.
  public var total: Int64 = 0

  /// Creates a timing in which every stage is 0.
  public init() {}
}

/// The reason why no complete response arrived. `message` never contains a header value or a query
/// value.
public struct APIError: Error, Sendable, Equatable, Codable {
  /// The kind of a failure, which also tells the stage.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The URL is invalid, or its scheme is neither `http` nor `https`. An invalid method or header
    /// is `invalidURL` too. Nothing was sent.
    case invalidURL, unsupportedScheme
    /// The address of the proxy cannot be used. Nothing was sent.
    case invalidProxy
    /// In order: the host name is unknown; the connection was refused; the host is unreachable. A
    /// refusal by the proxy is `unreachable`, with the status 407 if it is one of the login.
    case dns, refused, unreachable
    /// The client is offline: `LiveConfiguration.isOffline`.
    case offline
    /// The time limit ended before the last byte, or the task was cancelled or the client released.
    case timeout, cancelled
    /// No secure connection, a response that ends too soon, or a response that is not HTTP or has
    /// more bytes of headers than are accepted.
    case tls, truncated, malformed
    /// More redirects than allowed, in earlier recordings. The last one is the response now.
    case tooManyRedirects
    /// A redirect would send a secret to another scheme, host or port.
    case redirectRefused
    /// The body has more bytes than are accepted.
    case tooLarge
    /// A compressed response has more bytes after decompression than `APIRequest.decodedLimit`.
    case tooLargeDecoded
    /// A local file, or another source or destination of a body, failed.
    case file
    /// Another error of the HTTP library, with its code.
    case io
    /// The HTTP library could not be loaded. The message names the package to install.
    case libraryMissing
    /// A mock has no answer for the request. The message says which one to add.
    case unanswered
    /// The request could not be completed with its secrets and files, see `APIError.problem`.
    case unprepared
    /// The response is complete but could not be decoded as the requested type.
    case undecodable
  }

  /// The kind of the failure, for code.
  public var kind: Kind
  /// A line for the user that says what failed and what to do.
  public var message: String
  /// The status of the response, if the status is the reason of the error.
  public var status: Int?
  /// The reason why the request could not be completed, for `unprepared`.
  public var problem: APIRequestProblem?
  /// The incomplete file that the next attempt can continue, if any.
  public var part: Part?
  /// The problem of the secure connection, for `tls` and if it is known.
  public var tlsProblem: TLSProblem?
  /// Whether the request cannot be repeated: the source of the body can be read only once, a proxy
  /// refuses the login, or a service has received a request that must not be sent twice and
  /// redirected it.
  public var isFinal: Bool?
  /// Whether anything of the request was sent, or `nil` if that is not known.
  public var wasSent: Bool?
  /// The proxy between the client and the service, or `nil` for none. The message names it.
  public var proxy: String?
  /// Whether a cached response did not replace this failure because its service wants it confirmed.
  public var hasUnconfirmed: Bool?

  /// The incomplete file of a failed download.
  public struct Part: Sendable, Equatable, Codable {
    /// The path of the download's target. The incomplete file has the suffix `.part`.
    public var file: String
    /// The number of bytes in the incomplete file.
    public var bytes: Int64

    /// Creates the description of an incomplete file.
    public init(file: String, bytes: Int64) {
      self.file = file
      self.bytes = bytes
    }
  }

  /// Creates an error. The message must not contain a secret.
  public init(_ kind: Kind, _ message: String, status: Int? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
  }

  /// Returns the error of a cancelled request.
  static func cancelled(_ request: String, wasSent: Bool?) -> APIError {
    var error = APIError(.cancelled, "\(request) was cancelled")
    error.wasSent = wasSent
    return error
  }

  /// Returns whether an error is one after which the same request may succeed a moment later; for
  /// `Effect.retry`.
  public static func isTemporary(_ error: any Error) -> Bool {
    (error as? APIError)?.isTemporary == true
  }

  /// Whether the service may have received the request, or a part of it.
  public var mayHaveArrived: Bool {
    switch kind {
    case .cancelled: wasSent ?? true
    case .invalidURL, .unsupportedScheme, .invalidProxy, .dns, .refused, .unreachable, .offline,
      .libraryMissing, .unprepared:
      false
    case .timeout, .tls, .truncated, .malformed, .tooManyRedirects, .redirectRefused, .tooLarge,
      .tooLargeDecoded, .file, .io, .unanswered, .undecodable:
      true
    }
  }

  /// Whether the same request may succeed a moment later.
  public var isTemporary: Bool {
    if isFinal == true { return false }
    if let status { return [429, 502, 503, 504].contains(status) }
    return [.refused, .unreachable, .timeout, .truncated, .dns].contains(kind)
  }
}
