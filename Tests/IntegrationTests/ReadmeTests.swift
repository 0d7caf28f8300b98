import SwiftBoardCommandLine
import SwiftBoardFeatures
import SwiftBoardTestSupport
import Testing

/// README against the program: its transcripts and its table of commands.
@Suite(.timeLimit(.minutes(20)))
struct ReadmeTests {
  @Test("a transcript is what its commands print, but for times") func transcripts() async throws {
    let program = try Program()
    let folder = try Program.executable().dropLast("/swiftboard".count)
    let parts = try Self.transcripts(of: SourceTree.text("README.md"))
    #expect(parts.count >= 10)
    for part in parts {
      if part.command.hasPrefix("cat ") {
        try program.folder.write(part.output, to: String(part.command.dropFirst(4)))
        continue
      }
      // At a terminal, JSON is indented.
      let terminal = try PtyProcess(
        "/bin/sh", ["-c", part.command],
        environment: program.environment(["PATH": "\(folder):/usr/bin:/bin"]),
        folder: program.folder.path)
      _ = await terminal.wait()
      // On a busy machine, progress was shown before the text.
      let text = terminal.outputText.replacing("\r\n", with: "\n").replacing(/[^\n]*\r/) { _ in "" }
        .withoutProgress
      #expect(
        Self.withoutTimes(text) == Self.withoutTimes(part.output), "$ \(part.command)\n\(text)")
    }
  }

  @Test(
    "a feature has a session among the transcripts",
    arguments: ["characters", "media", "downloads"]
  ) func sessions(feature: String) throws {
    let lines = try Self.transcripts(of: SourceTree.text("README.md")).filter {
      $0.command.hasPrefix("cat ")
    }.flatMap { $0.output.split(separator: "\n") }
    #expect(lines.contains { $0.hasPrefix(feature + " ") }, "README has no session of '\(feature)'")
  }

  @Test("the table of commands is that of the program") func commands() throws {
    let table = Self.table(of: BoardFeatures.all.commands)
    #expect(
      try SourceTree.text("README.md").contains("\n\n" + table + "\n"),
      "README's table of commands should be:\n\(table)")
  }

  // MARK: The page

  /// A command of a transcript, without its prompt, and what README has below it.
  private struct Part {
    var command: String
    var output = ""
  }

  private static func transcripts(of page: String) -> [Part] {
    var parts: [Part] = []
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        parts.append(Part(command: String(line.dropFirst(2))))
      } else if isInside, !parts.isEmpty {
        parts[parts.count - 1].output += line + "\n"
      }
    }
    return parts
  }

  /// The text with 0 for each digit of a number with six decimals, and without the heights of
  /// drawings, blank lines at its end, and the numbers of bytes of what is cut.
  private static func withoutTimes(_ text: String) -> String {
    var text = text
    while text.hasSuffix("\n") { text.removeLast() }
    return text.replacing(/\d+\.\d{6}\b/) { _ in "0.000000" }
      .replacing(/\(\d+ bytes\)/) { _ in "(0 bytes)" }
      .replacing(/[▁▂▃▄▅▆▇█]{8,}/) { _ in "▁" }
  }

  /// The first words of all commands, with those that may follow.
  private static func table<Output>(of commands: CommandTable<Output>) -> String {
    let rows = commands.words(after: []).map { word in
      let words = commands.specs.filter { $0.path.first == word }.map {
        $0.path.dropFirst().joined(separator: " ")
      }.filter { !$0.isEmpty }
      return words.isEmpty
        ? "" : "| `\(word)` | \(words.map { "`\($0)`" }.joined(separator: " ")) |\n"
    }
    let single = commands.words(after: []).filter { word in
      commands.specs.filter { $0.path.first == word }.map(\.path) == [[word]]
    }
    return "| feature | commands |\n| --- | --- |\n" + rows.joined()
      + "| the board | \(single.map { "`\($0)`" }.joined(separator: " ")) |"
  }
}
