import SwiftBoardSystem

/// What to ask a service for, as parts that are put together into an `APIRequest`.
public struct APIEndpoint: Sendable, Equatable {
  /// As `APIRequest.method`.
  public var method: String
  /// Absolute, `http` or `https`; it may hold a query already.
  public var url: String
  /// Added after the query of `url`, percent-encoded.
  public var query: [QueryItem]
  /// In the order sent.
  public var headers: [HTTPHeader]
  /// `nil` sends none.
  public var body: Data?
  /// For the whole exchange; `nil` waits forever.
  public var timeout: Duration?
  /// How many redirects are followed; 0 makes of a 3xx answer an error of `APIClient.request(_:)`.
  public var redirectLimit: Int
  /// Names of headers that hold a secret, see `APIRequest.secretHeaders`.
  public var secretHeaders: Set<String>

  /// An endpoint; nothing is checked before `request()`.
  public init(
    method: String = "GET", url: String, query: [QueryItem] = [], headers: [HTTPHeader] = [],
    body: Data? = nil, timeout: Duration? = .seconds(30), redirectLimit: Int = 5,
    secretHeaders: Set<String> = []
  ) {
    self.method = method
    self.url = url
    self.query = query
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.redirectLimit = redirectLimit
    self.secretHeaders = secretHeaders
  }

  /// The request, its address checked and normalised. O(length of the address).
  ///
  /// - Throws: `APIError`, `invalidURL` or `unsupportedScheme`.
  public func request() throws(APIError) -> APIRequest {
    APIRequest(
      method: method, url: try URLBuilder(url).appending(query: query).url, headers: headers,
      body: body, timeout: timeout, redirectLimit: redirectLimit, secretHeaders: secretHeaders)
  }
}

extension APIEndpoint: CustomStringConvertible, CustomReflectable {
  /// Method and address without the query: nothing in it can be a secret.
  public var description: String { APIRequest(method: method, url: url).description }
  public var customMirror: Mirror { Mirror(self, children: ["endpoint": description]) }
}

extension APIClient {
  /// Asks for a value: sends the endpoint's request and decodes the JSON of a 2xx answer.
  ///
  /// - Throws: what `send` throws; `undecodable` where the status is not 2xx or the JSON is not a
  ///   `T`. The message has the path in the JSON, never a value.
  public func request<T: Decodable>(_ endpoint: APIEndpoint) async throws(APIError) -> T {
    let request = try endpoint.request()
    return try await send(request).decoded(request) {
      try JSONDecoder().decode(T.self, from: $0.body)
    }
  }
}

extension APIResponse {
  /// The value that `decode` makes of an answer of 2xx.
  ///
  /// - Throws: `undecodable`, and an `APIError` of `decode` as it is.
  func decoded<Value>(
    _ request: APIRequest, _ decode: (_ response: APIResponse) throws -> Value
  ) throws(APIError) -> Value {
    guard (200..<300).contains(status) else { throw .noValue(request, status: status) }
    do { return try decode(self) } catch let error as APIError { throw error } catch {
      throw APIError(
        .undecodable,
        "the answer to \(request) is not a \(Value.self): \(Self.reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    func location(_ context: DecodingError.Context, _ last: String? = nil) -> String {
      let keys = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
      let path = (keys + (last.map { [$0] } ?? [])).joined(separator: ".")
      return path.isEmpty ? "at the top" : "at \(path)"
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      return "\(location(context, key.stringValue)) nothing was found"
    case DecodingError.valueNotFound(let type, let context):
      return "\(location(context)) there is null instead of \(type)"
    case DecodingError.typeMismatch(let type, let context):
      return "\(location(context)) there is something else than \(type)"
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
      return "it is not JSON"
    case DecodingError.dataCorrupted(let context):
      return "\(location(context)) the value is not allowed"
    default: return "it could not be decoded"
    }
  }
}

extension APIError {
  /// Says that the status of an answer is not that of a value.
  static func noValue(_ request: APIRequest, status: Int) -> APIError {
    APIError(
      .undecodable, "\(request) was answered with status \(status), not with a value",
      status: status)
  }
}
