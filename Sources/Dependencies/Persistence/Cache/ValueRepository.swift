import SwiftBoardSystem

/// Values of an HTTP service, decoded, from the cache or from the service.
///
/// ```swift
/// struct Film: Decodable, Sendable { var id: Int, title: String }
///
/// let answers = ResponseRepository(dependencies, service: "films", lifetime: .asAnswered)
/// let films = Repository<[Film]>(answers)
/// let found = try await films.value(of: APIEndpoint(url: "http://films.example/api/films"))
/// if found.verdict == .stale { … }
/// ```
/// What is kept is the service's answer, not the value: a later version of a program may decode it
/// otherwise. A kept answer that cannot be decoded is asked for anew.
public struct Repository<Value: Sendable>: Sendable {
  private let responses: ResponseRepository
  private let decode: @Sendable (_ response: APIResponse) throws -> Value

  /// A value and its source.
  public struct Fetched: Sendable {
    /// The value.
    public var value: Value
    /// The source of the answer that it was decoded from.
    public var verdict: CacheVerdict
    /// When a kept answer was stored or last confirmed, in microseconds since 1970; `nil` for one
    /// of the service.
    public var stored: Int64?
    /// Why the service gave no value, if the answer is a kept one that stands in for it.
    public var networkError: APIError?
    /// Why the cache could not be read or written.
    public var cacheError: PersistenceError?
  }

  /// A repository of the values that a closure makes of answers.
  ///
  /// - Parameters:
  ///   - responses: Where the answers come from. Repositories of several types may have the same
  ///     one, and then share its exchanges.
  ///   - decode: Makes a value of an answer with a status of 2xx, for every caller anew. An error
  ///     that it throws becomes `APIError.Kind.undecodable`, unless it is an `APIError`.
  public init(
    _ responses: ResponseRepository,
    decode: @escaping @Sendable (_ response: APIResponse) throws -> Value
  ) {
    self.responses = responses
    self.decode = decode
  }

  /// Asks for the value of an endpoint.
  ///
  /// - Throws: `APIError`: that of `APIEndpoint.request()`; that of the service, if nothing that is
  ///   kept stands in for it; `undecodable` where the status is not 2xx or the answer is no value;
  ///   `cancelled` where the task is.
  public func value(
    of endpoint: APIEndpoint, policy: CachePolicy = .localFirst
  ) async throws(APIError) -> Fetched {
    let request = try endpoint.request()
    let fetched = try await responses.response(to: request, policy: policy)
    do throws(APIError) { return try decoded(fetched, request) } catch {
      // What is kept is of another version of the service or of the program.
      switch fetched.verdict {
      case .miss, .none: throw error
      case .hit, .revalidated, .stale: break
      }
      if let networkError = fetched.networkError { throw networkError }
      return try decoded(
        try await responses.response(to: request, policy: policy, ignoresKept: true), request)
    }
  }

  private func decoded(
    _ fetched: ResponseRepository.Fetched, _ request: APIRequest
  ) throws(APIError) -> Fetched {
    Fetched(
      value: try fetched.response.decoded(request, decode), verdict: fetched.verdict,
      stored: fetched.stored, networkError: fetched.networkError, cacheError: fetched.cacheError)
  }
}

extension Repository.Fetched: Equatable where Value: Equatable {}

extension Repository where Value: Decodable {
  /// A repository of values in JSON.
  public init(_ responses: ResponseRepository) {
    self.init(responses) { try JSONDecoder().decode(Value.self, from: $0.body) }
  }
}
