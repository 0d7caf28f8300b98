#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends one HTTP request and gives back the whole answer.
///
/// Any status is an answer, 404 and 500 too; an error is thrown only where no whole answer came. Cancelling the calling
/// task closes the connection and throws `APIError.cancelled`.
public protocol APIClient: Sendable {
  /// - Throws: `APIError`, which says what failed and at which stage. Nothing is retried here.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse
}

/// One HTTP request.
///
/// The description shows method and address only, never headers or body, which may hold secrets.
public struct APIRequest: Sendable, Equatable {
  public var method: String
  /// Absolute, `http` or `https`.
  public var url: String
  public var headers: [HTTPHeader]
  public var body: Data?
  /// From the call to the last byte of the answer, redirects and waiting for other requests included. `nil` waits for ever.
  public var timeout: Duration?
  /// How many redirects are followed; 0 gives the 3xx answer itself.
  public var redirectLimit: Int
  /// Names of headers that carry a secret. They are dropped when a redirect leaves scheme, host or port.
  /// `Authorization` and `Cookie` always are.
  public var secretHeaders: Set<String>
  /// The most bytes of body, after decompression; more is `APIError.tooLarge`.
  public var bodyLimit: Int

  public init(
    method: String = "GET", url: String, headers: [HTTPHeader] = [], body: Data? = nil,
    timeout: Duration? = .seconds(30), redirectLimit: Int = 0, secretHeaders: Set<String> = [],
    bodyLimit: Int = 16 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.redirectLimit = redirectLimit
    self.secretHeaders = secretHeaders
    self.bodyLimit = bodyLimit
  }
}

/// A header field as sent or received. Names compare without regard to case: see `Sequence.value(of:)`.
public struct HTTPHeader: Sendable, Hashable, Codable {
  public var name: String
  public var value: String

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
  public var status: Int
  /// For example `1.1` or `2`.
  public var httpVersion: String
  /// In the order received; repeated fields are kept.
  public var headers: [HTTPHeader]
  public var body: Data
  /// The address that answered, after redirects.
  public var url: String
  public var redirects: Int
  public var timing: APITiming

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

/// Microseconds since the request began; 0 where a stage did not happen (a kept connection has no lookup).
public struct APITiming: Sendable, Equatable, Codable {
  public var lookup: Int64 = 0
  public var connect: Int64 = 0
  public var tls: Int64 = 0
  public var firstByte: Int64 = 0
  public var total: Int64 = 0

  public init() {}
}

/// Why no whole answer came. `message` never contains a header value or a query value.
public struct APIError: Error, Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case invalidURL, unsupportedScheme
    case dns, refused, unreachable
    case timeout, cancelled
    case tls, truncated, malformed, tooManyRedirects
    case tooLarge
    case io
    /// The HTTP library could not be loaded; the message names the package to install.
    case libraryMissing
    /// A mock has no answer for the request; the message says which to give.
    case unanswered
    /// The answer was whole but could not be decoded as the type asked for.
    case undecodable
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
