import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@Suite("Secrets")
struct SecretTests {
  let world = World()

  /// Runs the lines; looks for the secret in every action and every state, as a recording has them,
  /// in what is printed, logged and kept.
  func expectNoSecret(_ lines: [String], formatting: OutputFormat = .table) async throws {
    let store = world.looseStore(BoardState(settings: .output(formatting)))
    var renderer = BoardRenderer(BoardFeatures.all, isReplay: false)
    func look(_ action: BoardAction, _ line: String) throws {
      let texts =
        [
          String(decoding: try CanonicalEncoder.encode(action), as: UTF8.self),
          String(decoding: try CanonicalEncoder.encode(store.state), as: UTF8.self),
        ] + renderer.outputs(of: action, in: store.state, at: 0).map(\.text)
      for text in texts {
        for form in secretForms() where text.contains(form) {
          Issue.record("\(line): the secret is in \(text)")
        }
      }
    }
    for (index, line) in lines.enumerated() {
      let first = try action(line, job: index + 1)
      store.send(first)
      try look(first, line)
      while let next = store.received.first {
        store.receive(next)
        try look(next, line)
      }
    }
    store.finish()
    for record in world.logger.records {
      let text = ([record.message] + record.fields.map { "\($0.key)=\($0.value)" }).joined(
        separator: " ")
      for form in secretForms() { #expect(!text.contains(form), "in the log") }
    }
    for search in try await world.persistence.searches(scope: "api", containing: nil) {
      for form in secretForms() { #expect(!search.text.contains(form)) }
    }
    for entry in try await world.persistence.cachedResponses() {
      for form in secretForms() { #expect(!entry.key.contains(form)) }
    }
    for preference in try await world.persistence.preferences() {
      for form in secretForms() { #expect(!preference.json.contains(form)) }
    }
  }

  @Test(
    "a key in a header, a query, a bearer, a basic pair: sent, and nowhere else",
    arguments: [
      "header:X-Api-Key={{secret:radarr}}", "query:apikey={{secret:radarr}}",
      "bearer:{{secret:radarr}}", "basic:me:{{secret:radarr}}",
    ])
  func authentication(how: String) async throws {
    world.api.answer("GET", prefix: "http://nas", with: .json("{}"))
    try await expectNoSecret([
      "api service add radarr http://nas:7878/api --auth \(how)", "api get radarr/movie --verbose",
      "api service show radarr", "api service test radarr", "api recent", "api cache list",
      "state", "log tail",
    ])
    let request = try #require(world.api.requests.first)
    let sent = request.url + request.headers.map(\.value).joined(separator: "\n")
    let basic = Data("me:\(World.secret)".utf8).base64EncodedString()
    #expect((secretForms() + [basic]).contains { sent.contains($0) }, "the service needs it")
  }

  @Test("an answer that repeats the key is shown without it", arguments: OutputFormat.allCases)
  func echoed(format: OutputFormat) async throws {
    let json = JSON.object([
      .init("key", .string(World.secret)), .init("again", .string("<\(World.secret)>")),
      .init("coded", .string(Data(World.secret.utf8).base64EncodedString())),
    ])
    world.api.answer(
      "GET", prefix: "http://nas",
      with: .json(json.text, headers: [HTTPHeader("X-Echo", World.secret)]))
    try await expectNoSecret(
      [
        "api service add nas http://nas --auth bearer:{{secret:radarr}}", "api get nas/echo",
        "api get nas/echo --verbose", "api get nas/echo --headers", "api get nas/echo --select key",
        "api get nas/echo k=={{secret:radarr}}", "api get nas/echo --save x", "api run x",
        "api cache list", "state",
      ], formatting: format)
    #expect(try await world.persistence.cachedResponses().isEmpty, "such an answer is not kept")
  }

  @Test("an answer that is not text and holds the key")
  func binary() async throws {
    world.api.answer { request in
      .response(
        status: 200, headers: [],
        body: Data([0xFF, 0xFE, 0xFD]) + Data(World.secret.utf8) + Data([0x80]))
    }
    try await expectNoSecret([
      "api service add nas http://nas --auth bearer:{{secret:radarr}}", "api get nas/raw",
      "state shell.last",
    ])
  }

  @Test("an error whose text repeats the key", arguments: ["GET", "POST"])
  func failure(method: String) async throws {
    world.api.answer { _ in
      .failure(APIError(.malformed, "the status line is no such: \(World.secret)"))
    }
    try await expectNoSecret([
      "api service add nas http://nas --auth bearer:{{secret:radarr}}",
      "api \(method.lowercased()) nas/x", "api service test nas", "log tail",
    ])
  }

  @Test("keychain: the value goes to the keychain alone")
  func keychain() async throws {
    try await world.files.write(Data(World.secret.utf8), to: "key.txt", mode: .create)
    try await expectNoSecret([
      "keychain set other --from-file key.txt", "keychain get other --reveal", "keychain list",
      "keychain rename other third", "keychain remove third", "state", "log tail",
    ])
    #expect(world.keychain.calls.contains(.save(bytes: World.secret.utf8.count, key: "other")))
  }

  @Test(
    "a secret goes into no command that keeps or shows its words",
    arguments: [
      "echo {{secret:radarr}}", "set x {{secret:radarr}}", "log note {{secret:radarr}}",
      "db put a 1 {{secret:radarr}}", "db preference set a {{secret:radarr}}",
      "assert {{secret:radarr}} == 1", "keychain get {{secret:radarr}} --reveal",
      "api get x/y --out {{secret:radarr}}", "log tail --grep {{secret:radarr}}",
      "open {{secret:radarr}}",
    ])
  func refused(line: String) {
    #expect(throws: UsageError.self) { try action(line) }
  }
}
