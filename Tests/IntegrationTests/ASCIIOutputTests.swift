import SwiftBoardTestSupport
import Testing

/// Without a UTF-8 locale, or with `--ascii`, the program's own text is ASCII.
@Suite("ASCII output", .timeLimit(.minutes(20)))
struct ASCIIOutputTests {
  @Test(
    "failures are ASCII",
    arguments: [
      #"echo "\q""#, #"session verify bad.jsonl"#, "session verify open.jsonl",
      "session state bad.jsonl", #"db preference set a '{"a":1,"a":2}'"#,
    ])
  func failures(line: String) async throws {
    let program = try Program()
    try program.folder.write("{\"k\":\"log\"}\n", to: "bad.jsonl")
    try program.folder.write("{\"x\":1}\n", to: "open.jsonl")
    for run in [
      try await program.run(["--home", "h", "-c", line], environment: ["LANG": "C"]),
      try await program.run("--home", "h", "--ascii", "-c", line),
    ] {
      #expect(run.status != .exited(0))
      #expect(run.errorText.utf8.allSatisfy { $0 < 0x80 }, "\(run.errorText)")
      #expect(run.outputText.utf8.allSatisfy { $0 < 0x80 }, "\(run.outputText)")
    }
  }

  @Test(
    "bytes that are not UTF-8 are shown in ASCII",
    arguments: [
      (["--ascii", "-x", "-f", "s.sb"], #"+ echo a\u{fffd}b"#),
      (["--ascii", "-x", "-c", "source s.sb"], #"\n  echo a\u{fffd}b\n"#),
      (["--ascii", "-k", "-c", "session verify s.sb"], #"found "echo a\u{fffd}b""#),
      (["--ascii", "-k", "-c", "session verify s.sb t.sb"], #"found "echo c\u{fffd}""#),
      (["--json", "-x", "-f", "s.sb"], #""+ echo a\ufffdb""#),
    ])
  func notUTF8(words: [String], shown: String) async throws {
    let program = try Program()
    try program.folder.write(Array("echo a".utf8) + [0xFF] + Array("b\n".utf8), to: "s.sb")
    try program.folder.write(Array("echo c".utf8) + [0xFF, UInt8(ascii: "\n")], to: "t.sb")
    let run = try await program.run(["--home", "h"] + words, environment: ["LANG": "C"])
    #expect(run.status == .exited(65))
    #expect(run.error.allSatisfy { $0 < 0x80 }, "\(run.errorText)")
    #expect(run.errorText.contains(shown.replacing("\\n", with: "\n")), "\(run.errorText)")
  }

  @Test("an argument that is not UTF-8 is shown in ASCII")
  func argumentNotUTF8() async throws {
    let program = try Program()
    for (option, shown) in [
      ("--ascii", #"not UTF-8: a\u{fffd}"#), ("--json", #"not UTF-8: a\ufffd"#),
    ] {
      let run = try await program.shell(
        #"exec "$0" --home h \#(option) echo "$(printf 'a\377')""#, environment: ["LANG": "C"])
      #expect(run.status == .exited(64))
      #expect(run.error.allSatisfy { $0 < 0x80 }, "\(run.errorText)")
      #expect(run.errorText.contains(shown), "\(run.errorText)")
    }
  }

  /// The files in which the program's own text has other characters, which they write, or what
  /// prints them writes, only where the output may have them.
  private static let othersThanASCII = [
    "Sources/Board/Program/ActivityLine.swift",
    "Sources/Dependencies/Logging/Redaction/RedactionMark.swift",
    "Sources/Store/Diff/LimitedLines.swift", "Sources/Store/Diff/ValueDiff.swift",
  ]

  @Test("the texts in the program's sources are ASCII, apart from those that are chosen by locale")
  func sources() throws {
    let folders = [
      "Board", "CommandLine", "Dependencies", "Features", "JSON", "Recording", "Store", "System",
      "swiftboard",
    ]
    var found: [String] = []
    for file in try folders.flatMap({ try SourceTree.swiftFiles(in: "Sources/\($0)") })
    where !Self.othersThanASCII.contains(file) {
      for line in try SourceTree.text(file).utf8.split(separator: UInt8(ascii: "\n"))
      where line.contains(where: { $0 >= 0x80 }) {
        let line = Substring(line)
        // Comments are not printed.
        let comment = line.firstRange(of: #/(^|\s)///#)?.lowerBound ?? line.endIndex
        if line[..<comment].utf8.contains(where: { $0 >= 0x80 }) {
          found.append("\(file): \(line)")
        }
      }
    }
    #expect(found == [])
  }

  /// A recording of everything that is shortened, and one whose last digest is another.
  private static func recorded() async throws -> Program {
    let program = try Program()
    let long = String(repeating: "long ", count: 100)
    let run = try await program.run(
      [
        "--environment", "mock", "--home", "h", "--record", "r.jsonl", "-c",
        "session mark \(String(repeating: "mark-", count: 20))", "-c", "!api get http://h/?q=1",
        "-c", "db put c 1 {\"a\":[1,2]}", "-c", "!state no.such",
      ] + (1...3).flatMap { ["-c", "set a '\(long)\($0)\(long)'", "-c", "echo '\($0) \(long)'"] })
    try #require(run.status == .exited(0), "\(run.errorText)")
    let recording = try program.text("r.jsonl")
    let digest = try #require(
      recording.ranges(of: #"","sum""#).last.map { end in
        recording[recording.index(end.lowerBound, offsetBy: -22)..<end.lowerBound]
      })
    try program.folder.write(
      resealed(recording.replacing(digest, with: "xxh64:0000000000000000")), to: "differs.jsonl")
    try program.folder.write(
      resealed(recording.replacing("\(long)3\(long)", with: "\(long)4\(long)")), to: "live.jsonl")
    try program.folder.write(String(recording.dropLast(9)), to: "cut.jsonl")
    try program.folder.write(
      recording.replacing("long long", with: "long Long"), to: "damaged.jsonl")
    return program
  }

  private static let lines = [
    "session timeline r.jsonl", "session timeline cut.jsonl --by user", "session stats r.jsonl",
    "session diff r.jsonl 1 end", "session diff r.jsonl 10 12 --path shell.variables",
    "session graph r.jsonl", "session graph r.jsonl --by shell.variables.a",
    "session graph r.jsonl --causes", "session graph r.jsonl --causes --range 1..3",
    "session action r.jsonl 2", "session state --at 3 --file r.jsonl", "session test r.jsonl",
    "session bisect r.jsonl --assert 'shell.variables.a !exists' --linear",
    "session screenshot r.jsonl", "session replay r.jsonl", "session replay r.jsonl --live",
    "session verify r.jsonl differs.jsonl cut.jsonl damaged.jsonl no.jsonl",
    "session verify differs.jsonl --format tap", "session verify differs.jsonl --format junit",
    "session replay differs.jsonl", "session timeline damaged.jsonl",
    "session replay live.jsonl --live", "session fork 3 fork.jsonl --file cut.jsonl",
    "log note '\(String(repeating: "word ", count: 3000))'", "log tail", "log stats",
    "log tail -o plain",
    "help", "help session", "help line", "help api", "doctor", "manual", "completions bash",
    "api stats", "api recent", "db stats", "keychain status", "alias", "session status", "tutorial",
    "!bogus", "!echo $none", "!session goto 3", "!api get http://h/ --timeout 0",
  ]

  @Test("nothing that a command says is beyond ASCII") func commands() async throws {
    let program = try await Self.recorded()
    for (options, language) in [(["--ascii"], "C.UTF-8"), (["--json"], "C")] {
      _ = try await program.shell("rm -f fork.jsonl")
      // Only the live log has a file.
      for environment in ["live", "mock"] {
        let lines = Self.lines.filter { $0.hasPrefix("log ") == (environment == "live") }
        let run = try await program.run(
          ["--environment", environment, "--home", "h", "-k"] + options
            + lines.flatMap { ["-c", $0] }, environment: ["LANG": language])
        #expect(run.outputText.utf8.count > 1000)
        for text in [run.outputText, run.errorText] {
          let others = text.split(separator: "\n").filter { $0.utf8.contains { $0 >= 0x80 } }
          #expect(others == [])
        }
      }
    }
  }
}
