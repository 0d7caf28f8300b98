import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Servers that mean ill, on real sockets: no secret goes where it does not belong, and no answer
/// is taken for what it is not.
@Suite(.timeLimit(.minutes(20)))
struct RequestSafetyTests {
  /// The value of `api.openai.token` in the keychain of `Program.withKeychain`.
  private static let secret = "sk-test-123"

  private static func run(_ program: Program, _ arguments: String...) async throws
    -> ChildProcess.Outcome
  {
    try await program.run(
      ["--home", "h"] + arguments, environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
  }

  /// All that a server has got.
  private static func bytes(_ requests: [TestHTTPServer.Request]) -> [UInt8] {
    requests.flatMap { request in
      Array(request.target.utf8)
        + request.headers.flatMap { Array("\($0.name): \($0.value)\n".utf8) } + request.body
    }
  }

  @Test("a body with a secret goes to no other host", arguments: [307, 308])
  func aBodyWithASecretGoesToNoOtherHost(status: Int) async throws {
    let (server, other) = (try TestHTTPServer(), try TestHTTPServer())
    let program = try Program.withKeychain()
    for target in ["\(other.origin)/echo", "http://localhost:\(server.port)/echo"] {
      let run = try await Self.run(
        program, "api", "post", "\(server.origin)/faults/redirect?status=\(status)&to=\(target)",
        "password={{secret:api.openai.token}}", "--follow", "3", "--retry", "3")
      #expect(run.status == .exited(76), "\(run.errorText)")
      #expect(run.output == [])
      #expect(run.errorText.contains("\(server.origin)/faults/redirect to \(target)"))
      #expect(!run.errorText.contains(Self.secret))
    }
    #expect(other.requests.isEmpty)
    #expect(server.requests.count == 2, "not asked again")
    #expect(server.requests.allSatisfy { $0.bodyText == #"{"password":"sk-test-123"}"# })
    let dropped = try await Self.run(
      program, "api", "post", "\(server.origin)/faults/redirect?status=303&to=\(other.origin)/echo",
      "password={{secret:api.openai.token}}", "--follow", "3")
    #expect(dropped.status == .exited(0), "\(dropped.errorText)")
    #expect(!SecretForms.isFound(Self.secret, in: Self.bytes(other.requests)))
  }

  @Test(
    "nothing secret follows a redirect to another host",
    arguments: [
      "header:X-Key={{secret:api.openai.token}}", "query:key={{secret:api.openai.token}}",
      "bearer:{{secret:api.openai.token}}", "basic:me:{{secret:api.openai.token}}", nil,
    ])
  func nothingSecretFollowsARedirectToAnotherHost(authentication: String?) async throws {
    let back = try TestHTTPServer()
    // Sends on what it was asked, as servers that have moved do.
    let other = try TestHTTPServer { request in
      guard request.path == "/second" else { return nil }
      return .response(.init(307, headers: [("Location", "\(back.origin)/echo")]))
    }
    let server = try TestHTTPServer { request in
      let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      return .response(.init(307, headers: [("Location", "\(other.origin)/second?\(query)")]))
    }
    let program = try Program.withKeychain()
    var words = ["api", "get", "\(server.origin)/first", "--follow", "3"]
    if let authentication {
      let add = try await Self.run(
        program, "api", "service", "add", "s", server.origin, "--auth", authentication)
      #expect(add.status == .exited(0), "\(add.errorText)")
      words[2] = "s/first"
    } else {
      words[2] += "?a={{secret:api.openai.token}}"
      words += [
        "b=={{secret:api.openai.token}}", "Cookie:s={{secret:api.openai.token}}",
        "Authorization:Token {{secret:api.openai.token}}", "X-Other:{{secret:api.openai.token}}",
      ]
    }
    let run = try await program.run(
      ["--home", "h"] + words + ["page==2"], environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(SecretForms.isFound(Self.secret, in: Self.bytes(server.requests)), "the first has it")
    #expect(other.requests.last?.query("page") == "2")
    #expect(back.requests.count == 1)
    let got = Self.bytes(other.requests) + Self.bytes(back.requests)
    #expect(!SecretForms.isFound(Self.secret, in: got))
    #expect(!got.contains(Array("bWU6".utf8)), "nor name and password")
    #expect(!run.errorText.contains(Self.secret) && !run.outputText.contains(Self.secret))
  }

  @Test(
    "what the server did wrong is 76",
    arguments: [
      "/faults/redirect?to=file:///etc/passwd", "/faults/redirect?to=gopher://127.0.0.1/",
      "/faults/redirect?to=ftp://127.0.0.1/", "/faults/redirect?to=http://",
      "/length?v=99999999999999999999", "/length?v=-1", "/length?v=x", "/length?v=2,3",
      "/length?v=2%0D%0AContent-Length:3",
    ])
  func whatTheServerDidWrongIs76(path: String) async throws {
    let server = try TestHTTPServer { request in
      guard request.path == "/length" else { return nil }
      return .raw(
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.query("v") ?? "")\r\n\r\n{}".utf8))
    }
    let program = try Program.withKeychain()
    let run = try await Self.run(
      program, "api", "get", server.origin + path, "--follow", "3", "--retry", "3")
    #expect(run.status == .exited(76), "\(run.errorText)")
    #expect(run.output == [])
    #expect(server.requests.count == 1, "not asked again")
  }

  /// A cached answer does not replace that of a server that cannot prove its identity.
  @Test(
    "a failure of trust is not answered from the cache", .enabled(if: TestTLSServer.isAvailable))
  func aFailureOfTrustIsNotAnsweredFromTheCache() async throws {
    let server = try await TestTLSServer()
    let program = try Program.withKeychain()
    func get(_ authority: String?) async throws -> ChildProcess.Outcome {
      try await program.run(
        ["--home", "h", "api", "get", server.origin + "/", "--cache", "remoteFirst"],
        environment: ["CURL_CA_BUNDLE": authority])
    }
    let first = try await get(server.authority)
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(!first.output.isEmpty)
    let untrusted = try await get(nil)
    #expect(untrusted.status == .exited(76), "\(untrusted.errorText)")
    #expect(untrusted.output == [])
    #expect(!untrusted.errorText.contains("STALE"))
    await server.stop()
    let gone = try await get(nil)
    #expect(gone.status == .exited(0), "\(gone.errorText)")
    #expect(gone.output == first.output)
    #expect(gone.errorText.contains("STALE"))
  }
}
