import SwiftBoardCommandLine
import SwiftBoardJSON

extension ProgramOptions {
  private static let summary = "an interactive board for HTTP services, documents and secrets"
  private static let examples = [
    ("swiftboard", "lines from a terminal or a pipe"),
    ("swiftboard --environment preview api get sample/character/1", ""),
    ("swiftboard -c 'db stats' -c 'log stats'", ""),
    ("swiftboard -f demo.sb first second", "$1 is first, $2 is second"),
  ]
  private static let usage = [
    "swiftboard [OPTIONS] [COMMAND ...]", "swiftboard [OPTIONS] -c LINE [-c LINE ...]",
    "swiftboard [OPTIONS] -f FILE [ARGUMENT ...]",
  ]
  private static let details =
    "'swiftboard help' lists the commands. SWIFTBOARD_OUTPUT, SWIFTBOARD_HOME and so on hold "
    + "defaults for options; no option and no variable takes a secret."

  /// The text of `swiftboard --help`, without the list of commands, in lines of at most `width`
  /// columns.
  package static func help(width: Int = 80) -> String {
    HelpText.wrapped("swiftboard: \(summary)", width: width, indent: 0, hanging: 0)
      + "\nExamples\n" + HelpText.rows(examples, width: width, indent: 2)
      + "\nUsage\n"
      + usage.map { HelpText.wrapped($0, width: width, indent: 2, hanging: 6) }.joined()
      + "\nOptions\n" + HelpText.options(ProgramOption.allSpecs, width: width) + "\n"
      + HelpText.wrapped(details, width: width, indent: 0, hanging: 0)
  }

  /// What `swiftboard --help` says as a value, in the form of `CommandTable.helpValue(for:)`.
  static var helpValue: JSON {
    .array([
      .object([
        .init("command", "swiftboard"), .init("summary", .string(summary)),
        .init("usage", .string(usage.joined(separator: "\n"))), .init("details", .string(details)),
        .init("arguments", .array([])),
        .init("options", .array(ProgramOption.allSpecs.map(\.helpValue))),
        .init("examples", .array(examples.map { .string($0.0) })),
      ])
    ])
  }
}
