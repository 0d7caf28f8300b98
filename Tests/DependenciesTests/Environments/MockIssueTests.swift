import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("mock issues") struct MockIssueTests {
  /// What is reported at the end of a test, and the line that asks for it.
  private func failures(of dependencies: Dependencies) -> ([TestFailure], line: Int) {
    let reported = Mutex<[TestFailure]>([])
    dependencies.reportMockIssues(to: { failure in reported.withLock { $0.append(failure) } })
    return (reported.withLock { $0 }, #line - 1)
  }

  @Test("a request without an answer is reported, also where its error was caught")
  func unanswered() async throws {
    let dependencies = Dependencies.mock
    _ = try? await dependencies.apiClient.send(APIRequest(url: "http://h/a?apikey=hidden-value"))
    let (failures, line) = failures(of: dependencies)
    #expect(failures.map(\.kind) == [.unimplemented])
    #expect(
      failures.first?.message.contains(#"mock.answer("GET", "http://h/a?apikey=...", with: "#)
        == true
    )
    #expect(failures.first?.location.line == line)
  }

  @Test("answers that were not given are reported at the lines that gave them")
  func unused() async throws {
    let mock = MockAPIClient()
    var dependencies = Dependencies.mock
    dependencies.apiClient = mock
    mock.answer("GET", "http://h/a", with: .status(200), .status(404), .status(500))
    let first = #line - 1
    mock.answer("GET", prefix: "http://h/b", with: .status(200))
    mock.answer("GET", prefix: "http://h/c", with: .status(200))
    let last = #line - 1
    mock.answer { _ in nil }
    for path in ["a", "a", "b"] {
      _ = try await mock.send(APIRequest(url: "http://h/\(path)"))
    }
    let (failures, _) = failures(of: dependencies)
    #expect(failures.map(\.kind) == [.expectation, .expectation])
    #expect(failures.map(\.location.line) == [first, last])
    #expect(
      failures.first?.message.hasPrefix("1 of 3 answers to GET http://h/a were never") == true)
  }

  @Test("failures that did not happen are reported, of every mock") func failures() async throws {
    let (keychain, persistence) = (MockKeychainService(), MockPersistenceService())
    let files = MockFileService()
    var dependencies = Dependencies.mock
    dependencies.keychainService = RedactingKeychain(keychain, redactor: Redactor())
    dependencies.persistence = persistence
    dependencies.files = files
    keychain.failNext(with: KeychainError(.io, message: "m"))
    persistence.failNext("services", with: .full)
    files.failNext("read", with: FileError(.io, path: "p", message: "m"))
    let line = #line - 1
    let (failures, _) = failures(of: dependencies)
    #expect(failures.map(\.location.line) == [line - 2, line - 1, line])
    _ = try? await keychain.keys()
    _ = try? await persistence.services()
    _ = try? await files.read("p", limit: 1)
    #expect(self.failures(of: dependencies).0 == [])
  }

  @Test("nothing is reported of what fits, nor of live services") func nothing() async throws {
    let mock = MockAPIClient()
    var dependencies = Dependencies.mock
    dependencies.apiClient = mock
    mock.answer("GET", "http://h/a", with: .status(200))
    _ = try await mock.send(APIRequest(url: "http://h/a"))
    #expect(failures(of: dependencies).0 == [])
    #expect(failures(of: .live(LiveConfiguration())).0 == [])
  }

  @Test("calls have their arguments, and no secrets") func calls() async throws {
    let persistence = MockPersistenceService()
    try await persistence.setPreference("p", to: "1")
    _ = try await persistence.document(collection: "c", id: "i")
    try await persistence.storeResponse(
      CachedResponse(
        key: "k", service: "s", status: 200, headers: [], body: Data([1, 2]), stored: 1,
        expires: nil))
    #expect(
      persistence.calls == [
        MockCall("setPreference", "p", "1"), MockCall("document", "c", "i"),
        MockCall("storeResponse", "k", "2 bytes"),
      ])
    let files = MockFileService()
    try await files.write(Data([1]), to: "f", mode: .append)
    _ = try? await files.read("g", limit: 1)
    #expect(files.calls == [MockCall("write", "f", "append", "1 bytes"), MockCall("read", "g")])
    #expect(files.calls.first?.description == "write(f, append, 1 bytes)")
    let keychain = MockKeychainService()
    try await keychain.save(Data("hidden-value".utf8), forKey: "a")
    #expect(keychain.calls == [.save(bytes: 12, key: "a")])
  }
}
