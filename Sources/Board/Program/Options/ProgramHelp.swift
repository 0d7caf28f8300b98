import SwiftBoardCommandLine
import SwiftBoardJSON

/// What `--help` says of the program, without the list of commands.
package struct ProgramHelp: Sendable {
  private let name: String
  private let summary: String
  private let examples: [(line: String, meaning: String)]

  /// Creates the help of the program that has these features.
  package init(_ features: FeatureList) {
    name = features.program.name
    summary = features.summary
    let name = name
    examples = [
      ("", "lines from a terminal or a pipe"),
      (" --environment preview api get sample/character/1", ""),
      (" -c 'db stats' -c 'log stats'", ""),
      (" -f demo.sb first second", "$1 is first, $2 is second"),
    ].filter { features.hasFeatures(in: $0.0) }.map { (name + $0.0, $0.1) }
  }

  /// The ways to call a program.
  static func usage(of name: String) -> [String] {
    [
      "\(name) [OPTIONS] [COMMAND ...]", "\(name) [OPTIONS] -c LINE [-c LINE ...]",
      "\(name) [OPTIONS] -f FILE [ARGUMENT ...]",
    ]
  }

  private var details: String {
    let following = ProgramOptions.globals.map { option in
      option.short.map { "-\($0)" } ?? option.synopsis.prefix { $0 != " " }.description
    }
    return "Behind a command too: \(following.joined(separator: " ")).\n"
      + "'\(name) help' lists the commands. SWIFTBOARD_OUTPUT, SWIFTBOARD_HOME and so on hold "
      + "defaults for options; no option and no variable takes a secret."
  }

  /// Returns the text in lines of at most `width` columns.
  package func text(width: Int = 80) -> String {
    HelpText.wrapped("\(name): \(summary)", width: width)
      + "\nExamples\n" + HelpText.rows(examples, width: width, indent: 2)
      + "\nUsage\n"
      + Self.usage(of: name).map {
        HelpText.wrapped($0, width: width, indent: 2, hanging: 6)
      }.joined()
      + "\nOptions\n" + HelpText.options(ProgramOption.allSpecs, width: width) + "\n"
      + HelpText.wrapped(details, width: width)
  }

  /// The same as a value, in the form of `CommandTable.helpValue(for:)`.
  var value: JSON {
    .array([
      [
        "command": .string(name), "summary": .string(summary),
        "usage": .string(Self.usage(of: name).joined(separator: "\n")), "details": .string(details),
        "arguments": .array([]), "options": .array(ProgramOption.allSpecs.map(\.helpValue)),
        "examples": .array(examples.map { .string($0.line) }),
      ]
    ])
  }
}
