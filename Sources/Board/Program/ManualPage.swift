import SwiftBoardCommandLine

/// The manual page of the program in the language of `man`, made from the table of commands.
package struct ManualPage: Sendable {
  /// The page.
  package let text: String

  /// Creates the page of the program that has these features.
  package init(_ features: FeatureList) {
    let name = features.program.name
    var page = Roff()
    page.add(
      #".TH \#(name.uppercased()) 1 "" "\#(features.program.title)" "User Commands""#)
    page.section("NAME")
    page.line("\(name) - \(features.summary)")
    page.section("SYNOPSIS")
    for usage in ProgramHelp.usage(of: name) {
      page.line(usage)
      page.add(".br")
    }
    page.section("DESCRIPTION")
    page.line(
      "Without a command, \(name) reads lines from a terminal or a pipe. Each line is a command "
        + "of the board. 'help line' explains quotes, variables, prefixes and redirections.")
    page.section("OPTIONS")
    for option in ProgramOption.allSpecs {
      page.item((option.short.map { "-\($0), " } ?? "") + option.synopsis, option.help)
    }
    page.section("COMMANDS")
    for spec in features.commands.specs {
      page.item(spec.synopsis, spec.summary + ".")
      if !spec.details.isEmpty {
        page.add(".IP")
        page.line(spec.details)
      }
      for argument in spec.arguments {
        page.add(".IP")
        page.line("\(argument.name.uppercased()): \(argument.help)")
      }
      for option in spec.options {
        page.add(".IP")
        page.line("\(option.synopsis): \(option.help)")
      }
      for example in spec.examples {
        page.add(".IP")
        page.add(".EX")
        page.line(example)
        page.add(".EE")
      }
    }
    page.section("EXIT STATUS")
    for (code, meaning) in Self.codes { page.item(code, meaning) }
    page.section("ENVIRONMENT")
    page.line(
      "SWIFTBOARD_OUTPUT, SWIFTBOARD_HOME and so on hold defaults for the options of the same name. "
        + "No variable of the program takes a secret.")
    for (names, meaning) in ProgramVariables.described(for: name) {
      page.item(names.joined(separator: ", "), "\(meaning).")
    }
    page.section("FILES")
    page.line(
      "$XDG_CONFIG_HOME/\(name), $XDG_DATA_HOME/\(name), $XDG_STATE_HOME/\(name) and "
        + "$XDG_CACHE_HOME/\(name), or the folder of --home.")
    let keys = ProgramOption.all.filter(\.isConfigurable).map(\.spec.name)
    page.item(
      "config.json",
      "Defaults of options, in $XDG_CONFIG_HOME/\(name): an object with the keys "
        + "\(keys.joined(separator: ", ")), environment, aliases and environments.")
    page.item(
      "init.sb", "Lines to run when the board starts at a terminal, in the same folder.")
    text = page.text
  }

  private static let codes = [
    ("0", "All lines succeeded."),
    (
      "1",
      "The answer is no: assert, session verify, session replay and session diff that differ, a "
        + "session bisect that finds nothing, a doctor that finds a problem."
    ),
    ("3, 4, 5", "The service answered with a status of 300, 400 or 500 and up."),
    ("64", "Usage: an unknown command or a bad argument."), ("65", "Malformed data."),
    ("66", "Not found: a file, document, service or secret."),
    ("69", "The service refused the connection or cannot be reached."),
    ("70", "An internal error."), ("73, 74", "A file cannot be created, read or written."),
    ("75", "A timeout."), ("76", "An error of TLS or of the protocol."),
    ("77", "The keychain is locked, or the passphrase is wrong."), ("78", "Configuration."),
    ("130, 143, 141", "SIGINT, SIGTERM, SIGPIPE; 128 and the number of another signal."),
  ]
}

/// Lines of a manual page.
private struct Roff {
  var text = ""

  /// Adds a line of the language itself.
  mutating func add(_ line: String) { text += line + "\n" }

  /// Adds text, with everything escaped that the language would read.
  mutating func line(_ line: String) {
    for part in line.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let escaped = part.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        .replacing("'", with: "\\(aq")
      add(escaped.hasPrefix(".") ? "\\&" + escaped : escaped)
    }
  }

  mutating func section(_ name: String) { add(".SH \(name)") }

  mutating func item(_ name: String, _ body: String) {
    add(".TP")
    add(".B")
    line(name)
    line(body)
  }
}
