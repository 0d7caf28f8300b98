import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// `keychain set NAME --from-stdin` takes what is left of descriptor 0, whatever that is, or is
/// refused.
@Suite(.timeLimit(.minutes(20)))
struct StandardInputTests {
  private static let keychain = ["SWIFTBOARD_PASSPHRASE_FILE": "pass"] as [String: String?]
  private static let set = "keychain set k --from-stdin"
  /// No text, with line ends that must not be changed.
  private static let value: [UInt8] = [0x00, 0xFF, 0x0D, 0x0A, 0x22, 0x0A, 0x0A]

  private let program: Program

  /// A home whose keychain has the secret `k` with the value `old`.
  init() async throws {
    program = try Program.withKeychain()
    let run = try await program.run(
      ["--home", "h", "keychain", "set", "k", "--from-stdin"], stdin: "old",
      environment: Self.keychain)
    try #require(run.status == .exited(0), "\(run.errorText)")
  }

  private func shell(_ line: String) async throws -> ChildProcess.Outcome {
    try await program.shell(line, environment: Self.keychain)
  }

  /// The secret, byte for byte.
  private func stored(_ name: String = "k") async throws -> [UInt8] {
    let run = try await program.run(
      ["--home", "h", "keychain", "get", name, "--reveal"], environment: Self.keychain)
    try #require(run.status == .exited(0), "\(run.errorText)")
    return run.output
  }

  @Test(
    "lines that come from standard input leave none: refused at the word, and nothing is stored",
    arguments: [
      "$0 --home h < s.sb", "cat s.sb | $0 --home h", "$0 --home h -f - < s.sb",
      "cat s.sb | $0 --home h -f -", "$0 --home h -f /dev/stdin < s.sb",
      "cat s.sb | $0 --home h -f /dev/stdin", "$0 --home h -f s.sb < s.sb",
      "echo 'source s.sb' | $0 --home h", "echo 'source outer.sb' | $0 --home h",
      "$0 --home h -c 'source /dev/stdin' < s.sb",
      "$0 --home h -c '-source /dev/stdin' -c 'echo x; \(set)' < s.sb",
    ])
  func refusedInAScript(line: String) async throws {
    try program.folder.write("\n\(Self.set)\necho after\n", to: "s.sb")
    try program.folder.write("source s.sb\n", to: "outer.sb")
    let run = try await shell(line)
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains("lines come from standard input"), "\(run.errorText)")
    #expect(run.errorText.contains("--from-file FILE"))
    #expect(run.errorText.contains("\n                 ^~~~~~~~~~~~\n"), "\(run.errorText)")
    #expect(!run.errorText.contains("saved"))
    #expect(!run.outputText.contains("after"))
    #expect(try await stored() == Array("old".utf8))
  }

  @Test(
    "what is left of descriptor 0 is taken, byte for byte",
    arguments: [
      "cat value | $0 --home h \(set)", "$0 --home h \(set) < value",
      "cat value | $0 --home h -c '\(set)'", "cat value | $0 --home h -c 'echo x; \(set)'",
      "cat value | $0 --home h -f s.sb", "$0 --home h -f s.sb < value",
      "cat value | $0 --home h -c 'source s.sb'",
      // What another program has read of the file is not read again.
      "(read first; $0 --home h \(set)) < lines",
    ])
  func taken(line: String) async throws {
    try program.folder.write("\(Self.set)\n", to: "s.sb")
    try program.folder.write(Self.value, to: "value")
    try program.folder.write(Array("first\n".utf8) + Self.value, to: "lines")
    let run = try await shell(line)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try await stored() == Self.value)
  }

  @Test("db put takes a document from there with @-, where no lines come from there")
  func document() async throws {
    let put = try await program.run(
      ["--home", "h", "db", "put", "t", "x", "@-"], stdin: "{\"a\": 1}")
    #expect(put.status == .exited(0), "\(put.errorText)")
    let list = try await program.run("--home", "h", "--plain", "db", "list", "t")
    #expect(list.outputText.hasSuffix("\t{\"a\":1}\n"), "\(list.outputText)")
    let refused = try await program.run(["--home", "h"], stdin: "db put t x @-\n{}\n")
    #expect(refused.status == .exited(64), "\(refused.errorText)")
    #expect(refused.errorText.contains("\n             ^~\n"), "\(refused.errorText)")
    #expect(refused.errorText.contains("help: use @FILE, or"), "\(refused.errorText)")
  }

  @Test("a socket works, also one that does not block")
  func socket() async throws {
    for blocks in [true, false] {
      var ends: [Int32] = [-1, -1]
      #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
      #else
        let kind = SOCK_STREAM
      #endif
      try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { for end in ends { close(end) } }
      if !blocks { _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK) }
      let value = Self.value + [blocks ? 1 : 2, 0x0A]
      let own = ends[1]
      let child = try ChildProcess(
        try Program.executable(), ["--home", "h", "keychain", "set", "k", "--from-stdin"],
        environment: program.environment(Self.keychain), folder: program.folder.path,
        standardInput: ends[0])
      // In two parts, so that it has to wait for the second one.
      for part in [value.prefix(3), value.dropFirst(3)].map(Array.init) {
        #expect(write(own, part, part.count) == part.count)
      }
      shutdown(own, Int32(SHUT_WR))
      let outcome = await child.wait()
      #expect(outcome.status == .exited(0), "\(outcome.errorText)")
      #expect(try await stored() == value)
    }
  }

  @Test(
    "where nothing is left it is refused, and the old secret stays",
    arguments: [
      "$0 --home h \(set) < /dev/null", "$0 --home h \(set) < empty", ": | $0 --home h \(set)",
      "$0 --home h \(set) <&-", "$0 --home h -f s.sb < /dev/null",
      "echo new | $0 --home h -c 'keychain set other --from-stdin' -c '\(set)'",
    ])
  func nothingLeft(line: String) async throws {
    try program.folder.write("", to: "empty")
    try program.folder.write("\(Self.set)\n", to: "s.sb")
    let run = try await shell(line)
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains("nothing is left of standard input"), "\(run.errorText)")
    #expect(run.errorText.contains("\n                 ^~~~~~~~~~~~\n"), "\(run.errorText)")
    #expect(try await stored() == Array("old".utf8))
  }

  @Test("a secret that is shown ends in a line end at a terminal alone")
  func shownSecret() async throws {
    for (value, shown) in [("word", "word"), ("two\nlines\n", "two\nlines\n"), ("x ", "x ")] {
      let set = try await program.run(
        ["--home", "h", "keychain", "set", "s", "--from-stdin"], stdin: value,
        environment: Self.keychain)
      try #require(set.status == .exited(0), "\(set.errorText)")
      #expect(try await stored("s") == Array(shown.utf8))
      let file = try await shell("$0 --home h keychain get s --reveal > out")
      #expect(file.status == .exited(0) && program.exists("out"), "\(file.errorText)")
      #expect(try program.text("out") == shown)
    }
    let terminal = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", "-c", "keychain get s --reveal", "-c", "echo next",
      environment: Self.keychain)
    _ = await terminal.wait()
    #expect(terminal.outputText.contains("x \r\nnext"), "\(terminal.outputText)")
  }

  @Test("a secret that is shown controls no terminal, and is exact elsewhere")
  func shownControls() async throws {
    let value = "a\u{1B}[2Jb\u{202E}\n\tc\0"
    let set = try await program.run(
      ["--home", "h", "keychain", "set", "s", "--from-stdin"], stdin: value,
      environment: Self.keychain)
    try #require(set.status == .exited(0), "\(set.errorText)")
    #expect(try await stored("s") == Array(value.utf8))
    let terminal = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", "-c", "keychain get s --reveal",
      environment: Self.keychain)
    _ = await terminal.wait()
    let shown = #"a\u{1b}[2Jb\u{202e}"# + "\r\n\tc" + #"\u{0}"# + "\r\n"
    #expect(terminal.outputText.contains(shown), "\(terminal.outputText)")
  }

  @Test("the help names the option for a file that the command has")
  func otherOption() async throws {
    for (line, option) in [
      (Self.set, "--from-file FILE"),
      ("keychain slot add --new-from-stdin", "--new-from-file FILE"),
    ] {
      let run = try await shell("echo '\(line)' | $0 --home h")
      #expect(run.status == .exited(64), "\(run.errorText)")
      #expect(run.errorText.contains("use \(option), or"), "\(run.errorText)")
    }
  }

  /// `KeychainConformance` stores a mebibyte, which takes a debug program half a minute here.
  @Test("a byte more than a mebibyte is an error that stores nothing, from a file too")
  func limit() async throws {
    let over = try await shell("head -c 1048577 /dev/zero | $0 --home h \(Self.set)")
    #expect(over.status == .exited(65), "\(over.errorText)")
    let file = try await shell(
      "head -c 1048577 /dev/zero > big; $0 --home h keychain set k --from-file big")
    #expect(file.status == .exited(65), "\(file.errorText)")
    #expect(over.errorText.contains("1048576"), "\(over.errorText)")
    #expect(try await stored() == Array("old".utf8))
  }

  @Test("a keychain that does not open is told before standard input is read")
  func openedFirst() async throws {
    let run = try await program.shell(
      "echo new | ($0 --home h \(Self.set); cat)", environment: [:])
    #expect(run.errorText.contains("SWIFTBOARD_PASSPHRASE_FILE"), "\(run.errorText)")
    #expect(run.outputText == "new\n")
  }

  @Test("at a prompt it is refused, and the help says how to be asked")
  func prompt() async throws {
    let terminal = try program.startOnTerminal(
      "--ascii", "--home", "h", "--no-init", environment: Self.keychain)
    #expect(await terminal.waitForOutput("board> "))
    terminal.type("\(Self.set)\r")
    #expect(
      await terminal.waitForOutput("lines are typed on standard input"), "\(terminal.outputText)")
    #expect(await terminal.waitForOutput("board> ", count: 2), "\(terminal.outputText)")
    #expect(terminal.outputText.contains("the value is asked for"))
    terminal.type("exit\r")
    _ = await terminal.wait()
    #expect(try await stored() == Array("old".utf8))
  }

  @Test("a replay of a recording sends no file's bytes into the keychain")
  func liveReplay() async throws {
    let recorded = try await shell("cat value0 | $0 --home h --record r.jsonl \(Self.set)")
    #expect(recorded.status == .exited(64), "\(recorded.errorText)")
    try program.folder.write("session replay r2.jsonl --live\n", to: "replay.sb")
    let again = try await shell(
      "echo v | $0 --home h --record r2.jsonl -c '\(Self.set)' && $0 --home h < replay.sb")
    #expect(again.status != .exited(0), "\(again.errorText)")
    #expect(try await stored() == Array("v\n".utf8))
  }

  @Test(
    "a descriptor that is closed stays unusable: nothing that is opened later takes its number",
    arguments: ["$0 --home h <&-", "$0 --home h echo x >&-"])
  func closedDescriptors(line: String) async throws {
    let run = try await shell(line)
    #expect(run.status == .exited(74), "\(run.errorText)")
    #expect(run.errorText.contains("Bad file descriptor"), "\(run.errorText)")
  }

  // MARK: By another name

  @Test(
    "a path that is standard input is refused where lines come from there, and nothing is stored",
    arguments: ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"],
    ["cat s.sb | $0 --home h", "$0 --home h < s.sb", "cat s.sb | $0 --home h -f -"])
  func pathInAScript(path: String, line: String) async throws {
    for command in ["keychain set k --from-file \(path)", "db put d u @\(path)"] {
      try program.folder.write("\n\(command)\necho after\n", to: "s.sb")
      let run = try await shell(line)
      #expect(run.status == .exited(64), "\(run.errorText)")
      #expect(run.errorText.contains("where these lines come from"), "\(run.errorText)")
      #expect(!run.errorText.contains("saved"))
      #expect(!run.outputText.contains("after"))
    }
    #expect(try await stored() == Array("old".utf8))
  }

  @Test(
    "a path that is standard input is read from descriptor 0",
    arguments: ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"],
    ["cat value | LINE", "LINE < value", "(read first; LINE) < lines"])
  func pathTaken(path: String, line: String) async throws {
    try program.folder.write(Self.value, to: "value")
    try program.folder.write(Array("first\n".utf8) + Self.value, to: "lines")
    let run = try await shell(
      line.replacing("LINE", with: "$0 --home h keychain set k --from-file \(path)"))
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try await stored() == Self.value)
    let put = try await shell("echo '{\"a\":1}' | $0 --home h db put d u @\(path)")
    #expect(put.status == .exited(0), "\(put.errorText)")
  }

  @Test(
    "a path that is standard input with nothing left is refused, and the old secret stays",
    arguments: [
      "$0 --home h keychain set k --from-file /dev/stdin < /dev/null",
      ": | $0 --home h keychain set k --from-file /dev/stdin",
      "echo new | $0 --home h -c 'keychain set o --from-stdin' -c 'keychain set k --from-file /dev/stdin'",
    ])
  func pathWithNothingLeft(line: String) async throws {
    let run = try await shell(line)
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains("nothing is left of standard input"), "\(run.errorText)")
    #expect(try await stored() == Array("old".utf8))
  }

  @Test(
    "/dev/null by its own name is an empty file, also where it is standard input",
    arguments: ["/dev/null", "link"])
  func emptyDevice(path: String) async throws {
    let server = try TestHTTPServer { _ in .response(.init(json: "{}")) }
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.path("link"), withDestinationPath: "/dev/null")
    let post = "$0 --home h api post \(server.origin)"
    let empty = try await shell("\(post) @\(path) < /dev/null")
    #expect(empty.status == .exited(0), "\(empty.errorText)")
    #expect(server.requests.map(\.body) == [[]])
    for path in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
      let run = try await shell("\(post) @\(path) < /dev/null")
      #expect(run.status == .exited(64), "\(path): \(run.errorText)")
    }
    #expect(server.requests.count == 1)
  }

  @Test("a file by its own name is read whole, also where it is standard input")
  func ownName() async throws {
    try program.folder.write("first\nsecond\n", to: "lines")
    let run = try await shell(
      "(read first; $0 --home h keychain set k --from-file lines) < lines")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(try await stored() == Array("first\nsecond\n".utf8))
  }

  @Test("a value that takes the place of another one is said to")
  func replaced() async throws {
    let again = try await shell("echo new | $0 --home h \(Self.set)")
    #expect(again.errorText.contains("replaced the value of 'k'"), "\(again.errorText)")
    let other = try await shell("echo new | $0 --home h keychain set other --from-stdin")
    #expect(other.errorText.contains("saved; use it as {{secret:other}}"), "\(other.errorText)")
  }

  @Test("a new keychain without a secret says what it needs and where that can come from")
  func initWithoutSource() async throws {
    let run = try await program.run(["--home", "new", "keychain", "init"])
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.errorText.contains("a new keychain needs a passphrase or a key file"))
    for name in ["PASSPHRASE_FILE", "PASSPHRASE_FD", "KEY_FILE"] {
      #expect(run.errorText.contains("SWIFTBOARD_\(name)"), "\(run.errorText)")
    }
    #expect(!run.errorText.contains("locked"), "\(run.errorText)")
  }

  @Test("Ctrl-\\ at a hidden prompt is no part of the secret")
  func quitKey() async throws {
    let terminal = try program.startOnTerminal(
      "--home", "h", "keychain", "set", "k", environment: Self.keychain)
    #expect(await terminal.waitForOutput("value of k: "), "\(terminal.outputText)")
    terminal.type("pass\u{1C}!\r")
    #expect(await terminal.waitForOutput("once more: "), "\(terminal.outputText)")
    terminal.type("pass!\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
    #expect(try await stored() == Array("pass!".utf8))
  }

  @Test("after an arrow key, a hidden prompt asks again, at most twice", arguments: [1, 3])
  func arrowKey(count: Int) async throws {
    let terminal = try program.startOnTerminal(
      "--home", "h", "keychain", "set", "k", environment: Self.keychain)
    for asked in 1...count {
      #expect(
        await terminal.waitForOutput("value of k: ", count: asked), "\(terminal.outputText)")
      terminal.type("pa\u{1B}[Dss\r")
    }
    if count < 3 {
      for prompt in ["value of k: ", "once more: "] {
        #expect(
          await terminal.waitForOutput(prompt, count: prompt == "value of k: " ? count + 1 : 1),
          "\(terminal.outputText)")
        terminal.type("pass!\r")
      }
    }
    #expect(await terminal.wait() == .exited(count < 3 ? 0 : 64), "\(terminal.outputText)")
    #expect(!terminal.outputText.contains("pass!"), "\(terminal.outputText)")
    if count < 3 { #expect(try await stored() == Array("pass!".utf8)) }
  }
}
