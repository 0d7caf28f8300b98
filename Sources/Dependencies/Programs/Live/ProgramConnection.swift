import SwiftBoardJSON
import SwiftBoardSystem

/// Requests to a program at the address of a service, with the service's key.
///
/// The key is asked for by its name when a request is sent, and is in nothing that comes back. A
/// locked keychain is unlocked with a passphrase from the terminal, once.
struct ProgramConnection: Sendable {
  let dependencies: Dependencies
  /// The program that should be there, for errors.
  let program: String
  let service: APIService
  /// Milliseconds for each request.
  let timeout: Int64?

  /// A request before it has its key.
  struct Call: Sendable {
    var method = "GET"
    /// Behind the address of the service: `/movie/7`.
    var path: String
    var query: [QueryItem] = []
    /// Sent as JSON.
    var body: JSON?
    /// Addresses among the query's values hold the values of these secrets.
    var secrets: Set<String> = []
    /// Bytes of the answer.
    var limit = 16 << 20
  }

  func error(_ kind: ProgramError.Kind) -> ProgramError {
    ProgramError(kind, program: program, service: service.name, address: service.baseURL)
  }

  /// Sends a request.
  ///
  /// - Returns: The answer, whatever its status.
  func send(_ call: Call) async throws(ProgramError) -> APIResponse {
    let request = try await request(call)
    do throws(APIError) { return try await dependencies.apiClient.send(request) } catch {
      throw self.error(.api(error))
    }
  }

  /// Sends a request, or takes a kept answer as the policy says.
  func fetch(
    _ call: Call, policy: CachePolicy
  ) async throws(ProgramError) -> ResponseRepository.Fetched {
    let request = try await request(call)
    let answers = ResponseRepository(
      dependencies, service: service.name, account: service.authentication?.secret)
    do throws(APIError) { return try await answers.response(to: request, policy: policy) } catch {
      throw self.error(.api(error))
    }
  }

  private func request(_ call: Call) async throws(ProgramError) -> APIRequest {
    var endpoint = APIEndpoint(
      method: call.method, url: service.baseURL + call.path, query: call.query,
      headers: [HTTPHeader("Accept", "application/json"), HTTPHeader("User-Agent", "swiftboard")],
      timeout: .milliseconds(timeout ?? 30_000), redirectLimit: 0)
    if let body = call.body {
      endpoint.body = Data(body.text.utf8)
      endpoint.headers.append(HTTPHeader("Content-Type", "application/json"))
    }
    var secrets = call.secrets
    if let authentication = service.authentication {
      secrets.formUnion(try await add(authentication, to: &endpoint))
    }
    do throws(APIError) {
      var request = try endpoint.request()
      request.secretValues = secrets
      request.hasSecretBody = call.body != nil && !call.secrets.isEmpty
      request.bodyLimit = call.limit
      return request
    } catch { throw self.error(.api(error)) }
  }

  /// Adds the key where the program wants it.
  ///
  /// - Returns: All forms of the key that the request has.
  private func add(
    _ authentication: APIService.Authentication, to endpoint: inout APIEndpoint
  ) async throws(ProgramError) -> Set<String> {
    let key = try await secret(authentication.secret)
    switch authentication {
    case .header(let name, _):
      endpoint.headers.append(HTTPHeader(name, key))
      endpoint.secretHeaders.insert(name)
    case .query(let name, _): endpoint.query.append(QueryItem(name, key))
    case .bearer: endpoint.headers.append(HTTPHeader("Authorization", "Bearer \(key)"))
    case .basic(let user, _):
      let pair = Data("\(user):\(key)".utf8).base64EncodedString()
      endpoint.headers.append(HTTPHeader("Authorization", "Basic \(pair)"))
      return [key, "\(user):\(key)", pair]
    case .digest:
      // None of these programs asks for it.
      throw error(.unusableKey(secret: authentication.secret))
    }
    return [key]
  }

  // MARK: Secrets

  /// The value of a secret as text. One line break at its end, which files have, is no part of it.
  func secret(_ name: String) async throws(ProgramError) -> String {
    let data = try await unlocked { () throws(KeychainError) in
      try await dependencies.keychainService.load(forKey: name)
    }
    guard let data else {
      throw error(
        .keychain(
          KeychainError(.missingKey, message: "the keychain has no secret named '\(name)'")))
    }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw error(.unusableKey(secret: name))
    }
    if text.hasSuffix("\n") || text.hasSuffix("\r\n") { text.removeLast() }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw error(.unusableKey(secret: name))
    }
    return text
  }

  private func unlocked<Value: Sendable>(
    _ work: () async throws(KeychainError) -> Value
  ) async throws(ProgramError) -> Value {
    do throws(KeychainError) { return try await work() } catch {
      guard error.kind == .locked, let passphrase = try await passphrase() else {
        throw self.error(.keychain(error))
      }
      do throws(KeychainError) {
        try await dependencies.keychainService.unlock(with: .passphrase(passphrase))
        return try await work()
      } catch { throw self.error(.keychain(error)) }
    }
  }

  private func passphrase() async throws(ProgramError) -> GuardedBytes? {
    dependencies.terminal.hideInput()
    defer { dependencies.terminal.showInput() }
    do throws(TerminalError) {
      return try await dependencies.terminal.askPassphrase(
        prompt: "passphrase of the keychain: ", isNew: false)
    } catch { throw self.error(.terminal(error)) }
  }
}

extension APIService.Authentication {
  /// The name of the secret.
  public var secret: String {
    switch self {
    case .header(_, let secret), .query(_, let secret), .bearer(let secret), .basic(_, let secret),
      .digest(_, let secret):
      secret
    }
  }
}
