import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The program with keychains that several secrets open, at a terminal, in several processes, on a
/// full disk, and killed.
@Suite(.timeLimit(.minutes(20)))
struct KeychainSlotProgramTests {
  private static let source = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
  private static let keySource = ["SWIFTBOARD_KEY_FILE": "key"] as [String: String?]

  /// The published keychain with a passphrase and a key file, which is the file `key`.
  private func program() throws -> Program {
    let program = try Program.withKeychain()
    try program.folder.write(Array(0x60...0x7F), to: "key")
    try program.folder.write("another one\n", to: "new")
    return program
  }

  @Test("a changed passphrase opens it, the old one no more, and the recording has neither")
  func passphrase() async throws {
    let program = try program()
    let changed = try await program.run(
      [
        "--home", "h", "--record", "r.jsonl", "keychain", "passphrase", "--new-from-file", "new",
        "--key-file", "key",
      ], environment: Self.source)
    #expect(changed.status == .exited(0), "\(changed.errorText)")
    let old = try await program.run(
      ["--home", "h", "keychain", "list"], environment: Self.source)
    #expect(old.status == .exited(77), "\(old.errorText)")
    for variables in [["SWIFTBOARD_PASSPHRASE_FILE": "new"], Self.keySource] {
      let opened = try await program.run(
        ["--home", "h", "keychain", "list"], environment: variables)
      #expect(opened.status == .exited(0), "\(opened.errorText)")
      #expect(opened.outputText.contains("api.openai.token"))
    }
    let recording = try program.text("r.jsonl")
    #expect(!recording.contains("another one"))
    #expect(!recording.contains("correct horse"))
    let replay = try await program.run("session", "replay", "r.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    #expect(replay.outputText == changed.outputText)
  }

  @Test(
    "a new keychain takes the key file of the unlock source, and makes it where it is not there")
  func ownKeyFile() async throws {
    for isThere in [true, false] {
      let program = try Program()
      let key = [UInt8](0x60...0x7F)
      if isThere { try program.folder.write(key, to: "key") }
      let made = try await program.run(
        ["--home", "h", "keychain", "init", "--key-file", "key"], environment: Self.keySource)
      #expect(made.status == .exited(0), "\(made.errorText)")
      if isThere { #expect(try program.folder.read("key") == key) }
      let opened = try await program.run(
        ["--home", "h", "keychain", "set", "a", "--generate", "9"], environment: Self.keySource)
      #expect(opened.status == .exited(0), "\(opened.errorText)")
      // From then on, it is the board's own.
      let refused = try await program.run(
        ["--home", "h", "-c", "echo x > key"], environment: Self.keySource)
      #expect(refused.status == .exited(73), "\(refused.errorText)")
    }
  }

  @Test("a new passphrase does not replace the key file that opened the keychain")
  func passphraseBesideKeyFile() async throws {
    let program = try program()
    let change = ["keychain", "passphrase", "--new-from-file", "new"]
    let before = try program.folder.read("h/keychain.sbkc")
    for secrets in [[], ["--passphrase-file", "pass"]] {
      let refused = try await program.run(
        ["--home", "h"] + change + secrets, environment: Self.keySource)
      #expect(refused.status == .exited(77), "\(refused.errorText)")
      #expect(refused.errorText.contains("the old passphrase is needed"), "\(refused.errorText)")
      #expect(refused.errorText.contains("--key-file FILE"), "\(refused.errorText)")
    }
    #expect(try program.folder.read("h/keychain.sbkc") == before)
    // The prompt asks for the old passphrase, which is replaced.
    let terminal = try program.startOnTerminal(
      "--home", "h", "keychain", "passphrase", "--new-from-file", "new",
      environment: Self.keySource)
    #expect(await terminal.waitForOutput("old passphrase: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    for variables in [["SWIFTBOARD_PASSPHRASE_FILE": "new"], Self.keySource] {
      let opened = try await program.run(
        ["--home", "h", "keychain", "list"], environment: variables)
      #expect(opened.status == .exited(0), "\(opened.errorText)")
    }
  }

  @Test("a slot that is refused leaves no key file") func aRefusedSlotLeavesNoKeyFile()
    async throws
  {
    let program = try program()
    let lines = (3...9).flatMap { ["-c", "keychain slot add --key-file k\($0)"] }
    let full = try await program.run(["--home", "h"] + lines, environment: Self.keySource)
    #expect(full.status == .exited(64), "\(full.errorText)")
    #expect(full.errorText.contains("has 8 slots already"), "\(full.errorText)")
    #expect(program.exists("k8") && !program.exists("k9"))
  }

  @Test("every slot that stays gives its secret, and the error names what is missing")
  func slotsThatStay() async throws {
    let program = try program()
    let refused = try await program.run(
      ["--home", "h", "keychain", "rekey"], environment: Self.source)
    #expect(refused.status == .exited(77), "\(refused.errorText)")
    #expect(refused.errorText.contains("--key-file FILE"), "\(refused.errorText)")
    let json = try await program.run(
      ["--home", "h", "--json", "keychain", "slot", "remove", "2"], environment: Self.keySource)
    #expect(json.errorText.contains("slotSecretNeeded(1, passphrase)"), "\(json.errorText)")
    let removed = try await program.run(
      ["--home", "h", "keychain", "slot", "remove", "2", "--passphrase-file", "pass"],
      environment: Self.keySource)
    #expect(removed.status == .exited(0), "\(removed.errorText)")
    let last = try await program.run(
      ["--home", "h", "keychain", "slot", "remove", "1"], environment: Self.source)
    #expect(last.status == .exited(64), "\(last.errorText)")
    let gone = try await program.run(
      ["--home", "h", "keychain", "list"], environment: Self.keySource)
    #expect(gone.status == .exited(77), "\(gone.errorText)")
  }

  @Test("a key file is made for a new keychain, and an export is read by another home")
  func keyFileAndExport() async throws {
    let program = try program()
    let made = try await program.run("--home", "g", "keychain", "init", "--key-file", "made")
    #expect(made.status == .exited(0), "\(made.errorText)")
    #expect(try program.folder.read("made").count == 32)
    let again = try await program.run("--home", "g", "keychain", "init", "--key-file", "other")
    #expect(again.status == .exited(73), "\(again.errorText)")
    #expect(!program.exists("other"), "no key file is left of what was refused")
    let exported = try await program.run(
      ["--home", "h", "keychain", "export", "out.sbkc", "--new-from-stdin"], stdin: "between\n",
      environment: Self.source)
    #expect(exported.status == .exited(0), "\(exported.errorText)")
    try program.folder.write("between", to: "between")
    let line = "keychain import out.sbkc --passphrase-file between"
    let taken = try await program.run(
      ["--home", "g", "-c", line, "-c", line + " --existing keep", "-c", "keychain list"],
      environment: ["SWIFTBOARD_KEY_FILE": "made"])
    #expect(taken.status == .exited(0), "\(taken.errorText)")
    #expect(taken.errorText.contains("3 added, 0 replaced, 0 kept"), "\(taken.errorText)")
    #expect(taken.errorText.contains("0 added, 0 replaced, 3 kept"), "\(taken.errorText)")
    for target in ["h/keychain.sbkc", "g/main.sqlite", "out.sbkc", "no/where"] {
      let refused = try await program.run(
        ["--home", "h", "keychain", "export", target, "--new-from-file", "new"],
        environment: Self.source)
      #expect(refused.status == .exited(73), "\(target): \(refused.errorText)")
    }
  }

  @Test("a credential of the service manager opens it, whose access list shows as the group's")
  func credential() async throws {
    let program = try program()
    try program.makeFolder("credentials")
    try program.folder.write(Program.passphrase, to: "credentials/swiftboard.passphrase")
    let file = program.folder.path("credentials/swiftboard.passphrase")
    for (mode, code) in [(0o440, 0), (0o400, 0), (0o444, 77)] as [(Int, Int32)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let run = try await program.run(
        ["--home", "h", "keychain", "list"],
        environment: ["CREDENTIALS_DIRECTORY": program.folder.path("credentials")])
      #expect(run.status == .exited(code), "\(mode): \(run.errorText)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file)
    let two = try await program.run(
      ["--home", "h", "keychain", "list"],
      environment: [
        "CREDENTIALS_DIRECTORY": program.folder.path("credentials"), "SWIFTBOARD_KEY_FILE": "key",
      ])
    #expect(two.status == .exited(78), "\(two.errorText)")
  }

  // MARK: At a terminal

  /// Runs a line of the shell on a terminal, in which `$0` is the program.
  private func onTerminal(_ program: Program, _ line: String) throws -> PtyProcess {
    try PtyProcess(
      "/bin/sh", ["-c", line, try Program.executable()], environment: program.environment(),
      folder: program.folder.path)
  }

  @Test("what is typed ahead from the first prompt on is an answer, and is shown nowhere")
  func typedAhead() async throws {
    let program = try program()
    let terminal = try onTerminal(
      program,
      #""$0" --ascii --home h keychain passphrase --key-file key; echo "status $?"; stty -a"#)
    #expect(await terminal.waitForOutput("old passphrase: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\rtyped ahead\rtyped ahead\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    let shown = terminal.outputText
    #expect(shown.contains("status 0"), "\(shown)")
    #expect(shown.contains("deriving the key..."), "\(shown)")
    #expect(!shown.contains("typed ahead"), "\(shown)")
    #expect(shown.contains(" echo ") && !shown.contains("-echo "), "\(shown)")
    try program.folder.write("typed ahead", to: "new")
    let opened = try await program.run(
      ["--home", "h", "keychain", "list"], environment: ["SWIFTBOARD_PASSPHRASE_FILE": "new"])
    #expect(opened.status == .exited(0), "\(opened.errorText)")
  }

  @Test("on a terminal without escape sequences, what is printed takes the place of the status")
  func printedAfterStatus() async throws {
    let program = try program()
    let terminal = try onTerminal(
      program, #"TERM=dumb "$0" --ascii --home h keychain passphrase --key-file key"#)
    #expect(await terminal.waitForOutput("old passphrase: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\rnew\rnew\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    let shown = terminal.outputText
    #expect(shown.contains("deriving the key..."), "\(shown)")
    #expect(!shown.contains("\u{1B}"), "\(shown)")
    for row in shown.replacing("\r\n", with: "\n").split(separator: "\n") {
      // What is written over the status begins with as many blanks.
      let parts = row.split(separator: "\r")
      for (status, next) in zip(parts, parts.dropFirst()) where status.contains("deriving") {
        #expect(next.count >= status.count, "\(shown)")
      }
      #expect(parts.last?.contains("deriving") != true, "\(shown)")
    }
  }

  @Test(
    "Ctrl-C or Ctrl-D at a later prompt changes nothing and gives the terminal back",
    arguments: [("\u{3}", 130), ("\u{4}", 77)])
  func interrupted(keys: String, code: Int) async throws {
    let program = try program()
    let before = try program.folder.read("h/keychain.sbkc")
    let terminal = try onTerminal(
      program,
      #""$0" --ascii --home h keychain passphrase --key-file key; echo "status $?"; stty -a"#)
    #expect(await terminal.waitForOutput("old passphrase: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\r")
    #expect(await terminal.waitForOutput("new passphrase: "), "\(terminal.outputText)")
    terminal.type(keys)
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    let shown = terminal.outputText
    #expect(shown.contains("status \(code)"), "\(shown)")
    #expect(shown.contains(" echo ") && !shown.contains("-echo "), "\(shown)")
    #expect(!shown.contains("-icanon") && !shown.contains("-isig"), "\(shown)")
    #expect(try program.folder.read("h/keychain.sbkc") == before)
  }

  // MARK: Several processes

  @Test("a session is locked by another process's new passphrase, and goes on with that")
  func twoProcesses() async throws {
    let program = try program()
    let terminal = try program.startOnTerminal("--ascii", "--home", "h")
    #expect(await terminal.waitForOutput("> "), "\(terminal.outputText)")
    terminal.type("keychain list\r")
    #expect(await terminal.waitForOutput("passphrase of the keychain: "), "\(terminal.outputText)")
    terminal.type(Program.passphrase + "\r")
    #expect(await terminal.waitForOutput("api.openai.token"), "\(terminal.outputText)")
    let changed = try await program.run(
      ["--home", "h", "keychain", "passphrase", "--new-from-file", "new", "--key-file", "key"],
      environment: Self.source)
    #expect(changed.status == .exited(0), "\(changed.errorText)")
    terminal.type("keychain list\r")
    #expect(
      await terminal.waitForOutput("passphrase of the keychain: ", count: 2),
      "\(terminal.outputText)")
    terminal.type("another one\r")
    #expect(await terminal.waitForOutput("api.openai.token", count: 2), "\(terminal.outputText)")
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("processes that save at the same time lose nothing of each other")
  func manyProcesses() async throws {
    let program = try program()
    try await withThrowingTaskGroup(of: ChildProcess.Outcome.self) { group in
      for number in 0..<4 {
        group.addTask {
          // Each save waits for the disk, and each process a limited time for the others.
          let lines = (0..<4).flatMap { ["-c", "keychain set p\(number).\($0) --generate 9"] }
          return try await program.run(["--home", "h"] + lines, environment: Self.keySource)
        }
      }
      for try await run in group { #expect(run.status == .exited(0), "\(run.errorText)") }
    }
    let list = try await program.run(
      ["--home", "h", "--json", "keychain", "status"], environment: Self.keySource)
    #expect(list.status == .exited(0))
    let names = try await program.run(
      ["--home", "h", "--plain", "keychain", "list"], environment: Self.keySource)
    #expect(names.outputText.split(separator: "\n").filter { $0.hasPrefix("p") }.count == 16)
  }

  @Test("what was saved before a kill is there after it, whenever it comes")
  func killed() async throws {
    let program = try program()
    for count in [1, 2, 3, 5, 8, 13] {
      let script = (0..<40).map { "keychain set k\(count).\($0) --generate 9" }
      try program.folder.write(script.joined(separator: "\n") + "\n", to: "s")
      let child = try ChildProcess(
        try Program.executable(), ["--home", "h", "-f", "s"],
        environment: program.environment(Self.keySource), folder: program.folder.path)
      #expect(await child.waitForError("k\(count).\(count)}}"))
      child.signal(9)
      let outcome = await child.wait()
      let acknowledged = outcome.errorText.split(separator: "\n").filter { $0.hasPrefix("saved") }
      let names = try await program.run(
        ["--home", "h", "--plain", "keychain", "list"], environment: Self.keySource)
      #expect(names.status == .exited(0), "\(names.errorText)")
      let saved = names.outputText.split(separator: "\n").filter { $0.hasPrefix("k\(count).") }
      #expect(saved.count >= acknowledged.count)
      #expect(saved.count <= acknowledged.count + 1)
    }
  }

  // MARK: What the system refuses

  @Test(
    "a full disk leaves the keychain as it was",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func fullDisk() async throws {
    let program = try program()
    try program.folder.write(
      """
      cp h/keychain.sbkc kept && mkdir full && mount -t tmpfs -o size=64k none full || exit 99
      cp kept full/keychain.sbkc && chmod 600 full/keychain.sbkc
      cat /dev/zero > full/filler 2> errors
      "$0" --home full -c 'keychain set a --generate 9'
      echo "status $?"
      "$0" --home full keychain passphrase --new-from-file new --passphrase-file pass
      echo "status $?"
      cmp kept full/keychain.sbkc && echo unchanged
      ls -A full

      """, to: "run.sh")
    let run = try await runProcess(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", ". ./run.sh", try Program.executable()],
      environment: program.environment(Self.keySource), folder: program.folder.path)
    #expect(run.outputText.contains("status 74\n"), "\(run.outputText)\(run.errorText)")
    #expect(run.outputText.contains("unchanged"), "\(run.outputText)\(run.errorText)")
    #expect(!run.outputText.contains(".tmp"), "\(run.outputText)")
    #expect(!run.outputText.contains("status 0\n"), "\(run.outputText)")
  }

  @Test(
    "memory that the system does not lock is told of, and the keychain works",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func unlockedMemory() async throws {
    let program = try program()
    let run = try await runProcess(
      "/usr/bin/unshare",
      [
        "-r", "/bin/sh", "-c",
        #"ulimit -l 0; "$0" --home h -c 'keychain unlock' -c 'keychain status'"#,
        try Program.executable(),
      ], environment: program.environment(Self.keySource), folder: program.folder.path)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("memory locked  no"), "\(run.outputText)")
    #expect(run.errorText.contains("RLIMIT_MEMLOCK"), "\(run.errorText)")
  }
}
