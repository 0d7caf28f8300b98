import SwiftBoardTestSupport
import Testing

/// One session from its first line to its replay on a machine that has neither network nor secrets.
@Suite(.timeLimit(.minutes(20)))
struct SessionAcceptanceTests {
  static let passphrase = "hunter2 but longer"
  static let key = "radarr-key"

  static func script(port: Int) -> String {
    """
    keychain init
    keychain set radarr --from-file key
    api service add radarr http://127.0.0.1:\(port)/radarr/api/v3 --auth header:X-Api-Key={{secret:radarr}}
    api service add rm http://127.0.0.1:\(port)/api
    api get radarr/system/status
    api get rm/character page==2 --select results[0].name
    api get rm/character/1
    db put characters 1 {{last.body}}
    db list characters --where name="Rick Sanchez"
    api get rm/character/1 --cache localFirst
    -api get rm/character/99999
    log tail -n 20

    """
  }

  @Test("a recorded session replays without network, secrets and home")
  func aRecordedSessionReplaysWithoutNetworkSecretsAndHome() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let folder = program.folder
    try folder.write(Self.passphrase + "\n", to: "pass")
    try folder.write(Self.key, to: "key")
    try folder.write(Self.script(port: server.port), to: "demo.sb")

    let first = try await program.run(
      ["--home", "h", "--record", "s.jsonl", "-f", "demo.sb"],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": folder.path("pass")])
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.outputText.contains(#""appName":"Radarr""#))
    #expect(first.outputText.contains("Passer-by 21"))
    #expect(first.outputText.contains("Rick Sanchez"))
    #expect(first.outputText.contains("Character not found"))
    #expect(first.errorText.contains("HIT"))
    let sent = server.requests.first { $0.path == "/radarr/api/v3/system/status" }
    #expect(sent?.header("X-Api-Key") == Self.key, "the key reaches the service")
    // The second request for the character was answered from the cache.
    #expect(server.requests.filter { $0.path == "/api/character/1" }.count == 1)
    server.stop()

    let verified = try await program.run("session", "verify", "s.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run("--no-input", "session", "replay", "s.jsonl")
    #expect(second.status == .exited(0), "\(second.errorText)")
    #expect(second.output == first.output)
    #expect(try program.files("home") == [])

    var locations = try program.files().filter { $0 != "pass" && $0 != "key" }
      .filter { Program.isFile(folder.path($0)) }
      .map { ($0, try folder.read($0)) }
    #expect(
      locations.contains { $0.0 == "s.jsonl" } && locations.contains { $0.0 == "h/log.jsonl" })
    for (name, run) in [("first", first), ("verify", verified), ("replay", second)] {
      locations.append(("standard output of \(name)", run.output))
      locations.append(("standard error of \(name)", run.error))
    }
    for (location, bytes) in locations {
      #expect(!SecretForms.isFound(Self.key, in: bytes), "\(location) has the key")
      #expect(!SecretForms.isFound(Self.passphrase, in: bytes), "\(location) has the passphrase")
    }
  }

  /// The search above can fail: it finds what it looks for.
  @Test("the search for secrets finds those that are there") func theSearchForSecretsFindsThem() {
    let samples = [
      "X-Api-Key: radarr-key", "cmFkYXJyLWtleQ==", "eyJrIjoicmFkYXJyLWtleSJ9", "OnJhZGFyci1rZXk=",
      "eDpyYWRhcnIta2V5", "7261646172722d6b6579",
    ]
    for sample in samples {
      #expect(SecretForms.isFound("radarr-key", in: Array(sample.utf8)), "\(sample)")
    }
    #expect(!SecretForms.isFound("radarr-key", in: Array("{{secret:radarr}} key".utf8)))
    #expect(SecretForms.isFound("a b", in: Array("?q=a%20b".utf8)))
  }

  @Test("the recording has the lines as typed") func theRecordingHasTheLinesAsTyped() async throws {
    let program = try Program()
    let line =
      "api service add radarr http://127.0.0.1:9/api --auth header:X-Api-Key={{secret:radarr}}"
    let run = try await program.run("--environment", "mock", "--record", "s.jsonl", "-c", line)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try program.text("s.jsonl").contains(#""by":{"user":"\#(line)","at":"-c:1"}"#))
  }

  /// A typed secret is refused, and stays nowhere, however the line is wrong otherwise.
  @Test(
    "a typed secret stays nowhere",
    arguments: [
      "keychain set x hunter5", "-keychain set x hunter5", "!keychain set \"a b\" hunter5",
      "keychain set x \"hunter5", "nope; keychain set x hunter5", "echo a; keychain set x hunter5",
      "kechain set x hunter5", "keychain st x hunter5", "keychain set x hunter5 ; echo b",
      "keychain set x --generate 5 hunter5", "time keychain set x hunter5",
    ])
  func aTypedSecretStaysNowhere(line: String) async throws {
    let program = try Program()
    try program.folder.write("\(line)\necho after\n", to: "x.sb")
    let run = try await program.run(
      "--environment", "mock", "--record", "s.jsonl", "-k", "-f", "x.sb")
    #expect(!run.errorText.contains("hunter5"), "\(run.errorText)")
    #expect(!run.outputText.contains("hunter5"), "\(run.outputText)")
    let recording = try program.text("s.jsonl")
    #expect(!recording.contains("hunter5") && recording.contains("[refused: secret "))
  }

  // MARK: The same lines in the other environments

  @Test("the same script runs without server, passphrase and home", arguments: ["mock", "preview"])
  func theSameScriptRunsWithoutServerPassphraseAndHome(environment: String) async throws {
    let port = try ClosedPort()
    let program = try Program()
    try program.folder.write(Self.key, to: "key")
    try program.folder.write(Self.script(port: port.number), to: "demo.sb")
    let run = try await program.run(
      "--environment", environment, "--home", "h", "-f", "demo.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("Rick Sanchez"))
    #expect(try program.files() == ["demo.sb", "home", "key"])
  }

  @Test(
    "the other environments ask the system for no network and no file",
    .enabled("strace is not there or may not trace", canTrace), arguments: ["mock", "preview"])
  func theOtherEnvironmentsAskTheSystemForNoNetworkAndNoFile(environment: String) async throws {
    let program = try Program()
    try program.folder.write(Self.key, to: "key")
    try program.folder.write(Self.script(port: 9), to: "demo.sb")
    let run = try await runProcess(
      "/usr/bin/strace",
      [
        "-f", "-e", "trace=network,openat,open,creat,mkdir,mkdirat,rename,unlink,unlinkat", "-o",
        program.folder.path("trace"), try Program.executable(), "--environment", environment,
        "--home", "h", "-f", "demo.sb",
      ], environment: program.environment(), folder: program.folder.path)
    #expect(run.status == .exited(0), "\(run.errorText)")
    let calls = try program.text("trace").split(separator: "\n")
    #expect(calls.contains { $0.contains("demo.sb") }, "the trace has the calls of the run")
    for call in calls {
      #expect(!call.contains("AF_INET") && !call.contains(" connect("), "\(call)")
      let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "mkdir", "creat(", "rename(", "unlink"]
        .contains { call.contains($0) }
      #expect(!writes || call.contains("\"/dev/"), "\(call)")
    }
  }

  @Test(
    "the demonstration runs where there is no network",
    .enabled("no namespace without a network may be made", NameSpaces.canLeaveNetwork))
  func theDemonstrationRunsWhereThereIsNoNetwork() async throws {
    let program = try Program()
    try program.folder.write(Self.key, to: "key")
    try program.folder.write(Self.script(port: 9), to: "demo.sb")
    let run = try await runProcess(
      "/usr/bin/unshare",
      ["-rn", try Program.executable(), "--environment", "mock", "-f", "demo.sb"],
      environment: program.environment(), folder: program.folder.path)
    #expect(run.status == .exited(0), "\(run.errorText)")
  }
}

@Sendable private func canTrace() async -> Bool {
  let run = try? await runProcess("/usr/bin/strace", ["-o", "/dev/null", "/bin/true"])
  return run?.status == .exited(0)
}
