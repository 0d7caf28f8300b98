import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// How the program ends where a keychain does not open.
@Suite(.timeLimit(.minutes(20)))
struct KeychainExitTests {
  private static func program() throws -> Program { try Program.withKeychain() }

  private static func list(_ program: Program, _ file: String? = "pass") async throws
    -> ChildProcess.Outcome
  {
    try await program.run(
      ["--home", "h", "keychain", "list"], environment: ["SWIFTBOARD_PASSPHRASE_FILE": file])
  }

  @Test("the right passphrase opens the keychain") func theRightPassphraseOpensIt() async throws {
    let run = try await Self.list(Self.program())
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("api.openai.token"))
  }

  @Test("a wrong passphrase is denied") func aWrongPassphraseIsDenied() async throws {
    let program = try Self.program()
    try program.folder.write("correct horse\n", to: "pass")
    let run = try await Self.list(program)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.output == [])
    #expect(!run.errorText.contains("correct horse"))
  }

  @Test("a keychain and a key file that cannot be made are 73, as is a name that is taken")
  func whatCannotBeMade() async throws {
    let program = try Self.program()
    try program.folder.write("", to: "file")
    try program.folder.write("open sesame\n", to: "new")
    let belowFile = ["XDG_DATA_HOME": program.folder.path("file")]
    for line in [
      "keychain init --new-from-file new", "keychain init --key-file none/key", "db put c 1 1",
      "db import new",
    ] {
      let variables = line.contains("none") ? [:] : belowFile
      let run = try await program.run(["-c", line], environment: variables)
      #expect(run.status == .exited(73), "\(line): \(run.errorText)")
    }
    for line in [
      "keychain export none/x.sbkc --new-from-file new", "keychain import h/keychain.sbkc",
      "keychain rename api.openai.token api.openai.token2",
    ] {
      let other = line.contains("import") ? " --passphrase-file pass" : ""
      let run = try await program.run(
        [
          "--home", "h", "-c", "keychain set api.openai.token2 --from-file new", "-c", line + other,
        ],
        environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
      #expect(run.status == .exited(73), "\(line): \(run.errorText)")
    }
    let export = try await program.run(
      "--home", "h", "keychain", "export", "file", "--new-from-file", "new")
    #expect(export.status == .exited(73), "nothing is unlocked: \(export.errorText)")
    #expect(export.errorText.contains("file: the file already exists"), "\(export.errorText)")
    // A file in place of the folder does not pass for a keychain that is missing.
    let list = try await program.run(["keychain", "list"], environment: belowFile)
    #expect(list.status == .exited(73), "\(list.errorText)")
  }

  @Test("without a source the keychain stays locked") func withoutASourceItStaysLocked()
    async throws
  {
    let run = try await Self.list(Self.program(), nil)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.errorText.contains("SWIFTBOARD_PASSPHRASE_FILE"), "the help names the way out")
  }

  @Test("a passphrase file that others may read is refused")
  func aPassphraseFileThatOthersMayReadIsRefused() async throws {
    let program = try Self.program()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: program.folder.path("pass"))
    let run = try await Self.list(program)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.errorText.contains("chmod 600"))
  }

  /// A place in the header, the slot, and the secrets.
  @Test("a flipped byte is damage", arguments: [0, 33, 140, 400, 4300])
  func aFlippedByteIsDamage(location: Int) async throws {
    let program = try Self.program()
    var bytes = try program.folder.read("h/keychain.sbkc")
    try #require(location < bytes.count)
    bytes[location] ^= 1
    try program.folder.write(bytes, to: "h/keychain.sbkc")
    let run = try await Self.list(program)
    // What the passphrase's own slot holds cannot be told from a wrong passphrase.
    #expect([65, 77].contains(run.status.code), "\(run.errorText)")
    if location != 140 { #expect(run.status == .exited(65), "\(run.errorText)") }
    #expect(run.output == [])
    #expect(try program.folder.read("h/keychain.sbkc") == bytes, "the file is left as it is")
  }

  // MARK: Unlock sources

  @Test(
    "an unlock source whose file is not there is 66, named with its variable",
    arguments: ["SWIFTBOARD_PASSPHRASE_FILE", "SWIFTBOARD_KEY_FILE"])
  func anAbsentSource(variable: String) async throws {
    let program = try Self.program()
    for command in ["list", "unlock", "check", "accept"] {
      let run = try await program.run(
        ["--home", "h", "keychain", command], environment: [variable: "absent"])
      #expect(run.status == .exited(66), "\(command): \(run.errorText)")
      #expect(run.errorText.contains("absent (\(variable))"), "\(run.errorText)")
      #expect(!run.errorText.contains("keychain init"), "\(run.errorText)")
    }
  }

  @Test(
    "without a source and without a person a command is denied; without a file there is nothing",
    arguments: [
      ["list"], ["unlock"], ["accept"], ["set", "a"], ["set", "a", "--generate", "9"],
      ["get", "a", "--reveal"], ["remove", "a"], ["rename", "a", "b"],
    ])
  func withoutSourceOrFile(command: [String]) async throws {
    let program = try Self.program()
    let locked = try await program.run(["--home", "h", "keychain"] + command)
    #expect(locked.status == .exited(77), "\(locked.errorText)")
    let missing = try await program.run(["--home", "none", "keychain"] + command)
    #expect(missing.status == .exited(66), "\(missing.errorText)")
  }

  // MARK: Checking

  /// Each has a checksum that fits, so that only its key tells.
  @Test(
    "check opens the file with the source at hand and finds what was forged",
    arguments: ["mac_forged", "generation_forged", "payload_of_other_generation"])
  func checkFindsTampering(vector: String) async throws {
    let program = try Program.withKeychain(vector)
    let source = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
    let found = try await program.run(["--home", "h", "keychain", "check"], environment: source)
    #expect(found.status == .exited(65), "\(found.errorText)")
    #expect(found.errorText.contains("someone changed the keychain"), "\(found.errorText)")
    #expect(found.output == [])
    // Without a secret this cannot be known, and the answer says so.
    let unverified = try await program.run("--home", "h", "keychain", "check")
    #expect(unverified.status == .exited(0), "\(unverified.errorText)")
    #expect(unverified.errorText.contains("whole, but unverified"), "\(unverified.errorText)")
  }

  @Test("check verifies with the source") func checkVerifiesWithTheSource() async throws {
    let run = try await Self.program().run(
      ["--home", "h", "--json", "keychain", "check"],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText == "")
    #expect(run.outputText.contains(#""unlocked":true,"count":3"#), "\(run.outputText)")
  }

  @Test("at a terminal check asks for the passphrase")
  func checkAsks() async throws {
    let program = try Program.withKeychain("mac_forged")
    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "keychain", "check")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\r")
    #expect(await terminal.wait() == .exited(65), "\(terminal.outputText)")
  }

  // MARK: A file that others may read

  @Test("a file that others may read is opened with one warning, which is part of the step")
  func openToOthers() async throws {
    let program = try Self.program()
    let file = program.folder.path("h/keychain.sbkc")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let source = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
    let run = try await program.run(
      [
        "--home", "h", "--record", "r.jsonl", "-c", "keychain list", "-c", "keychain lock", "-c",
        "keychain list",
      ], environment: source)
    #expect(run.status == .exited(0), "\(run.errorText)")
    let warnings = run.errorLines.filter { $0.contains("others may read") }
    #expect(warnings.count == 1, "\(run.errorText)")
    #expect(warnings.first?.contains("(mode 644); the next save makes it 600") == true)
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.outputText == run.outputText)
    #expect(try program.text("r.jsonl").contains("others may read"), "it is part of the step")

    let saved = try await program.run(
      ["--home", "h", "keychain", "set", "a", "--generate", "9"], environment: source)
    #expect(saved.errorText.contains("could read"), "\(saved.errorText)")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try await Self.list(program).errorText == "")
  }

  @Test("a request that opens such a file warns as well")
  func openToOthersInARequest() async throws {
    let server = try TestHTTPServer()
    let program = try Self.program()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: program.folder.path("h/keychain.sbkc"))
    let run = try await program.run(
      ["--home", "h", "api", "get", "\(server.origin)/", "X-Key:{{secret:api.openai.token}}"],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
    #expect(run.errorText.contains("warning: others may read"), "\(run.errorText)")
  }

  // MARK: Restored and replaced files

  @Test("a restored file is refused with the way out, which shows both and takes it")
  func accept() async throws {
    let program = try Self.program()
    let source = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
    func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
      try await program.run(["--home", "h"] + arguments, environment: source)
    }
    let old = try program.folder.read("h/keychain.sbkc")
    for name in ["a", "b"] {
      #expect(
        try await run("keychain", "set", name, "--generate", "9").status == .exited(0))
    }
    try program.folder.write(old, to: "h/keychain.sbkc")
    for command in ["list", "check"] {
      let refused = try await run("keychain", command)
      #expect(refused.status == .exited(65), "\(refused.errorText)")
      #expect(refused.errorText.contains("keychain accept"), "\(refused.errorText)")
    }
    let locked = try await program.run("--home", "h", "keychain", "accept")
    #expect(locked.status == .exited(77), "\(locked.errorText)")
    #expect(try program.folder.read("h/keychain.sbkc") == old)

    let accepted = try await run("keychain", "accept")
    #expect(accepted.status == .exited(0), "\(accepted.errorText)")
    #expect(accepted.errorText.contains("generation 10"), "\(accepted.errorText)")
    let rows = accepted.outputText.split(separator: "\n").dropFirst(2).map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(rows.map { $0.dropLast() } == [["seen", "before", "9"], ["there", "now", "7"]])
    #expect(rows.allSatisfy { $0.last?.hasSuffix("Z") == true && $0.last?.hasPrefix("2") == true })
    #expect(try await run("keychain", "list").status == .exited(0))

    try program.folder.write(old, to: "h/keychain.sbkc")
    let json = try await run("keychain", "accept", "--json")
    #expect(
      json.outputText.contains(
        #""reason":"rolledBack","remembered":{"generation":10,"written":"2"#),
      "\(json.outputText)")
    #expect(json.outputText.contains(#""found":{"generation":7,"written":"2"#))
    #expect(json.outputText.contains(#"},"generation":11}"#))
  }

  @Test("another keychain is refused until it is accepted, and left as it is")
  func acceptAnother() async throws {
    let program = try Program()
    try program.folder.write((0..<32).map { UInt8($0 * 7) }, to: "key")
    func run(_ home: String, _ command: String) async throws -> ChildProcess.Outcome {
      try await program.run(
        ["--home", home, "keychain", command], environment: ["SWIFTBOARD_KEY_FILE": "key"])
    }
    for home in ["h", "g"] {
      let made = try await run(home, "init")
      try #require(made.status == .exited(0), "\(made.errorText)")
    }
    let other = try program.folder.read("g/keychain.sbkc")
    try program.folder.write(other, to: "h/keychain.sbkc")
    let refused = try await run("h", "list")
    #expect(refused.status == .exited(65), "\(refused.errorText)")
    #expect(refused.errorText.contains("another keychain"), "\(refused.errorText)")
    #expect(refused.errorText.contains("keychain accept"), "\(refused.errorText)")
    let accepted = try await run("h", "accept")
    #expect(accepted.status == .exited(0), "\(accepted.errorText)")
    #expect(try program.folder.read("h/keychain.sbkc") == other)
    #expect(try await run("h", "list").status == .exited(0))
  }

  @Test("at a terminal accept asks for the passphrase, and for nothing else")
  func acceptAtATerminal() async throws {
    let program = try Self.program()
    let terminal = try program.startOnTerminal("--ascii", "--home", "h", "keychain", "accept")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    #expect(terminal.outputText.contains("nothing to accept"), "\(terminal.outputText)")
  }

  @Test("a damaged database is damage") func aDamagedDatabaseIsDamage() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.folder.write(
      String(repeating: "this is not a database\n", count: 500), to: "h/main.sqlite")
    let run = try await program.run("--home", "h", "db", "list", "c")
    #expect(run.status == .exited(65), "\(run.errorText)")
  }
}
