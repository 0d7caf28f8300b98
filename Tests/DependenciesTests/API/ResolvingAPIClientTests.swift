import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

/// The edge at which names become values.
@Suite("ResolvingAPIClient")
struct ResolvingAPIClientTests {
  private let api = MockAPIClient()

  private func dependencies(_ keychain: MockKeychainService) -> Dependencies {
    var dependencies = Dependencies.mock
    dependencies.apiClient = api
    dependencies.keychainService = RedactingKeychain(
      keychain, redactor: dependencies.logger.redactor)
    api.answer { _ in .json("{}") }
    return dependencies
  }

  private static let secret: SecretText = SecretText(
    parts: [.text("{{secret:k}} "), .secret(name: "k", form: .plain)])

  @Test("only references are replaced, and what looks like one is data")
  func references() async throws {
    let keychain = MockKeychainService(entries: ["k": Data("hidden value\n".utf8)])
    var request = APIRequest(
      method: "POST", url: "http://h/", headers: [HTTPHeader("A", "plain"), HTTPHeader("B", "")])
    var references = APIReferences()
    references.url = SecretText(
      parts: [.text("http://h/?a="), .secret(name: "k", form: .percentEncoded)])
    references.headers[1] = Self.secret
    references.content = APIContent(
      .json, members: [.init(name: "m\"", value: .text(Self.secret))])
    request.references = references
    _ = try await ResolvingAPIClient(dependencies(keychain)).send(request)
    let sent = try #require(api.requests.first)
    #expect(sent.references == nil)
    #expect(sent.url == "http://h/?a=hidden%20value")
    #expect(sent.headers.map(\.value) == ["plain", "{{secret:k}} hidden value"])
    #expect(sent.body == Data(#"{"m\"":"{{secret:k}} hidden value"}"#.utf8))
    #expect(sent.secretValues == ["hidden value"] && sent.hasSecretBody)
  }

  @Test("a secret that is missing, or no text, is said before anything is sent")
  func problems() async throws {
    let keychain = MockKeychainService(entries: [
      "binary": Data([0xFF]), "lines": Data("a\nb".utf8),
    ])
    let client = ResolvingAPIClient(dependencies(keychain))
    for (name, isExpected) in [
      ("binary", { $0 == .secretNotText(name: "binary") }),
      ("lines", { $0 == .secretWithControls(name: "lines") }),
      (
        "none",
        {
          guard case .keychain(let error)? = $0 else { return false }
          return error.kind == .missingKey
        }
      ),
    ] as [(String, (APIRequestProblem?) -> Bool)] {
      var request = APIRequest(url: "http://h/")
      request.references = APIReferences()
      request.references?.url = SecretText(parts: [.secret(name: name, form: .plain)])
      let error = await #expect(throws: APIError.self) { try await client.send(request) }
      #expect(error?.kind == .unprepared && isExpected(error?.problem), "\(name)")
    }
    #expect(api.requests.isEmpty)
  }

  @Test("a client without the keychain sends no names in place of secrets")
  func unresolved() async throws {
    var request = APIRequest(url: "http://h/")
    request.references = APIReferences()
    api.answer { _ in .json("{}") }
    let error = await #expect(throws: APIError.self) { try await api.send(request) }
    #expect(error?.kind == .unprepared)
  }

  /// A request whose body is a file of 2 MiB, of which the keychain's secret is no part.
  private func upload(_ dependencies: Dependencies) async throws -> APIRequest {
    try await dependencies.files.write(Data(repeating: 65, count: 2 << 20), to: "F", mode: .create)
    var request = APIRequest(method: "POST", url: "http://h/")
    request.references = APIReferences()
    request.references?.content = APIContent(
      .whole(.file(path: SecretText(parts: [.text("F")]), shown: "F", type: nil)))
    return request
  }

  @Test("a file that changes its size while it is sent is named")
  func changedFile() async throws {
    let dependencies = dependencies(MockKeychainService())
    api.answer { _ in .failure(APIError(.file, "another length")) }
    let request = try await upload(dependencies)
    let error = await #expect(throws: APIError.self) {
      try await ResolvingAPIClient(dependencies).send(request)
    }
    #expect(error?.kind == .file && error?.message.hasPrefix("F changed its size") == true)
  }

  /// Fails with an error about the body. Calls `wait` before it does so for a request with one.
  private struct FailingClient: APIClient {
    let wait: @Sendable () async -> Void

    func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
      if request.upload != nil { await wait() }
      throw APIError(.file, "another length")
    }
  }

  @Test("a client keeps no body: an error is explained by that of its own request")
  func bodies() async throws {
    var dependencies = dependencies(MockKeychainService())
    let request = try await upload(dependencies)
    let isSending = AsyncStream.makeStream(of: Void.self)
    let isAnswered = AsyncStream.makeStream(of: Void.self)
    dependencies.apiClient = FailingClient {
      isSending.continuation.finish()
      for await _ in isAnswered.stream {}
    }
    let client = ResolvingAPIClient(dependencies)
    func messageWithoutBody() async -> String? {
      let request = APIRequest(url: "http://h/")
      return await #expect(throws: APIError.self) { try await client.send(request) }?.message
    }
    let first = Task { try await client.send(request) }
    for await _ in isSending.stream {}
    #expect(await messageWithoutBody() == "another length")
    isAnswered.continuation.finish()
    let error = await #expect(throws: APIError.self) { try await first.value }
    #expect(error?.message.hasPrefix("F changed its size") == true)
    #expect(await messageWithoutBody() == "another length")
  }

  @Test("what cannot be read again may hold a secret")
  func unreadable() async throws {
    let dependencies = dependencies(MockKeychainService(entries: ["k": Data("hidden value".utf8)]))
    _ = try await dependencies.keychainService.load(forKey: "k")
    let resolved = try await RequestResolver(dependencies).resolve(upload(dependencies))
    let sent = try #require(resolved.request.upload)
    #expect(await !sent.holdsSecret())
    try await dependencies.files.write(Data(), to: "F", mode: .replace)
    #expect(await !sent.holdsSecret())
    let files = try #require(dependencies.files as? MockFileService)
    files.failNext("read", with: FileError(.io, path: "F", message: "F cannot be read"))
    #expect(await sent.holdsSecret())
  }

  @Test("a kept answer needs no secret")
  func kept() async throws {
    let dependencies = dependencies(MockKeychainService(entries: ["k": Data("hidden value".utf8)]))
    var request = APIRequest(url: "http://h/")
    request.references = APIReferences()
    request.references?.headers = [0: Self.secret]
    request.headers = [HTTPHeader("A", "{{secret:k}}")]
    let planned = PlannedRequest(request, key: "key", service: "", policy: .localFirst)
    #expect(try await APIExchange(dependencies).answer(to: planned).verdict == .miss)
    try await dependencies.keychainService.delete(forKey: "k")
    let answer = try await APIExchange(dependencies).answer(to: planned)
    #expect(answer.verdict == .stale && api.requests.count == 1)
    #expect(answer.sent?.first?.value == "{{secret:k}} «secret:k»")
  }
}
