import SwiftBoardFeatures
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardCommandLine

@Suite struct ShellWordsTests {
  private static let table = CommandTable<Int>(
    [
      CommandSpec(
        ["api", "get"], "", arguments: [ArgumentSpec("target", "", kind: .target)],
        options: [OptionSpec("out", short: "o", value: "FILE", "", kind: .file)]
      ) { _ in 0 },
      CommandSpec(["db", "list"], "", arguments: [ArgumentSpec("name", "", kind: .collection)]) {
        _ in 0
      },
    ], globals: ProgramOptions.globals)

  private static func answer(_ words: [String], _ values: [String] = []) -> [String]? {
    ShellWords(words).completion(in: table)?.wholeWords(values.map { .init($0) })
  }

  @Test(
    "the words of a command follow the program's options",
    arguments: [
      ([""], ["api", "db"]), (["-q", "d"], ["db"]), (["--home", "h", "db", ""], ["list"]),
      (["--home=h", "a"], ["api"]), (["-qo", "json", "a"], ["api"]), (["-ojson", "a"], ["api"]),
      (["-o", "pl"], ["plain"]), (["--output", "ta"], ["table"]), (["-qo", "c"], ["csv"]),
      (["--color=al"], ["--color=always"]), (["--ho"], ["--home"]),
      (["-q", "--comm"], ["--command"]),
      (["api", "get", "x", "--ou"], ["--output", "--out"]), (["--", "d"], ["db"]),
    ])
  func words(words: [String], expected: [String]) {
    #expect(Set(Self.answer(words) ?? []) == Set(expected))
  }

  @Test(
    "the kinds of values that a shell or the program knows",
    arguments: [
      (["api", "get", "s"], ValueKind.target),
      (["db", "list", ""], .collection), (["-f", ""], .file), (["-f", "x.sb", "a", ""], .file),
      (["-fx.sb", ""], .file), (["--home", ""], .directory), (["--config="], .file),
      (["api", "get", "x", "--out", "f"], .file), (["api", "{{secret:a"], .secret),
    ])
  func kinds(words: [String], kind: ValueKind) {
    #expect(ShellWords(words).completion(in: Self.table)?.kind == kind)
  }

  @Test("nothing is known of a line, a number and an unknown option")
  func nothing() {
    for words in [["-c", "api"], ["--seed", "1"], ["--nope", "--nope"], ["db", "list", "-x="]] {
      #expect(Self.answer(words).map { $0.isEmpty } ?? true, "\(words)")
    }
  }

  @Test(
    "nothing is offered where the program refuses what comes",
    arguments: [
      ["-c", "echo a", ""], ["-cx", "--", ""], ["-c", "x", "-f", ""], ["-c", "x", "api", "g"],
      ["--nope", ""], ["--nope", "--js"], ["-qZ", ""], ["--quiet=1", ""],
    ])
  func refused(words: [String]) {
    #expect(ShellWords(words).completion(in: Self.table) == nil, "\(words)")
  }

  @Test("options follow a line") func optionsBehindALine() {
    #expect(Self.answer(["-c", "echo a", "--ho"]) == ["--home"])
  }

  @Test("values keep what stands before them in the word")
  func heads() {
    #expect(Self.answer(["api", "x{{secret:k"], ["key", "other"]) == ["x{{secret:key}}"])
    #expect(ShellWords(["--config=a"]).completion(in: Self.table)?.head == "--config=")
  }

  @Test("the options before the last word are those of the run")
  func options() {
    #expect(ShellWords(["--home", "h", "-q", "api", "--x", ""]).options == ["--home", "h", "-q"])
    #expect(ShellWords(["--home", "h"]).options == [])
    #expect(ShellWords([]).options == [])
  }
}
