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
    #expect(sent.body == Data(#"{"m\"":"{{secret:k}} hidden value\n"}"#.utf8))
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

  @Test("in a member of a body a secret may have any characters, and in a JSON text none to escape")
  func secretsInBodies() async throws {
    let keychain = MockKeychainService(entries: [
      "pem": Data("a\nb\t\u{1}\n".utf8), "quote": Data(#"a"b\#n"#.utf8),
      "json": Data("{\"n\":\"1\"}\r\n".utf8),
    ])
    let client = ResolvingAPIClient(dependencies(keychain))
    func send(_ content: APIContent) async throws -> String {
      var request = APIRequest(method: "POST", url: "http://h/")
      request.references = APIReferences(content: content)
      _ = try await client.send(request)
      return String(decoding: api.requests.last?.body ?? Data(), as: UTF8.self)
    }
    let pem = SecretText(parts: [.secret(name: "pem", form: .plain)])
    let members = [APIContent.Member(name: "k", value: .text(pem))]
    #expect(try await send(APIContent(.json, members: members)) == #"{"k":"a\nb\t\u0001\n"}"#)
    #expect(try await send(APIContent(.urlEncoded, members: members)) == "k=a%0Ab%09%01%0A")
    let form = try await send(APIContent(.multipart(boundary: "x"), members: members))
    #expect(form.contains("\r\n\r\na\nb\t\u{1}\n\r\n--x--"))
    #expect(try await send(APIContent(.whole(.text(pem)))) == "a\nb\t\u{1}\n")
    for name in ["pem", "quote"] {
      let text = SecretText(
        parts: [.text(#"{"k":""#), .secret(name: name, form: .plain), .text(#""}"#)])
      let error = await #expect(throws: APIError.self) {
        try await send(APIContent(.whole(.json(text))))
      }
      #expect(error?.problem == .secretNeedsEscape(name: name))
    }
    // Outside of a string, a secret is JSON itself.
    let document = SecretText(parts: [
      .text(#"{"\"":"\\","k":"#), .secret(name: "json", form: .plain), .text("}"),
    ])
    #expect(
      try await send(APIContent(.whole(.json(document))))
        == #"{"\"":"\\","k":{"n":"1"}"# + "\r\n}")
  }

  /// Answers as if after a redirect.
  private struct RedirectedClient: APIClient {
    func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
      APIResponse(status: 200, url: "http://9Zq7/9Zq7/x9Zq7?b=9Zq7&c=%39Zq7#9Zq7", redirects: 1)
    }
  }

  @Test("the address of an answer has marks in place of secrets of any length")
  func shownAddress() async throws {
    let keychain = MockKeychainService(entries: [
      "pin": Data("9Zq7".utf8), "k": Data("hidden-value".utf8), "none": Data(),
    ])
    let client = ResolvingAPIClient(dependencies(keychain))
    var request = APIRequest(url: "http://h/{{secret:pin}}?a={{secret:k}}&b={{secret:none}}")
    request.references = APIReferences()
    request.references?.url = SecretText(parts: [
      .text("http://h/"), .secret(name: "pin", form: .path), .text("?a="),
      .secret(name: "k", form: .percentEncoded), .text("&b="),
      .secret(name: "none", form: .percentEncoded),
    ])
    let marked = "http://h/«secret:pin»?a=«secret:k»&b=«secret:none»"
    #expect(try await client.send(request).url == marked)
    #expect(try await client.open(request).response.url == marked)
    #expect(api.requests.last?.url == "http://h/9Zq7?a=hidden-value&b=")
    var dependencies = dependencies(keychain)
    dependencies.apiClient = RedirectedClient()
    let shown = "http://9Zq7/«secret:pin»/x9Zq7?b=«secret:pin»&c=«secret:pin»#«secret:pin»"
    #expect(try await ResolvingAPIClient(dependencies).send(request).url == shown)
    // A short value of a header is another text in an address.
    request = APIRequest(url: "http://h/", headers: [HTTPHeader("A", "")])
    request.references = APIReferences()
    request.references?.headers[0] = SecretText(parts: [.secret(name: "pin", form: .plain)])
    #expect(
      try await ResolvingAPIClient(dependencies).send(request).url
        == "http://9Zq7/9Zq7/x9Zq7?b=9Zq7&c=%39Zq7#9Zq7")
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
