import SwiftBoardSystem

/// The parts of a request to a service.
public struct APIEndpoint: Sendable, Equatable {
  /// The method, as in `APIRequest.method`.
  public var method: String
  /// An absolute `http` or `https` URL, which may have a query.
  public var url: String
  /// The items to add to the query of `url`. They are percent-encoded.
  public var query: [QueryItem]
  /// The headers in the order sent.
  public var headers: [HTTPHeader]
  /// The body, or `nil` to send none.
  public var body: Data?
  /// The limit of the whole exchange. `nil` sets no limit.
  public var timeout: Duration?
  /// The number of redirects to follow. Behind them, `APIClient.request(_:)` throws an error for a
  /// 3xx response.
  public var redirectLimit: Int
  /// The names of headers that contain a secret; see `APIRequest.secretHeaders`.
  public var secretHeaders: Set<String>
  /// The authentication, which names a secret, or `nil` for none. The request is then sent with a
  /// `ResolvingAPIClient`, as `Repository` does.
  public var authentication: APIService.Authentication?

  /// Creates an endpoint. Nothing is checked before `request()`.
  public init(
    method: String = "GET", url: String, query: [QueryItem] = [], headers: [HTTPHeader] = [],
    body: Data? = nil, timeout: Duration? = .seconds(30), redirectLimit: Int = 5,
    secretHeaders: Set<String> = [], authentication: APIService.Authentication? = nil
  ) {
    self.method = method
    self.url = url
    self.query = query
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.redirectLimit = redirectLimit
    self.secretHeaders = secretHeaders
    self.authentication = authentication
  }

  /// Returns whether two URLs have the same scheme, host and port, so that one may have the key of
  /// the other. `false` if one of them is no URL.
  public static func isSameServer(_ url: String, _ other: String) -> Bool {
    guard let url = try? URLBuilder(url), let other = try? URLBuilder(other) else { return false }
    return url.hasSameOrigin(as: other)
  }

  /// Returns the request, with its URL checked and normalized. O(length of the URL).
  ///
  /// - Throws: `APIError` of kind `invalidURL` or `unsupportedScheme`.
  public func request() throws(APIError) -> APIRequest {
    var request = APIRequest(
      method: method, url: try URLBuilder(url).appending(query: query).url, headers: headers,
      body: body, timeout: timeout, redirectLimit: redirectLimit, secretHeaders: secretHeaders)
    if let authentication { try request.authenticate(authentication) }
    return request
  }
}

extension APIEndpoint: CustomStringConvertible, CustomReflectable {
  /// The method and the URL without its query, which might contain a secret.
  public var description: String { APIRequest(method: method, url: url).description }
  /// A mirror with the description only.
  public var customMirror: Mirror { Mirror(self, children: ["endpoint": description]) }
}

extension APIClient {
  /// Sends the endpoint's request and decodes the JSON of a 2xx response.
  ///
  /// - Throws: The errors of `send`, and `undecodable` if the status is not 2xx or the JSON does
  ///   not decode as `T`. The message contains the path in the JSON, never a value.
  public func request<T: Decodable>(_ endpoint: APIEndpoint) async throws(APIError) -> T {
    let request = try endpoint.request()
    return try await send(request).decoded(request, as: "a \(T.self)") {
      try JSONDecoder().decode(T.self, from: $0.body)
    }
  }
}

extension APIResponse {
  /// Returns the value that `decode` makes of a 2xx response.
  ///
  /// - Parameter name: The value in messages, with its article.
  /// - Throws: `undecodable`, or an `APIError` of `decode` unchanged.
  func decoded<Value>(
    _ request: APIRequest, as name: String, _ decode: (_ response: APIResponse) throws -> Value
  ) throws(APIError) -> Value {
    guard (200..<300).contains(status) else { throw .noValue(request, in: self) }
    do { return try decode(self) } catch let error as APIError { throw error } catch {
      throw APIError(
        .undecodable,
        "the answer to \(request) is not \(name): \(Self.reason(error))")
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
  /// Returns the error for a response with a status other than 2xx.
  static func noValue(_ request: APIRequest, in response: APIResponse) -> APIError {
    let place = response.proxy.map { " through the proxy \($0)" } ?? ""
    var error = APIError(
      .undecodable,
      "\(request) was answered\(place) with status \(response.status), not with a value",
      status: response.status)
    error.proxy = response.proxy
    return error
  }
}
