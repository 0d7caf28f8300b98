import Synchronization

/// A client that replaces the references in a request by the values of secrets and the content of
/// files. The code that creates the request only knows names and paths.
///
/// A cached response needs neither, so it is available while the keychain is locked.
public final class ResolvingAPIClient: APIClient {
  private let base: any APIClient
  private let resolver: RequestResolver
  private let lastIsRepeatable = Mutex(true)
  /// Masks the body that is shown, or `nil` if none is.
  private let shownBodies: Redactor?
  private let lastBody = Mutex<SentBody?>(nil)

  /// Creates a client for one request and its repetitions, with the keychain, the terminal and the
  /// files of an environment.
  public convenience init(_ dependencies: Dependencies) {
    self.init(dependencies, showsBody: false)
  }

  /// - Parameter showsBody: Whether to keep the body of the last request for display.
  init(_ dependencies: Dependencies, showsBody: Bool) {
    shownBodies = showsBody ? dependencies.logger.redactor : nil
    base = dependencies.apiClient
    resolver = RequestResolver(dependencies)
  }

  /// Whether the last request can be repeated. It cannot if its body came from standard input or a
  /// pipe.
  var isRepeatable: Bool { lastIsRepeatable.withLock(\.self) }

  /// The body of the last request, if it is kept for display.
  var shownBody: SentBody? { lastBody.withLock(\.self) }

  /// Sends the request with its references replaced. The URL of the response can be displayed: it
  /// has marks in place of the secrets that the request put into it, so that it is refused where it
  /// would be sent or stored. After a redirect, a secret may still be a part of a longer text.
  ///
  /// - Throws: `APIError`, with `unprepared` if a secret or a file is unavailable.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    try await sending(request) { resolved throws(APIError) in
      var response = try await base.send(resolved.request)
      response.url = resolved.shownURL(of: response, to: request)
      return response
    }
  }

  /// Sends the request with its references replaced, and returns the response as a stream.
  ///
  /// - Throws: As `send`.
  public func open(_ request: APIRequest) async throws(APIError) -> APIStream {
    try await sending(request) { resolved throws(APIError) in
      let stream = try await base.open(resolved.request)
      return APIStream(stream, url: resolved.shownURL(of: stream.response, to: request))
    }
  }

  /// Whether the client that sends is.
  public var isOffline: Bool { base.isOffline }

  /// Prepares the client that sends.
  public func prepare() { base.prepare() }

  private func sending<Answer>(
    _ request: APIRequest,
    _ send: (RequestResolver.Resolved) async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    // What is not sent needs neither the keychain nor files. This throws.
    if base.isOffline { _ = try await base.send(request) }
    let resolved = try await resolved(request)
    do throws(APIError) {
      return try await send(resolved)
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
        ? .cancelled("\(request)", wasSent: false) : APIError(.io, "\(error)")
    }
    lastIsRepeatable.withLock { $0 = resolved.isRepeatable }
    if let shownBodies {
      lastBody.withLock { $0 = SentBody(of: resolved.request, shownBodies) }
    }
    return resolved
  }
}

extension RequestResolver.Resolved {
  /// Returns the URL of a response for display: that of the request with marks in place of its
  /// secrets, or that of the last redirect, in which marks replace path segments, query names and
  /// query values that are short secrets of the request's URL.
  fileprivate func shownURL(of response: APIResponse, to unresolved: APIRequest) -> String {
    if response.redirects == 0 {
      return unresolved.references?.url?.marked ?? response.url
    }
    guard !shortSecrets.isEmpty, let scheme = response.url.firstRange(of: "://") else {
      return response.url
    }
    let host = response.url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    var shown = String(response.url[..<host.endIndex])
    var rest = response.url[host.endIndex...]
    while !rest.isEmpty {
      let part = rest.prefix { !"/?#&=;".contains($0) }
      let next = rest[part.endIndex...]
      shown += name(in: part).map(RedactionMark.named) ?? String(part)
      shown += next.prefix(1)
      rest = next.dropFirst()
    }
    return shown
  }

  /// Returns the name of the short secret that is a whole part of a URL.
  private func name(in part: Substring) -> String? {
    [String(part), String(part).replacing("+", with: " ")].lazy
      .compactMap { shortSecrets[$0] ?? shortSecrets[PercentEncoding.decoded($0[...])] }.first
  }
}

extension APIStream {
  /// Creates the same stream with another URL.
  fileprivate convenience init(_ stream: APIStream, url: String) {
    var response = stream.response
    response.url = url
    self.init(
      response, pieces: { () throws(APIError) in try await stream.next() },
      end: { stream.timing })
  }
}
