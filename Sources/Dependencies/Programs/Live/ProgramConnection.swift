import SwiftBoardSystem

/// Requests to a program at the address of a service, with the service's key.
///
/// A request contains the name of its secret. `ResolvingAPIClient` inserts the value when it is
/// sent. Cached responses therefore need no keychain, and no response contains a key.
struct ProgramConnection: Sendable {
  let dependencies: Dependencies
  /// The program that should be there, for errors.
  let program: String
  let service: APIService
  /// Milliseconds for each request.
  let timeout: Int64?
  /// Whether errors are those of a request that changes something.
  var isChanging = false

  /// The connection for the errors of a request that changes something.
  var changing: ProgramConnection {
    var connection = self
    connection.isChanging = true
    return connection
  }

  /// A request before it has its key.
  struct Call: Sendable {
    var method = "GET"
    /// The path relative to the service's address: `/movie/7`.
    var path: String
    var query: [QueryItem] = []
    /// Further query items, with values that are already encoded.
    var encodedQuery: [(name: String, value: SecretText)] = []
    /// The text of JSON.
    var body: SecretText?
    /// See `APIRequest.isIdempotent`.
    var isIdempotent: Bool?
    /// Whether the request changes something, or `nil` if the method tells: only a GET does not.
    var isChange: Bool?
    /// Whether the request changes something.
    var changes: Bool { isChange ?? (method != "GET") }
    /// The maximum size of the response in bytes.
    var limit = 16 << 20
  }

  /// Returns an error.
  ///
  /// - Parameter response: The response that shows it. If it came through a proxy and does not
  ///   identify the program, the proxy may have sent it.
  func error(_ kind: ProgramError.Kind, in response: APIResponse? = nil) -> ProgramError {
    var error = ProgramError(
      kind, program: program, service: service.name, address: service.baseURL)
    error.isOfChange = isChanging
    if let response, let proxy = response.proxy, !Self.programs(of: response).contains(program) {
      error.proxy = proxy
    }
    return error
  }

  /// Sends a request.
  ///
  /// - Returns: The answer, whatever its status.
  func send(_ call: Call) async throws(ProgramError) -> APIResponse {
    let request = try request(call)
    do throws(APIError) {
      let response = try await noteCancellation(of: call) { () throws(APIError) in
        try await ResolvingAPIClient(dependencies).send(request)
      }
      log(call, response, .none)
      return response
    } catch {
      var error = error
      // What is only read changes nothing, however far it came.
      if !call.changes { error.wasSent = false }
      throw logged(error, of: call)
    }
  }

  /// Sends a request, or returns a cached response if the policy permits. Stores nothing.
  func fetch(
    _ call: Call, policy: CachePolicy
  ) async throws(ProgramError) -> Fetched<APIResponse> {
    let request = try request(call)
    do throws(APIError) {
      let fetched = try await noteCancellation(of: call) { () throws(APIError) in
        try await answers.response(to: request, policy: policy)
      }
      log(call, fetched.value, fetched.verdict)
      return fetched
    } catch {
      throw logged(error, of: call)
    }
  }

  /// Stores a response for `fetch`, whatever its headers say.
  func keep(_ response: APIResponse, of call: Call) async {
    guard let request = try? request(call) else { return }
    note(await answers.keep(response, to: request), "an answer could not be kept")
  }

  /// Removes the stored responses to a call.
  func forget(_ call: Call) async {
    guard let request = try? request(call) else { return }
    note(await answers.forget(request), "what is kept could not be removed")
  }

  private var answers: ResponseRepository {
    var answers = ResponseRepository(
      dependencies, service: service.name, account: service.authentication?.secret)
    answers.storesResponses = false
    return answers
  }

  private func note(_ error: PersistenceError?, _ text: String) {
    guard let error else { return }
    dependencies.logger.log("\(text): \(error.message)", level: .warning, category: "api")
  }

  private func log(_ call: Call, _ response: APIResponse, _ verdict: CacheVerdict) {
    dependencies.logger.log(
      answerTo: shown(call), status: response.status, bytes: response.body.count, verdict)
  }

  private func noteCancellation<Answer: Sendable>(
    of call: Call, _ exchange: () async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    let result = await dependencies.logger.noteCancellation(of: shown(call)) {
      () async -> Result<Answer, APIError> in
      do throws(APIError) { return .success(try await exchange()) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Logs the failure of a call, unless cancelling has done so, and returns it.
  private func logged(_ error: APIError, of call: Call) -> ProgramError {
    if !Task.isCancelled { dependencies.logger.log(failureOf: shown(call), error) }
    return self.error(.init(error))
  }

  /// The method and the address of a call, without its query.
  private func shown(_ call: Call) -> String { "\(call.method) \(service.base)\(call.path)" }

  private func request(_ call: Call) throws(ProgramError) -> APIRequest {
    var endpoint = APIEndpoint(
      method: call.method, url: service.addingQuery(to: service.base + call.path),
      query: call.query,
      headers: [HTTPHeader("Accept", "application/json"), HTTPHeader("User-Agent", "swiftboard")],
      timeout: .milliseconds(timeout ?? 30_000), redirectLimit: 0)
    if call.body != nil { endpoint.headers.append(HTTPHeader("Content-Type", "application/json")) }
    var request: APIRequest
    do throws(APIError) { request = try endpoint.request() } catch {
      throw self.error(.api(error))
    }
    request.bodyLimit = call.limit
    request.isIdempotent = call.isIdempotent
    if let body = call.body {
      if let text = body.text {
        request.body = Data(text.utf8)
      } else {
        request.references = APIReferences(content: APIContent(.whole(.json(body))))
        request.hasSecretBody = true
      }
    }
    // None of these programs asks for a digest.
    if case .digest(_, let secret)? = service.authentication {
      throw error(.unusableKey(secret: secret))
    }
    do throws(APIError) {
      try request.append(call.encodedQuery)
      if let authentication = service.authentication {
        try request.authenticate(authentication)
      }
    } catch { throw self.error(.api(error)) }
    return request
  }
}

extension ProgramError.Kind {
  /// Creates the error of a program from an error of the client.
  fileprivate init(_ error: APIError) {
    switch error.problem {
    case .keychain(let error): self = .keychain(error)
    case .terminal(let error): self = .terminal(error)
    case .secretNotText(let name), .secretWithControls(let name), .secretNeedsEscape(let name):
      self = .unusableKey(secret: name)
    case .file, .mark, .fileNotText, .notJSON, nil: self = .api(error)
    }
  }
}
