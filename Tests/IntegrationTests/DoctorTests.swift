import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// `doctor` says of an installation what the next command will meet, and changes nothing.
@Suite(.timeLimit(.minutes(20)))
struct DoctorTests {
  /// A program with a home `h` that has a database and a keychain.
  private func program() async throws -> Program {
    let program = try Program.withKeychain()
    let put = try await program.run("--home", "h", "db", "put", "c", "1", "{}")
    try #require(put.status == .exited(0), "\(put.errorText)")
    return program
  }

  /// Changes bytes of a file.
  private func damage(_ name: String, at offset: Int, _ program: Program) throws {
    var bytes = try program.folder.read(name)
    bytes.replaceSubrange(offset..<offset + 300, with: [UInt8](repeating: 7, count: 300))
    try program.folder.write(bytes, to: name)
  }

  /// The files of the home, with their content.
  private func content(_ program: Program) throws -> [String: [UInt8]] {
    var content: [String: [UInt8]] = [:]
    for name in try program.files("h") { content[name] = try program.folder.read("h/" + name) }
    return content
  }

  @Test("a whole installation has no problem")
  func whole() async throws {
    let program = try await program()
    let run = try await program.run(
      ["--home", "h", "--plain", "doctor"],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
    #expect(run.status == .exited(0), "\(run.outputText)\(run.errorText)")
    #expect(!run.outputText.contains("problem"), "\(run.outputText)")
    #expect(run.outputText.contains("unlock source\tgood\tSWIFTBOARD_PASSPHRASE_FILE"))
    #expect(run.errorText.isEmpty, "\(run.errorText)")
  }

  @Test(
    "damage that the next command refuses is a problem, which changes nothing",
    arguments: [
      ("keychain.sbkc", 2000, "keychain", "keychain unlock"),
      ("main.sqlite", 4096, "database", "db list c"),
    ])
  func damaged(name: String, offset: Int, subject: String, next: String) async throws {
    let program = try await program()
    try damage("h/" + name, at: offset, program)
    let before = try content(program)
    let run = try await program.run("--home", "h", "--plain", "doctor")
    #expect(run.status == .exited(1), "\(run.outputText)")
    #expect(run.outputText.contains("\n\(subject)\tproblem\t"), "\(run.outputText)")
    #expect(run.errorText.contains("\(subject): move the file away"), "\(run.errorText)")
    #expect(try content(program) == before)
    let refused = try await program.run(
      ["--home", "h", "-c", next],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
    #expect(refused.status == .exited(65), "\(refused.errorText)")
  }

  @Test("a variable that names a file which is not there is a problem, and no home is made")
  func variables() async throws {
    let program = try Program()
    for (name, subject) in [
      ("SWIFTBOARD_PASSPHRASE_FILE", "unlock source"), ("SWIFTBOARD_KEY_FILE", "unlock source"),
      ("SSL_CERT_FILE", "certificates"), ("CURL_CA_BUNDLE", "certificates"),
    ] {
      let run = try await program.run(
        ["--home", "h", "--plain", "doctor"], environment: [name: "/nowhere/file"])
      #expect(run.status == .exited(1), "\(run.errorText)")
      #expect(
        run.outputText.contains("\n\(subject)\tproblem\t/nowhere/file (\(name))"),
        "\(run.outputText)")
      #expect(run.errorText.contains("or unset the variable"), "\(run.errorText)")
    }
    #expect(!program.exists("h"))
  }

  @Test(
    "a folder that cannot be written to is a problem, but a note where requests work without it",
    .enabled("no disk may be mounted", NameSpaces.canMount),
    arguments: [("XDG_STATE_HOME", "problem", 1), ("XDG_CACHE_HOME", "note", 0)])
  func unwritable(variable: String, state: String, code: Int32) async throws {
    let program = try Program()
    try program.makeFolder("disk")
    let run = try await runProcess(
      "/usr/bin/unshare",
      [
        "-rm", "/bin/sh", "-c", "mount -t tmpfs -o ro none disk && exec \"$0\" --plain doctor",
        try Program.executable(),
      ], environment: program.environment([variable: program.folder.path("disk")]),
      folder: program.folder.path)
    #expect(run.status == .exited(code), "\(run.errorText)")
    let words = "\ndisk\t\(state)\t\(program.folder.path("disk")) cannot be written to"
    #expect(run.outputText.contains(words), "\(run.outputText)")
    #expect(run.outputText.contains("\ndisk\tgood\t"), "\(run.outputText)")
    #expect(run.errorText.contains("disk: choose another folder"), "\(run.errorText)")
  }

  @Test("a configuration that cannot be read is one problem")
  func unreadable() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.makeFolder("h/config.json")
    let run = try await program.run("--home", "h", "--plain", "doctor")
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(run.outputText.split(separator: "\tproblem\t").count == 2, "\(run.outputText)")
    #expect(run.errorText.contains("configuration: move it away"), "\(run.errorText)")
    #expect(run.errorText.contains("error: 1 problem\n"), "\(run.errorText)")
  }

  @Test("a pipe in the place of a configuration or of certificates is a problem and stays unread")
  func pipe() async throws {
    let program = try Program()
    try program.makeFolder("h")
    _ = try await program.shell("mkfifo h/config.json ca.pem")
    let run = try await program.run(
      ["--home", "h", "--plain", "doctor"], environment: ["CURL_CA_BUNDLE": "ca.pem"])
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(run.outputText.contains("\nconfiguration\tproblem\t"), "\(run.outputText)")
    #expect(run.outputText.contains("\ncertificates\tproblem\tca.pem"), "\(run.outputText)")
    #expect(run.errorText.contains("error: 2 problems\n"), "\(run.errorText)")
    let other = try await program.run("--home", "h", "echo", "x")
    #expect(other.status == .exited(74) && other.errorText.contains("it is not a file"))
  }

  @Test("lines that write while doctor runs change the database")
  func writing() async throws {
    let program = try Program()
    #expect(try await program.run("--home", "h", "db", "put", "c", "0", "{}").status == .exited(0))
    let lines = ["doctor &", "doctor &", "doctor &", "db put c 1 {}", "wait", "db put c 2 {}"]
    for _ in 0..<5 {
      let run = try await program.run(["--home", "h", "-k"] + lines.flatMap { ["-c", $0] })
      #expect(!run.errorText.contains("may not be written"), "\(run.errorText)")
    }
    let list = try await program.run("--home", "h", "--plain", "db", "list", "c")
    #expect(list.outputText.split(separator: "\n").count == 3, "\(list.outputText)")
  }

  @Test("the advice on a problem comes before that on what may be unexpected")
  func order() async throws {
    let program = try Program()
    let run = try await program.run(["doctor"], environment: ["CURL_CA_BUNDLE": "/nowhere/file"])
    let subjects = run.errorLines.compactMap { $0.split(separator: ":").first }
    #expect(subjects.prefix(2) == ["certificates", "keychain"], "\(run.errorText)")
  }

  @Test("in a named environment, the configuration is the file that is read")
  func namedEnvironment() async throws {
    let program = try Program()
    let home = program.folder.path("work")
    try program.folder.write(
      #"{"environments":{"work":{"home":"\#(home)"}}}"#, to: "c.json")
    let run = try await program.run(
      "--config", "c.json", "--environment", "work", "--plain", "doctor")
    #expect(run.status == .exited(0), "\(run.outputText)\(run.errorText)")
    #expect(run.outputText.contains("\nconfiguration\tgood\tc.json, "), "\(run.outputText)")
    #expect(run.outputText.contains("\ninit script\tgood\t\(home)/init.sb"), "\(run.outputText)")

    for folder in ["home/.config", "home/.config/swiftboard"] { try program.makeFolder(folder) }
    let own = "home/.config/swiftboard/config.json"
    try program.folder.write(try program.text("c.json"), to: own)
    let usual = try await program.run("--environment", "work", "--plain", "doctor")
    #expect(
      usual.outputText.contains("\nconfiguration\tgood\t\(program.folder.path(own)), "),
      "\(usual.outputText)")
    #expect(usual.outputText.contains("\ndatabase\tgood\t\(home)/main.sqlite"))
  }

  @Test("the prompt names the environment of the configuration")
  func prompt() async throws {
    let program = try Program()
    try program.folder.write(
      #"{"environment":"work","environments":{"work":{"home":"\#(program.folder.path("w"))"}}}"#,
      to: "c.json")
    let terminal = try program.startOnTerminal("--ascii", "--config", "c.json")
    #expect(await terminal.waitForOutput("board[work]> "), "\(terminal.outputText)")
    terminal.type("exit 0\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }
}
