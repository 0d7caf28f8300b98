import SwiftBoardCommandLine
import Testing

/// How the options of a word are read.
@Suite(.timeLimit(.minutes(20)))
struct OptionUseTests {
  private static let known = [
    OptionSpec(flag: "quiet", short: "q", "say less"),
    OptionSpec("lines", short: "n", value: "N", "how many"),
    OptionSpec(flag: "color", "use colors", negatable: true),
  ]

  private static func uses(_ word: Argument) throws -> [String] {
    try word.options(among: known) { UsageError("unknown \($0)") }.map { use in
      switch use.value {
      case .flag(let flag): "\(use.spelling) \(use.option.name) \(flag)"
      case .attached(let value): "\(use.spelling) \(use.option.name) \(value.shown)"
      case .next: "\(use.spelling) \(use.option.name) next"
      }
    }
  }

  @Test(
    "a word has one long option, or letters of which the last may take a value",
    arguments: [
      ("-q", ["-q quiet true"]), ("-qq", ["-q quiet true", "-q quiet true"]),
      ("-n", ["-n lines next"]), ("-n5", ["-n lines 5"]), ("-n=5", ["-n lines =5"]),
      ("-qn5", ["-q quiet true", "-n lines 5"]), ("-qn", ["-q quiet true", "-n lines next"]),
      ("--lines", ["--lines lines next"]), ("--lines=", ["--lines lines "]),
      ("--lines=a=b", ["--lines lines a=b"]), ("--color", ["--color color true"]),
      ("--no-color", ["--no-color color false"]),
    ])
  func uses(word: String, expected: [String]) throws {
    #expect(try Self.uses(Argument(word)) == expected)
  }

  @Test(
    "what no option is written like is unknown, and a flag takes no value",
    arguments: [
      ("-x", "unknown -x"), ("-qx", "unknown -x"), ("-xq", "unknown -xq"), ("--q", "unknown --q"),
      ("--no-quiet", "unknown --no-quiet"), ("--quiet=1", "--quiet takes no value"),
      ("--no-color=1", "--no-color takes no value"),
    ])
  func refused(word: String, message: String) {
    let error = #expect(throws: UsageError.self) { try Self.uses(Argument(word)) }
    #expect(error?.message == message)
  }

  @Test("a secret is the value behind an option that takes one, and otherwise no part of an option")
  func secrets() throws {
    func word(_ text: String) -> Argument { Argument(parts: [.text(text), .secret("s")]) }
    #expect(try Self.uses(word("--lines=")) == ["--lines lines {{secret:s}}"])
    #expect(try Self.uses(word("-qn")) == ["-q quiet true", "-n lines {{secret:s}}"])
    for text in ["--lines", "--color", "-q"] {
      let error = #expect(throws: UsageError.self) { try Self.uses(word(text)) }
      #expect(error?.message == "unknown \(text){{secret:s}}")
    }
  }
}
