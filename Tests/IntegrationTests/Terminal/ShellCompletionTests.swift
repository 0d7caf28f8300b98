import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The completion scripts in the shells they are for, each on a terminal of its own.
@Suite(.timeLimit(.minutes(20)))
struct ShellCompletionTests {
  /// A shell, and how it starts without anything of the user's.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var path: String? {
      ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + rawValue }
        .first { access($0, X_OK) == 0 }
    }

    var arguments: [String] {
      switch self {
      case .bash: ["--noprofile", "--norc", "-i"]
      case .zsh: ["-f", "-i"]
      case .fish: ["--no-config", "-i"]
      }
    }

    /// What is typed before a line is completed.
    var beginning: String {
      switch self {
      case .bash:
        "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source ./script"
      case .zsh:
        "unsetopt beep zle_bracketed_paste; autoload -U compinit; compinit -D; source ./script"
      case .fish: "source ./script"
      }
    }
  }

  private static let lines: [(typed: String, words: [String])] = [
    ("key\tli\t", ["keychain", "list"]), ("--vers\t", ["--version"]),
    ("--home h api get rad\t", ["--home", "h", "api", "get", "radarr/"]),
    ("--home=h api get rad\t", ["--home=h", "api", "get", "radarr/"]),
    ("--home h api run wee\tx", ["--home", "h", "api", "run", "weekly", "x"]),
    ("--home h db list fil\t", ["--home", "h", "db", "list", "films"]),
    ("--home h db list 'two\t", ["--home", "h", "db", "list", "two words"]),
    ("--home h db get 'two words\t", ["--home", "h", "db", "get", "two words"]),
    ("--home h db list x\t", ["--home", "h", "db", "list", "x$(touch pwned)"]),
    ("--home h db list z\t", ["--home", "h", "db", "list", "z';touch pwned;'"]),
    ("-o js\tdb li\t", ["-o", "json", "db", "list"]),
    ("--output=js\tdb li\t", ["--output=json", "db", "list"]),
    ("session verify rec\t", ["session", "verify", "recording one.jsonl"]),
    ("--home fol\tdb", ["--home", "folder/db"]),
    ("--home nowhere db list fil\tx", ["--home", "nowhere", "db", "list", "filx"]),
    ("--environment pre\tdb", ["--environment", "preview", "db"]),
    ("--environment=pre\tdb", ["--environment=preview", "db"]),
    ("--home h --environment wor\tdb", ["--home", "h", "--environment", "work", "db"]),
    ("api post a/b @bod\t", ["api", "post", "a/b", "@body.json"]),
    ("api post a/b x=@bod\t", ["api", "post", "a/b", "x=@body.json"]),
    ("api post a/b x:=@bod\t", ["api", "post", "a/b", "x:=@body.json"]),
    ("api post a/b x@bod\t", ["api", "post", "a/b", "x@body.json"]),
    ("api post a/b @sub\tx", ["api", "post", "a/b", "@sub folder/x"]),
    ("api post a/b @sub\\ f\tx", ["api", "post", "a/b", "@sub folder/x"]),
    ("api post a/b x=@\tbod\t", ["api", "post", "a/b", "x=@body.json"]),
  ]

  /// Names that the open quotes do not quote: bash leaves them out.
  private static let quotedLines: [(typed: String, words: [String])] = [
    ("--home h db list \"x\t", ["--home", "h", "db", "list", "x$(touch pwned)"]),
    ("--home h db list 'z\t", ["--home", "h", "db", "list", "z';touch pwned;'"]),
  ]
  private static let bashLines: [(typed: String, words: [String])] = [
    ("--home h db list \"x\t\"", ["--home", "h", "db", "list", "x"]),
    ("--home h db list 'z\t'", ["--home", "h", "db", "list", "z"]),
    ("characters search sta\t\tx", ["characters", "search", "status==x"]),
    ("api post a/b k@'sub f\tx", ["api", "post", "a/b", "k@sub folder/x"]),
  ]

  private static func check(_ shell: Shell) async throws {
    let lines = lines + (shell == .bash ? bashLines : quotedLines)
    let path = try #require(shell.path)
    let program = try Program()
    let server = try TestHTTPServer()
    let filled = try await program.run(
      "--home", "h", "-c", "api service add radarr \(server.origin)", "-c", "db put films 1 {}",
      "-c", "db put 'two words' 1 {}", "-c", "db put 'x$(touch pwned)' 1 {}", "-c",
      "db put \"z';touch pwned;'\" 1 {}", "-c", "api get radarr/echo --save weekly")
    try #require(filled.status == .exited(0), "\(filled.errorText)")
    try program.folder.write("", to: "recording one.jsonl")
    try program.makeFolder("folder")
    try program.makeFolder("sub folder")
    try program.folder.write("{}", to: "body.json")
    try program.folder.write(#"{"environments":{"work":{}}}"#, to: "h/config.json")
    let script = try await program.run("completions", shell.rawValue)
    try program.folder.write(script.output, to: "script")
    let folder = try Program.executable().split(separator: "/").dropLast()
    let terminal = try PtyProcess(
      path, shell.arguments,
      environment: program.environment([
        "PATH": "/\(folder.joined(separator: "/")):/usr/bin:/bin", "TERM": "xterm", "PS1": "$ ",
        "fish_greeting": "",
      ]), folder: program.folder.path, columns: 200)
    terminal.type("\(shell.beginning); echo re''ady\r")
    try #require(await terminal.waitForOutput("ready\r"), "\(terminal.outputText)")
    for (index, line) in lines.enumerated() {
      // The words as the shell has them, behind the number of the line.
      terminal.type("swiftboard \(line.typed)\u{1}printf '<%s>' \(index) \u{5}; echo do''ne\r")
      try #require(
        await terminal.waitForOutput("done\r", count: index + 1), "\(terminal.outputText)")
      let expected = (["\(index)", "swiftboard"] + line.words).map { "<\($0)>" }.joined()
      #expect(
        terminal.outputText.contains(expected), "\(line.typed): \(terminal.outputText.suffix(600))")
    }
    terminal.type("exit\r")
    _ = await terminal.wait()
    #expect(!program.exists("nowhere") && !program.exists("pwned"))
  }

  @Test("bash", .enabled(if: Shell.bash.path != nil, "bash is not installed"))
  func bash() async throws { try await Self.check(.bash) }

  @Test("zsh", .enabled(if: Shell.zsh.path != nil, "zsh is not installed"))
  func zsh() async throws { try await Self.check(.zsh) }

  @Test("fish", .enabled(if: Shell.fish.path != nil, "fish is not installed"))
  func fish() async throws { try await Self.check(.fish) }

  @Test("asking for candidates creates and changes nothing, and prints no error")
  func untouched() async throws {
    let program = try Program()
    let filled = try await program.run("--home", "h", "-c", "db put films 1 {}")
    try #require(filled.status == .exited(0), "\(filled.errorText)")
    try program.makeFolder("bad")
    try program.folder.write("not a database", to: "bad/main.sqlite")
    let before = try program.files()
    let main = try program.folder.read("h/main.sqlite")
    for home in ["h", "bad", "none"] {
      for words in [
        ["db", "list", ""], ["api", "get", ""], ["api", "run", ""], ["keychain", "get", ""], [""],
        ["--nope", ""], ["-c", ""],
      ] {
        let run = try await program.run(["--complete", "--", "--home", home] + words)
        #expect(run.status == .exited(0) && run.errorText == "", "\(words): \(run.errorText)")
        if home == "h", words.first == "db" { #expect(run.outputText == "films\n") }
      }
    }
    #expect(try program.files() == before)
    #expect(try program.folder.read("h/main.sqlite") == main)
    // No program writes to this pipe.
    #expect(mkfifo(program.folder.path("pipe"), 0o600) == 0)
    let piped = try await program.run("--complete", "--", "--config", "pipe", "db", "li")
    #expect(piped.status == .exited(0) && piped.outputText.hasPrefix("list"))
  }
}
