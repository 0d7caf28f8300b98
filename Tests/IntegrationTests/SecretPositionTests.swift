import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What a service sends at a position of a credential (redaction.md, rule 4) is in nothing that the
/// program prints or records, whatever stands beside it.
@Suite(.timeLimit(.minutes(20)))
struct SecretPositionTests {
  /// A value that the keychain knows, and one that a service gives.
  private static let known = "known-value-4711"
  private static let other = "SESSIONTOKEN777"

  private static let headers = [
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key",
  ]
  private static let items = ["apikey", "api_key", "access_token", "token", "password"]
  /// Text of the service around the known value, in forms that an address can have, too.
  private static let mixes = {
    let form = Data(known.utf8).base64EncodedString()
    return [
      other, known + other, other + known, other + known + other, "\(other).\(form).\(other)",
    ]
  }()
  private static let headerMixes =
    mixes + ["sid=\(other); X=\(known)", "\(known), \(other)", "Bearer \(other) \(known) \(other)"]

  private static let server: TestHTTPServer.Handler = { request in
    let query = mixes.flatMap { mix in items.map { "\($0)=\(mix)" } }.joined(separator: "&")
    switch request.path {
    case "/end": return .response(.init(200, json: "{}"))
    case "/redirect": return .response(.init(302, headers: [("Location", "/end?\(query)&x=1")]))
    default:
      return .response(
        .init(
          200,
          json: "{}",
          headers: headerMixes.flatMap { mix in headers.map { ($0, mix) } }
            + [("Location", "/end?\(query)"), ("Link", "<http://h/?\(query)&x=1>; rel=next")]
            + mixes.map { ("Content-Location", "http://u:\($0)@h/") }))
    }
  }

  @Test(
    "rule 4: a value at a secret position is nowhere, whatever known value stands in it",
    arguments: [true, false])
  func mixedValues(isUnlocked: Bool) async throws {
    let server = try TestHTTPServer(handler: Self.server)
    let program = try Program.withKeychain()
    let environment = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
    let set = try await program.run(
      ["--home", "h", "keychain", "set", "k", "--from-stdin"], stdin: Self.known,
      environment: environment)
    try #require(set.status == .exited(0), "\(set.errorText)")
    let url = server.origin
    try program.folder.write(
      """
      \(isUnlocked ? "keychain unlock" : "")
      api get \(url)/headers --json
      echo {{last.headers}}
      api get \(url)/headers --headers
      api get \(url)/headers --verbose
      api get \(url)/headers -v --json
      api get \(url)/redirect --follow 2 --json --show-request
      state api
      api get \(url)/redirect --follow 2 -v
      -api get \(url)/redirect
      session state api
      api recent
      api cache list
      log tail -n 100
      """, to: "s.sb")
    let run = try await program.run(
      ["--home", "h", "--record", "r", "-f", "s.sb"], environment: environment)
    #expect(run.status == .exited(0), "\(run.errorText)")
    let screen = try await program.run("session", "screenshot", "r")
    #expect(screen.status == .exited(0), "\(screen.errorText)")
    let recording = try program.text("r")
    #expect(recording.contains("/end?") && recording.contains("«redacted»"))
    #expect(recording.contains("«secret:k»") == isUnlocked)
    for (sink, text) in [
      ("output", run.outputText), ("errors", run.errorText), ("recording", recording),
      ("screenshot", screen.outputText), ("log", try program.text("h/log.jsonl")),
    ] {
      if let place = text.firstRange(of: Self.other) {
        let start = text.index(place.lowerBound, offsetBy: -200, limitedBy: text.startIndex)
        Issue.record("\(sink): \(text[(start ?? text.startIndex)..<place.upperBound])")
      }
    }
    // It replays to the same output.
    server.stop()
    let replay = try await program.run("session", "replay", "r")
    #expect(replay.status == .exited(0) && replay.output == run.output, "\(replay.errorText)")
  }
}
