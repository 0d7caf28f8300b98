import SwiftBoardCommandLine
import SwiftBoardDependencies
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What the services' errors say of the board's commands, variables and options.
struct ServiceFailureTests {
  @Test(
    "a keychain's error says once what to do, by the board's commands and variables",
    arguments: [
      (.create, "make one with 'keychain init'"),
      (
        .provideSecret,
        "make it at a terminal, which asks for a passphrase, or name one in "
          + "SWIFTBOARD_PASSPHRASE_FILE, SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE"
      ),
      (
        .unlock,
        "unlock it with 'keychain unlock' at the board's prompt, or name a secret in "
          + "SWIFTBOARD_PASSPHRASE_FILE, SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE"
      ),
      (
        .acceptOlder,
        "restore the newest file, or run 'keychain accept' if you restored a backup on purpose"
      ),
      (
        .acceptOther,
        "restore the right file, or run 'keychain accept' if you put this one here on purpose"
      ),
      (
        .chooseExisting,
        "--existing keep leaves what is here, --existing replace puts the imported in its place"
      ),
    ] as [(KeychainError.Remedy, String)])
  func remedies(remedy: KeychainError.Remedy, words: String) {
    let error = KeychainError(.io, message: "it happened.", remedy: remedy)
    #expect(Failure(error).message == "it happened.")
    #expect(Failure(error).help == words)
  }

  @Test("a keychain's error without a remedy is shown as it is")
  func noRemedy() {
    #expect(Failure(KeychainError(.locked, message: "it is locked.")).message == "it is locked.")
  }

  @Test("the advice about a request has no secret")
  func adviceWithoutSecret() {
    let dependencies = World().dependencies
    var helps = RequestHelps()
    helps.kinds[.io] = "look at hunter2x"
    dependencies.logger.redactor.registerSecret(Array("hunter2x".utf8), name: "n")
    let failure = Failure(APIError(.io, "it failed"), dependencies, helps: helps)
    #expect(failure.help == "look at \(RedactionMark.named("n"))")
  }

  @Test("offline, the option is named")
  func offline() async {
    let client = Dependencies.live(
      LiveConfiguration(home: "/nowhere", environment: [:], isOffline: true)
    ).apiClient
    let error = await #expect(throws: APIError.self) {
      try await client.send(APIRequest(url: "http://h/"))
    }
    guard let error else { return }
    #expect(
      Failure(error)
        == Failure(
          code: 69, error: "unreachable",
          message: "offline: no request leaves this machine",
          help: "without --offline, SWIFTBOARD_OFFLINE and 'offline' in config.json, it is sent"))
  }

  @Test(
    "a database's error has the help of its kind, or of the entry that is damaged alone",
    arguments: [
      (.busy, nil, "Wait for the other process or end it, then try again."),
      (
        .notADatabase, nil,
        "Move the file away (with the -wal and -shm beside it); a backup can take its place."
      ),
      (
        .foreignLog, nil,
        "Nothing was changed. If the file was restored, end all boards and move the -wal and -shm "
          + "beside it away. If it was not, they have the last changes: keep them; 'db recover' "
          + "reads both."
      ),
      (
        .io, nil, "A change that was under way is not confirmed. Check the disk, then try again."
      ),
      (.corrupted, .preference, "Set it again, or unset it; the others can be read."),
      (.corrupted, .service, "Remove it, and add it again."),
      (.invalid, nil, nil), (.cancelled, nil, nil),
    ] as [(PersistenceError.Kind, PersistenceError.Entry?, String?)])
  func database(kind: PersistenceError.Kind, damaged: PersistenceError.Entry?, help: String?) {
    let error = PersistenceError(kind, operation: "read", message: "it happened", damaged: damaged)
    #expect(Failure(error).help == help)
    #expect(Failure(error).message == "it happened")
  }

  @Test("only the cache of a newer version can be moved away", arguments: ["main", "cache"])
  func newerDatabase(name: String) {
    let error = PersistenceError(
      .newerSchema, path: "/d/\(name).sqlite", operation: "read", message: "it happened")
    #expect(
      Failure(error).help == "A newer version made it. Install that version; nothing was changed."
        + (name == "cache" ? " Or move the cache away: nothing in it is unique." : ""))
  }

  @Test(
    "a key that is wrong, none at all, another program and no API have messages of their own",
    arguments: [
      (
        .wrongKey(secret: "k"), ExitCode.denied,
        "Radarr refuses the key of the service 'films', the secret 'k'"
      ),
      (
        .wrongKey(secret: nil), ExitCode.denied,
        "Radarr wants a key, and the service 'films' has none"
      ),
      (
        .refusedKey(secret: "k"), ExitCode.denied,
        "what answers at http://nas refuses the key of the service 'films', the secret 'k'"
      ),
      (
        .wrongProgram(found: "Sonarr"), ExitCode.networkProtocol,
        "Sonarr answers at http://nas, not Radarr"
      ),
      (
        .wrongProgram(found: nil), ExitCode.networkProtocol,
        "something else answers at http://nas, not Radarr"
      ),
      (
        .undecodable(path: ""), ExitCode.data,
        "Radarr's answer has another form than its API: it is not JSON"
      ),
      (
        .undecodable(path: "[]"), ExitCode.data,
        "Radarr's answer has another form than its API: it is not an array"
      ),
      (
        .undecodable(path: "{}"), ExitCode.data,
        "Radarr's answer has another form than its API: it is not an empty object"
      ),
      (
        .wrongPath, ExitCode.missing,
        "the server answers, but Radarr's API is not at http://nas"
      ),
      (
        .redirected(to: "http://nas/x"), ExitCode.missing, "http://nas redirects to http://nas/x"
      ),
      (
        .redirectedWithin(origin: "http://nas"), ExitCode.missing,
        "http://nas redirects to another path at http://nas"
      ),
      (
        .page(title: "Log in"), ExitCode.missing,
        "the page 'Log in' answers at http://nas, not Radarr's API"
      ),
      (
        .denied(reason: "host name"), ExitCode.denied, "Radarr refuses access: host name"
      ),
      (
        .denied(reason: nil), ExitCode.denied, "Radarr refuses access: it does not say why"
      ),
      (.status(503, reason: "busy"), 5, "Radarr answers with HTTP 503: busy"),
    ] as [(ProgramError.Kind, Int32, String)])
  func programs(kind: ProgramError.Kind, code: Int32, message: String) {
    let failure = Failure(
      ProgramError(kind, program: "Radarr", service: "films", address: "http://nas"))
    #expect(failure.code == code && failure.message == message, "\(failure)")
    #expect(failure.help?.isEmpty == false, "\(failure)")
  }

  @Test(
    "the name of a program that is an API itself has no second API behind it",
    arguments: [
      .wrongPath, .page(title: "Log in"), .redirected(to: "http://nas/x"),
      .redirectedWithin(origin: "http://nas"),
    ] as [ProgramError.Kind])
  func apis(kind: ProgramError.Kind) {
    let program = ServicePreset.rickAndMorty.title
    let failure = Failure(
      ProgramError(kind, program: program, service: "rm", address: "http://nas"))
    let text = failure.message + (failure.help ?? "")
    #expect(text.contains(program) && !text.contains("API's API"), "\(failure)")
    #expect(!text.contains("\(program) has no API"), "\(failure)")
  }

  @Test("a refusal that a proxy may have sent does not advise to store another key")
  func proxies() {
    var error = ProgramError(
      .wrongKey(secret: "k"), program: "Radarr", service: "films", address: "http://nas")
    error.proxy = "http://p:1 (http_proxy)"
    let failure = Failure(error)
    #expect(
      failure.message
        == "Radarr refuses the key of the service 'films', the secret 'k', through the proxy "
        + "http://p:1 (http_proxy)")
    #expect(failure.help?.hasPrefix("the proxy may have answered itself") == true)
  }

  @Test("the service or a proxy may have refused, and the help has advice about both")
  func answersThroughProxies() {
    var error = APIError(.undecodable, "m", status: 403)
    error.proxy = "http://p:1 (http_proxy)"
    #expect(
      Failure(error).help
        == "check the key: 'api service show NAME' says which secret is sent, if any; if the proxy "
        + "answered itself, check what it lets through, or name the host in no_proxy")
    error.status = 503
    #expect(Failure(error).help == "--retry 3 tries again")
    // Only a proxy refuses a login in this way, and its message says what to do.
    var login = APIError(.unreachable, "m", status: 407)
    login.proxy = error.proxy
    #expect(Failure(login) == Failure(code: 4, error: "httpStatus", message: "m"))
    let address = Failure(APIError(.invalidProxy, "m"))
    #expect(address.code == ExitCode.configuration && address.help?.isEmpty == false)
    var refused = APIError(.refused, "m")
    refused.proxy = error.proxy
    #expect(Failure(refused).help == nil)
  }

  @Test("a connection that broke is tried again, unless the request may have been carried out")
  func brokenConnection() {
    var error = APIError(.truncated, "m")
    #expect(Failure(error).help == "try again")
    error.wasSent = true
    #expect(Failure(error).help == nil)
  }

  @Test(
    "a download that is not in the queue has the command that shows the queue",
    arguments: [
      ("Radarr", "'media queue s' shows what is in it"),
      ("NZBGet", "'downloads list s' shows what is in it"),
    ])
  func notQueued(program: String, help: String) {
    let failure = Failure(ProgramError(.notQueued(id: "1"), program: program, service: "s"))
    #expect(failure.code == ExitCode.missing && failure.help == help)
    #expect(failure.message == "\(program) has no download with the ID 1 in its queue")
  }

  @Test("only what may be asked again advises it, and a test does not advise itself")
  func advice() {
    func failure(_ kind: ProgramError.Kind) -> Failure {
      Failure(ProgramError(kind, program: "Radarr", service: "films", address: "http://nas"))
    }
    #expect(failure(.status(500)).help == nil)
    #expect(failure(.status(502)).help == "--retry 3 tries again")
    #expect(failure(.status(502)).withAdvice(hasRetry: true).help == "--retry 3 tries again")
    #expect(failure(.status(502)).withAdvice(hasRetry: false).help == nil)
    #expect(failure(.wrongPath).help?.hasPrefix("'api service test films' says") == true)
    #expect(failure(.wrongPath).forServiceTest.help?.hasPrefix("to change the address") == true)
  }

  @Test(
    "an answer to a change that does not tell if it was made says so, also through a proxy",
    arguments: [
      (.status(500), true), (.status(504, reason: "m"), true), (.undecodable(path: ""), true),
      (.page(title: "Log in"), true), (.status(429), false), (.refused(reasons: ["m"]), false),
    ] as [(ProgramError.Kind, Bool)], [nil, "http://p:1 (http_proxy)"])
  func uncertainChange(_ answer: (kind: ProgramError.Kind, isUncertain: Bool), proxy: String?) {
    var error = ProgramError(answer.kind, program: "Radarr", service: "films")
    error.proxy = proxy
    let advice = "Radarr may have made the change; look at it before the line is repeated"
    let help = Failure(error).help
    #expect(help?.hasPrefix(advice) != true)
    error.isOfChange = true
    let change = Failure(error).withAdvice(hasRetry: false).help
    #expect((change?.hasPrefix(advice) == true) == answer.isUncertain)
    if case .page = answer.kind { #expect(change == help.map { "\(advice); \($0)" }) }
  }

  @Test("a service that takes no more is asked again later, and is at the right address")
  func tooManyRequests() {
    #expect(
      Failure(APIError(.undecodable, "m", status: 429))
        == Failure(
          code: 4, error: "httpStatus", message: "m",
          help: "the service takes no more for now; --retry 3 tries again"))
  }

  @Test("what doctor found has advice by the board's commands and options")
  func doctor() {
    func advice(_ remedy: InstallationFinding.Remedy?) -> String? {
      DoctorFinding(InstallationFinding("s", .problem, "t", remedy: remedy)).advice
    }
    #expect(advice(.createKeychain) == "'keychain init' creates it")
    #expect(advice(.runAsOwner) == "run as that user, or choose another --home")
    #expect(advice(.changeMode(path: "/a b", mode: 0o600)) == "chmod 600 '/a b'")
    #expect(advice(.checkDatabase) == "'db check' reads all of it")
    #expect(advice(.other("as you like")) == "as you like")
    #expect(advice(nil) == nil)
  }
}
