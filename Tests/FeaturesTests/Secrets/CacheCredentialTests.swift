import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem
import Testing

/// A kept answer is for the credentials that it was given to.
@Suite("Credentials and the cache")
struct CacheCredentialTests {
  let world = World(
    MockKeychainService(
      entries: ["alice": Data("alices-secret".utf8), "bob": Data("bobs".utf8)]))
  let lines: Lines

  init() {
    lines = Lines(world)
    // Says whose credentials it was asked with.
    world.api.answer { request in
      let sent = request.url + " " + request.headers.map(\.value).joined()
      let decoded = Data(
        base64Encoded: request.headers.value(of: "Authorization")?
          .split(separator: " ").last.map(String.init) ?? ""
      ).map { String(decoding: $0, as: UTF8.self) }
      let all = sent + (decoded ?? "")
      let user = all.contains("alices-secret") ? "alice" : all.contains("bobs") ? "bob" : "nobody"
      return .json(
        #"{"user":"\#(user)"}"#,
        headers: [
          HTTPHeader("Cache-Control", "private, max-age=600"), HTTPHeader("Vary", "Authorization"),
        ])
    }
  }

  /// Whose answer a line gets, and from where.
  private func user(_ line: String) async -> String {
    #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    let last = lines.board.store.state.shell.last?.text ?? ""
    let user = ["alice", "bob", "nobody"].first { last.contains(#""user":"\#($0)""#) } ?? last
    let verdict = CacheVerdict.allCases.first { last.contains(#""verdict":"\#($0.rawValue)""#) }
    return "\(user) \(verdict?.rawValue ?? "")"
  }

  @Test(
    "an answer is forgotten with the value of the secret that it was fetched with",
    arguments: [
      "keychain set alice --from-file new", "keychain remove alice", "keychain rename alice carol",
    ])
  func changedSecrets(change: String) async throws {
    try await world.files.write(Data("alices-new-secret".utf8), to: "new", mode: .replace)
    #expect(await user("api get http://h/x X-Key:{{secret:alice}}") == "alice MISS")
    #expect(await user("api get http://h/x X-Key:{{secret:bob}}") == "bob MISS")
    #expect(await lines.run(change) == 0, "\(lines.allPrinted)")
    #expect(await lines.run("api cache list --json") == 0)
    let kept = lines.board.store.state.shell.last?.text ?? ""
    #expect(kept.contains("bob"), "\(kept)")
    #expect(!kept.contains("alice"), "\(kept)")
  }

  @Test("an answer to a client certificate is not kept, nor is a kept one given to it")
  func clientCertificates() async throws {
    for name in ["alice.pem", "bob.pem"] {
      try await world.files.write(Data("certificate".utf8), to: name, mode: .replace)
    }
    world.api.answer { request in
      let file = request.connection.certificateFile
      let user = ["alice", "bob"].first { file?.contains($0) == true } ?? "nobody"
      return .json(
        #"{"user":"\#(user)"}"#, headers: [HTTPHeader("Cache-Control", "max-age=600")])
    }
    let bob = "api get https://h/x --cert bob.pem --cache localFirst"
    #expect(await user("api get https://h/x --cert alice.pem") == "alice NONE")
    #expect(await user(bob) == "bob NONE")
    #expect(await user("api get https://h/x --cache localFirst") == "nobody MISS")
    #expect(await user(bob) == "bob NONE")
  }

  @Test(
    "one secret's answer is none for another's, and none for a request without",
    arguments: [
      "http://h/x Authorization:\"Bearer {{secret:NAME}}\"", "http://h/x X-Key:{{secret:NAME}}",
      "http://h/x key=={{secret:NAME}}", "http://h/x?key={{secret:NAME}}",
      "http://h/x/{{secret:NAME}}",
    ])
  func lineSecrets(request: String) async throws {
    let (alice, bob) = (
      request.replacing("NAME", with: "alice"), request.replacing("NAME", with: "bob")
    )
    #expect(await user("api get \(alice)") == "alice MISS")
    #expect(await user("api get \(bob) --cache localFirst") == "bob MISS")
    #expect(await user("api get http://h/x --cache localFirst") == "nobody MISS")
    #expect(await user("api get \(alice) --cache localFirst") == "alice HIT")
    #expect(await user("api get \(bob) --cache localFirst") == "bob HIT")
    #expect(await user("api get http://h/x --cache localFirst") == "nobody HIT")
    // Out of reach, each has its own.
    world.api.answer { _ in .failure(APIError(.refused, "out of reach")) }
    #expect(await user("api get \(bob)") == "bob STALE")
    #expect(await user("api get \(alice)") == "alice STALE")
    let keys = try await world.persistence.cachedResponses().map(\.key)
    #expect(keys.count == 3)
    #expect(keys.contains { $0.contains("{{secret:alice}}") }, "\(keys)")
    #expect(keys.contains { $0.contains("{{secret:bob}}") }, "\(keys)")
    #expect(!keys.contains { $0.contains("alices-secret") || $0.contains("bobs") }, "\(keys)")
    #expect(await lines.run("api cache list") == 0)
    #expect(lines.allPrinted.contains("secrets: alice"))
    #expect(lines.allPrinted.contains("secrets: bob"))
  }

  @Test(
    "a service that is made anew with another secret has none of the other's answers",
    arguments: [
      "header:X-Key={{secret:NAME}}", "query:key={{secret:NAME}}", "bearer:{{secret:NAME}}",
      "basic:me:{{secret:NAME}}",
    ])
  func services(authentication: String) async throws {
    for name in ["alice", "bob"] {
      let auth = authentication.replacing("NAME", with: name)
      #expect(await lines.run("api service add s http://h --auth \(auth)") == 0)
      #expect(await user("api get s/x --cache localFirst") == "\(name) MISS")
      #expect(await user("api get s/x --cache localFirst") == "\(name) HIT")
      #expect(await lines.run("api service remove s") == 0)
    }
    #expect(await user("api get http://h/x --cache localFirst") == "nobody MISS")
  }

  @Test("a credential of which no name is known has no part in the cache")
  func data() async throws {
    world.api.answer { request in
      .json(
        #"{"user":"\#(request.headers.value(of: "Authorization") ?? "nobody")"}"#,
        headers: [HTTPHeader("Cache-Control", "max-age=600")])
    }
    #expect(await lines.run("set a alice; set b bob") == 0)
    #expect(await user("api get http://h/x --cache localFirst") == "nobody MISS")
    #expect(await user("api get http://h/x authorization:$a --cache localFirst") == "alice NONE")
    #expect(await user("api get http://h/x authorization:$b --cache localFirst") == "bob NONE")
    #expect(await user("api get http://h/x --cache localFirst") == "nobody HIT")
  }

  @Test("what was kept before a value was known goes when it becomes known")
  func earlierAnswers() async throws {
    world.api.answer { request in
      .json(
        request.url.hasSuffix("plain") ? "{}" : #"{"token":"t0ken-value"}"#,
        headers: [
          HTTPHeader("Cache-Control", "max-age=600"),
          HTTPHeader("X-Echo", request.url.hasSuffix("head") ? "t0ken-value" : ""),
        ])
    }
    func keys() async throws -> [String] {
      try await world.persistence.cachedResponses().compactMap {
        $0.key.split(separator: "\n").first.map(String.init)
      }
    }
    for path in ["login", "plain", "head"] {
      #expect(await lines.run("api get http://h/\(path)") == 0)
    }
    #expect(try await keys() == ["GET http://h/head", "GET http://h/login", "GET http://h/plain"])
    #expect(await lines.run("api get http://h/login --capture t=body.token") == 0)
    #expect(try await keys() == ["GET http://h/plain"])
    try await world.files.write(Data("plain-value".utf8), to: "value", mode: .create)
    world.api.answer { _ in .json(#"{"a":"plain-value"}"#) }
    #expect(await lines.run("api get http://h/other") == 0)
    #expect(try await keys() == ["GET http://h/other", "GET http://h/plain"])
    #expect(await lines.run("keychain set p --from-file value") == 0)
    #expect(try await keys() == ["GET http://h/plain"])
  }
}
