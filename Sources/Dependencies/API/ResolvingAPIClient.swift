import Synchronization

/// A client that replaces the references in a request by the values of secrets and the content of
/// files. The code that creates the request only knows names and paths.
///
/// A cached response needs neither, so it is available while the keychain is locked.
public final class ResolvingAPIClient: APIClient {
  private let base: any APIClient
  private let resolver: RequestResolver
  private let lastIsRepeatable = Mutex(true)

  /// Creates a client for one request and its repetitions, with the keychain, the terminal and the
  /// files of an environment.
  public init(_ dependencies: Dependencies) {
    base = dependencies.apiClient
    resolver = RequestResolver(dependencies)
  }

  /// Whether the last request can be repeated. It cannot if its body came from standard input or a
  /// pipe.
  var isRepeatable: Bool { lastIsRepeatable.withLock(\.self) }

  /// Sends the request with its references replaced.
  ///
  /// - Throws: `APIError`, with `unprepared` if a secret or a file is unavailable.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    try await sending(request) { request throws(APIError) in try await base.send(request) }
  }

  /// Sends the request with its references replaced, and returns the response as a stream.
  ///
  /// - Throws: As `send`.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    try await sending(request) { request throws(APIError) in try await base.open(request) }
  }

  /// Prepares the client that sends.
  public func prepare() { base.prepare() }

  private func sending<Answer>(
    _ request: APIRequest, _ send: (APIRequest) async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    let resolved = try await resolved(request)
    do throws(APIError) {
      return try await send(resolved.request)
    } catch {
      // The library only reports that the body ended too soon. The body has the reason.
      guard error.kind == .file, let body = resolved.body else { throw error }
      guard let failure = body.failure else { throw body.sizeError }
      throw APIRequestProblem(failure).map { APIError($0) } ?? error
    }
  }

  private func resolved(
    _ request: APIRequest
  ) async throws(APIError) -> RequestResolver.Resolved {
    let resolved: RequestResolver.Resolved
    do { resolved = try await resolver.resolve(request) } catch let error as APIError {
      throw error
    } catch {
      if let problem = APIRequestProblem(error) { throw APIError(problem) }
      throw error is CancellationError
        ? APIError(.cancelled, "\(request) was cancelled") : APIError(.io, "\(error)")
    }
    lastIsRepeatable.withLock { $0 = resolved.isRepeatable }
    return resolved
  }
}
