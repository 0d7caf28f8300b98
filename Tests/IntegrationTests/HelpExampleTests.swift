import SwiftBoardCommandLine
import SwiftBoardFeatures
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard

/// The examples of help, run as they stand there with the sample data of the preview, behind lines
/// and beside files that make what they name.
@Suite(.timeLimit(.minutes(20)))
struct HelpExampleTests {
  static let examples = BoardFeatures.all.commands.specs.flatMap(\.examples)

  /// Lines that run before examples that begin with a text: they make what the examples name.
  private static let preparations = [
    "alias tea": ["alias tea 'db get tea'"], "unalias tea": ["alias tea 'db get tea'"],
    "keychain check backup": ["keychain export backup.sbkc"],
    "keychain import": ["keychain export backup.sbkc"],
    "keychain slot remove": ["keychain slot add", "keychain slot add --key-file usb/board.key"],
  ]

  @Test("every example of help works where there is what it names", arguments: examples)
  func everyExampleWorks(example: String) async throws {
    let program = try await Self.program(for: example)
    let isAtTerminal = example.hasPrefix("keychain ")
    var (options, lines) = (["--environment", "preview"], isAtTerminal ? [] : Self.usual)
    if example.hasPrefix("session "), !example.hasPrefix("session record") {
      options += ["--record", "running.actions.jsonl"]
      lines.append("session mark before-login")
    }
    // What is in memory only has no file to copy.
    if ["db backup", "db recover"].contains(where: example.hasPrefix) {
      (options, lines) = (["--home", "h"], ["db put places london {}"])
    }
    lines += Self.preparations.first { example.hasPrefix($0.key) }?.value ?? []
    // What has no end is cancelled at the end of the lines.
    lines.append(try Self.isEndless(example) ? example + " &" : example)
    let arguments = options + lines.flatMap { ["-c", $0] }

    let (status, text) =
      isAtTerminal
      ? try await Self.runAtTerminal(program, arguments)
      : try await Self.run(program, arguments)
    #expect(Self.isExpected(status, of: example), "\(status) \(text)")
  }

  @Test("every preparation is one of an example") func everyPreparationIsUsed() {
    for start in Self.preparations.keys {
      #expect(Self.examples.contains { $0.hasPrefix(start) }, "\(start)")
    }
  }

  @Test("the examples of --help work as they stand") func programExamples() async throws {
    let program = try await Self.program()
    let help = try await program.run("--help").outputText
    let examples = help.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("  swiftboard "), !line.contains("[") else { return nil }
      return String(line)
    }
    #expect(examples.count == 4)
    let folder = try Program.executable().dropLast("/swiftboard".count)
    for example in examples {
      // The words behind two blanks say what the example does.
      let line = String(example.dropFirst(2).prefix(upTo: example.dropFirst(2).commentStart))
      let outcome = try await program.shell(
        line + " < /dev/null", environment: ["PATH": "\(folder):/usr/bin:/bin"])
      #expect(outcome.status == .exited(0), "\(line): \(outcome.errorText)")
    }
  }

  // MARK: The folder

  private static let usual = [
    "set page 2", "api get sample/character page==1 --save first-page",
    "api get sample/character/1",
  ]

  /// A program with the files that an example names, and a home without a keychain.
  private static func program(for example: String = "") async throws -> Program {
    let program = try Program()
    try program.makeFolder("usb")
    let recording = try await recording.value
    // A new recording needs a new file.
    for name in ["bug", "a", "b"] where !example.hasPrefix("session record") {
      try program.folder.write(recording, to: "\(name).actions.jsonl")
    }
    try program.folder.write("key of radarr\n", to: "key")
    try program.folder.write("another passphrase\n", to: "new")
    try program.folder.write("set name tea\n", to: "setup.sb")
    try program.folder.write("echo $1 $2\n", to: "demo.sb")
    try program.folder.write(
      """
      {"swiftboard":"db export","version":1}
      {"document":{"collection":"films","id":"dune","updated":1767225600000000,"body":{}}}

      """, to: "all.jsonl")
    return program
  }

  /// A recording with a mark, whose last line fails.
  private static let recording = Task {
    let program = try Program()
    let outcome = try await program.run(
      "--environment", "preview", "--record", "bug.actions.jsonl", "--keep-going", "-c",
      "api get sample/character/1", "-c", "session mark before-login", "-c",
      "db get characters 1", "-c", "echo hello", "-c", "characters show 1", "-c",
      "db get notes nothing")
    try #require(outcome.status == .exited(66), "\(outcome.errorText)")
    return try program.folder.read("bug.actions.jsonl")
  }

  // MARK: Running

  private static func isEndless(_ example: String) throws -> Bool {
    guard case .commands(let list) = LineParser.parse(example) else { return false }
    let words = try list.commands[0].words.map { word in
      try word.expanded(variables: { _ in "value" }, last: { _ in .object([]) })
    }
    return try BoardFeatures.all.commands.parse(words: words).output.isEndless
  }

  private static func isExpected(_ status: SwiftBoardTestSupport.ExitStatus, of example: String)
    -> Bool
  {
    let words = example.split(separator: " ")
    if words[0] == "exit" { return status == .exited(Int32(words.last ?? "") ?? 0) }
    if example.hasPrefix("session diff"), status == .exited(1) { return true }
    return status == .exited(0)
  }

  private static func run(
    _ program: Program, _ arguments: [String]
  ) async throws -> (SwiftBoardTestSupport.ExitStatus, String) {
    let outcome = try await program.run(arguments)
    return (outcome.status, outcome.errorText)
  }

  /// Answers each question for a secret.
  private static func runAtTerminal(
    _ program: Program, _ arguments: [String]
  ) async throws -> (SwiftBoardTestSupport.ExitStatus, String) {
    let terminal = try PtyProcess(
      try Program.executable(), arguments, environment: program.environment(),
      folder: program.folder.path)
    var questions = 1
    while await terminal.waitForOutput(": ", count: questions) {
      terminal.type("correct horse\r")
      questions += 1
    }
    return (await terminal.wait(), terminal.outputText)
  }
}

extension Substring {
  /// Where two blanks begin.
  fileprivate var commentStart: Index { firstRange(of: "  ")?.lowerBound ?? endIndex }
}
