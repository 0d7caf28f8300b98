import SwiftBoardSystem

/// Sends one HTTP request and returns its answer, whole or piece by piece.
///
/// Any status is an answer, 404 and 500 too; an error is thrown only where no whole answer came.
/// Cancelling the calling task closes the connection and throws `APIError.cancelled`.
public protocol APIClient: Service {
  /// - Throws: `APIError`, which says what failed and at which stage. Nothing is retried here.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse
  /// Sends one request and returns when the head of the answer is there. The body follows piece by
  /// piece, of whatever size; `bodyLimit` does not hold for it.
  ///
  /// - Throws: `APIError`, as `send`; so does the stream for what fails after the head.
  func open(_ request: APIRequest) async throws(APIError) -> APIStream
  /// Begins with what the first request would wait for, such as loading a library. Returns at once;
  /// a failure is for the request to throw.
  func prepare()
}

extension APIClient {
  /// Does nothing.
  public func prepare() {}

  /// Sends the request and gives its whole body as one piece.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    APIStream(whole: try await send(request))
  }
}

/// One HTTP request.
///
/// The description shows method and address only, never headers or body, which may hold secrets.
public struct APIRequest: Sendable, Equatable {
  /// A token of RFC 9110, 5.6.2, as it is sent: `GET`; small letters are not made capital.
  public var method: String
  /// Absolute, `http` or `https`.
  public var url: String
  /// In the order sent; a name may come several times. A value with a line break or NUL is refused.
  public var headers: [HTTPHeader]
  /// Names of headers that the client does not send by itself either.
  public var removedHeaders: Set<String> = []
  /// Sent with every method but `HEAD`. `nil` sends none; POST, PUT and PATCH then say that its
  /// length is 0.
  public var body: Data?
  /// A body that is sent piece by piece, in place of `body`.
  public var upload: APIUpload?
  /// From the call to the last byte of the answer, redirects and waiting for other requests
  /// included. `nil` waits forever.
  public var timeout: Duration?
  /// The longest time in which not one byte comes or goes, in whole seconds, rounded up; `nil` sets
  /// no such limit. For transfers of which nobody knows how long they may take.
  public var idleLimit: Duration?
  /// How many redirects are followed; 0 gives the 3xx answer itself.
  public var redirectLimit: Int
  /// Names of headers that carry a secret. They are dropped when a redirect leaves scheme, host or
  /// port. `Authorization` and `Cookie` always are.
  public var secretHeaders: Set<String>
  /// The secrets in the address and the headers. If a redirect changes scheme, host or port, query
  /// items of its target that hold one are dropped, and a target that holds one elsewhere is
  /// `APIError.redirectRefused`.
  public var secretValues: Set<String>
  /// Whether the body holds a secret. A redirect that would send it to another scheme, host or port
  /// is then `APIError.redirectRefused`.
  public var hasSecretBody: Bool
  /// The most bytes of body, after decompression; more is `APIError.tooLarge`.
  public var bodyLimit: Int
  /// The most bytes that a compressed body may have after decompression, streamed or not; `nil`
  /// sets no limit of its own.
  public var decodedLimit: Int?
  /// Whether a compressed answer is asked for, which is then decoded.
  public var acceptsCompression = true
  /// Answers a challenge of the scheme Digest, from the host that was asked first only.
  public var digest: APICredentials?
  /// How the server is reached and trusted.
  public var connection = APIConnection()
  /// What is replaced when the request is sent; `nil` if the request is complete. A client that is
  /// given references refuses them, see `ResolvingAPIClient`.
  public var references: APIReferences?

  /// A request; nothing is checked before it is sent.
  ///
  /// - Parameters:
  ///   - redirectLimit: The number of redirects to follow; none by default.
  ///   - bodyLimit: 16 MiB.
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

/// A header field as sent or received. Names compare without regard to case: see
/// `Sequence.value(of:)`.
public struct HTTPHeader: Sendable, Hashable, Codable {
  /// In the case given; comparing it is left to `Sequence.value(of:)`.
  public var name: String
  /// As it is sent; of an answer without the blanks around it.
  public var value: String

  /// A field as it is; nothing is checked or escaped.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension Sequence<HTTPHeader> {
  /// The first value of the field `name`, whatever its case. O(number of fields).
  public func value(of name: String) -> String? {
    first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A whole answer.
public struct APIResponse: Sendable, Equatable {
  /// The status code, 200 or 404 alike; never 1xx.
  public var status: Int
  /// For example `1.1` or `2`.
  public var httpVersion: String
  /// In the order received; repeated fields are kept.
  public var headers: [HTTPHeader]
  /// After decompression; empty if there is none.
  public var body: Data
  /// The address that answered, after redirects.
  public var url: String
  /// How many redirects were followed.
  public var redirects: Int
  /// When its stages were reached, counted from the beginning of the first request of a chain of
  /// redirects.
  public var timing: APITiming

  /// Creates an answer. The default values suit a mock.
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

/// Microseconds since the request began; 0 if a stage did not happen (a kept connection has no
/// lookup).
public struct APITiming: Sendable, Equatable, Codable {
  /// When the host name was resolved.
  public var lookup: Int64 = 0
  /// When the connection stood.
  public var connect: Int64 = 0
  /// When TLS stood; 0 without TLS.
  public var tls: Int64 = 0
  /// When the first byte of the answer was there.
  public var firstByte: Int64 = 0
  /// When the last one was.
  public var total: Int64 = 0

  /// Nothing happened yet: all zero.
  public init() {}
}

/// Why no whole answer came. `message` never contains a header value or a query value.
public struct APIError: Error, Sendable, Equatable, Codable {
  /// What went wrong, and in which stage.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The address cannot be used, or is neither `http` nor `https`. Nothing was sent. The same
    /// goes for a bad method or header.
    case invalidURL, unsupportedScheme
    /// The name is not known; nothing listens there; there is no way there, the proxy's refusal
    /// included.
    case dns, refused, unreachable
    /// The client sends nothing: `LiveConfiguration.isOffline`.
    case offline
    /// The time was over before the last byte; the task was cancelled, or the client was dropped.
    case timeout, cancelled
    /// No secure connection; an answer that ends too soon; one that is not HTTP; more redirects
    /// than were allowed.
    case tls, truncated, malformed, tooManyRedirects
    /// A redirect that would take a secret to another scheme, host or port.
    case redirectRefused
    /// More bytes of body or headers than are accepted.
    case tooLarge
    /// A compressed answer that unpacks to more bytes than `APIRequest.decodedLimit`.
    case tooLargeDecoded
    /// A file of this machine, or another source, that the body comes from or goes to.
    case file
    /// Anything else inside the HTTP library, with its code.
    case io
    /// The HTTP library could not be loaded; the message names the package to install.
    case libraryMissing
    /// A mock has no answer for the request; the message says which to give.
    case unanswered
    /// The request could not be put together, see `APIError.problem`.
    case unprepared
    /// The answer was whole but could not be decoded as the type asked for.
    case undecodable
  }

  /// What went wrong, for code.
  public var kind: Kind
  /// What went wrong and what to do, for people, in one line.
  public var message: String
  /// The status of an answer that is no value, where that is what went wrong.
  public var status: Int?
  /// Why the request could not be put together, where that is what went wrong.
  public var problem: APIRequestProblem?
  /// What is left of a download for the next attempt, if anything is.
  public var part: Part?
  /// Whether the body came from a source that can be read only once, so that it cannot be sent again.
  public var isFinal: Bool?

  /// The beginning of a download that failed.
  public struct Part: Sendable, Equatable, Codable {
    /// The file that the download was to be written to.
    public var file: String
    /// The number of bytes beside it.
    public var bytes: Int64
  }

  /// An error; what it says must hold no secret.
  public init(_ kind: Kind, _ message: String, status: Int? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
  }
}
