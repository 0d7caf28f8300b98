import SwiftBoardSystem

/// Decoded values of an HTTP service, from the cache or from the service.
///
/// ```swift
/// struct Film: Decodable, Sendable { var id: Int, title: String }
///
/// let answers = ResponseRepository(dependencies, service: "films", lifetime: .asAnswered)
/// let films = Repository<[Film]>(answers)
/// let found = try await films.value(of: APIEndpoint(url: "http://films.example/api/films"))
/// if found.verdict == .stale { … }
/// ```
/// The cache contains responses, not values, because a later version of a program may decode them
/// differently. If a cached response cannot be decoded, the service is asked again. A response that
/// cannot be decoded never replaces a cached one.
public struct Repository<Value: Sendable>: Sendable {
  private let responses: ResponseRepository
  private let decode: @Sendable (_ response: APIResponse) throws -> Value
  private let valueName: String
  private let log: (logger: any Logger, category: String)?

  /// Creates a repository of the values that a closure decodes.
  ///
  /// - Parameters:
  ///   - responses: The source of the responses. Repositories of several types may use the same
  ///     one; those of one type and one `valueName` share its exchanges.
  ///   - log: The logger, and the category of the line of each value, or `nil` for no lines.
  ///   - valueName: The value in messages, with its article, such as `a film`, or `nil` for the
  ///     name of its type.
  ///   - decode: Decodes a response with a status of 2xx, separately for every caller, and before
  ///     it is stored. Its errors become `APIError.Kind.undecodable`, except an `APIError`.
  public init(
    _ responses: ResponseRepository, log: (logger: any Logger, category: String)? = nil,
    valueName: String? = nil,
    decode: @escaping @Sendable (_ response: APIResponse) throws -> Value
  ) {
    self.responses = responses
    self.log = log
    self.valueName = valueName ?? "a \(Value.self)"
    self.decode = decode
  }

  /// Returns the value of an endpoint.
  ///
  /// - Throws: `APIError`: the errors of `APIEndpoint.request()` and of the service if no cached
  ///   response replaces its own, `undecodable` if the status is not 2xx or the response does not
  ///   decode, and `cancelled` if the task is cancelled.
  public func value(
    of endpoint: APIEndpoint, policy: CachePolicy = .localFirst
  ) async throws(APIError) -> Fetched<Value> {
    let fetched = try await fetch(endpoint, policy)
    if let log {
      log.logger.log(
        "\(endpoint)", level: .info, category: log.category,
        fields: [LogField("verdict", fetched.verdict.rawValue)])
    }
    return fetched
  }

  private func fetch(
    _ endpoint: APIEndpoint, _ policy: CachePolicy
  ) async throws(APIError) -> Fetched<Value> {
    let request = try endpoint.request()
    let fetched = try await response(to: request, policy, ignoresKept: false)
    do throws(APIError) { return try decoded(fetched, request) } catch {
      // The cached response is from another version of the service or of the program.
      switch fetched.verdict {
      case .miss, .none: throw error
      case .hit, .revalidated, .stale: break
      }
      if let networkError = fetched.networkError { throw networkError }
      return try decoded(
        try await response(to: request, policy, ignoresKept: true), request)
    }
  }

  private func response(
    to request: APIRequest, _ policy: CachePolicy, ignoresKept: Bool
  ) async throws(APIError) -> Fetched<APIResponse> {
    try await responses.response(
      to: request, policy: policy, ignoresKept: ignoresKept,
      checkName: "\(valueName): \(String(reflecting: Value.self))"
    ) {
      do { _ = try decode($0) } catch { return false }
      return true
    }
  }

  private func decoded(
    _ fetched: Fetched<APIResponse>, _ request: APIRequest
  ) throws(APIError) -> Fetched<Value> {
    try fetched.map { response throws(APIError) in
      try response.decoded(request, as: valueName, decode)
    }
  }
}

extension Repository<Data> {
  /// Writes the value of an endpoint to a file, in place of what is there. If the file cannot be
  /// written, nothing is asked for.
  ///
  /// - Returns: The number of bytes.
  /// - Throws: `FileError`, and the errors of `value(of:policy:)`.
  public func save(
    _ endpoint: APIEndpoint, to file: String, policy: CachePolicy = .localFirst,
    files: any FileService
  ) async throws -> Int {
    try files.checkTarget(file, isRecording: false)
    let data = try await value(of: endpoint, policy: policy).value
    try await files.write(data, to: file, mode: .replace)
    return data.count
  }
}

extension Repository where Value: Decodable {
  /// Creates a repository of JSON values.
  public init(_ responses: ResponseRepository) {
    self.init(responses) { try JSONDecoder().decode(Value.self, from: $0.body) }
  }
}
