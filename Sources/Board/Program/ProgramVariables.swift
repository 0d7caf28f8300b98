import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The environment variables that the program and its services read.
enum ProgramVariables {
  /// The names of the program's own variables, which begin with `SWIFTBOARD_`.
  static let names = ProgramOption.all.compactMap(\.variable) + UnlockSources.programVariables

  /// The names of variables, and what they are for.
  typealias Row = (names: [String], meaning: String)

  /// Returns the variables besides those of options, with what they are for, as the documents list
  /// them.
  ///
  /// - Parameter program: The name of the program.
  static func described(for program: String) -> [Row] {
    secrets + [folders(of: program)] + others
  }

  /// Returns whether a variable is one of the program's own or names the folders of its files. With
  /// repaired bytes, it would name other ones.
  static func mustBeUTF8(_ variable: String) -> Bool {
    variable == "HOME" || baseFolders.contains(variable) || names.contains(variable)
  }

  private static let baseFolders = [
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
  ]

  private static func folders(of program: String) -> Row {
    (
      baseFolders,
      "absolute folders, each with a folder \(program) for its files"
    )
  }

  private static let secrets: [Row] = [
    (
      ["SWIFTBOARD_PASSPHRASE_FILE", "SWIFTBOARD_PASSPHRASE_FD", "SWIFTBOARD_KEY_FILE"],
      "the file or the descriptor with the passphrase of the keychain, or its key file; one of them"
    ),
    (
      ["CREDENTIALS_DIRECTORY"],
      "the folder of the service manager (systemd), with swiftboard.passphrase or swiftboard.key"
    ),
  ]

  private static let others: [Row] = [
    (
      ["HOME"],
      "the folder of ~, and of .config, .local/share, .local/state and .cache where no XDG variable "
        + "names another one"
    ),
    (["TMPDIR"], "the folder for files of a live replay, otherwise /tmp"),
    (["PATH"], "where the pager and other programs are found"),
    (
      ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
      "the proxy for requests, by scheme and for both, also with a user and a password; HTTP_PROXY "
        + "is not read"
    ),
    (
      ["no_proxy", "NO_PROXY"],
      "hosts, domains, addresses and blocks of addresses (10.0.0.0/8) to reach without a proxy, "
        + "between commas; * for all"
    ),
    (
      ["CURL_CA_BUNDLE", "SSL_CERT_FILE"],
      "a PEM file with the authorities to trust instead of the system's, also for a proxy of "
        + "https; the first one counts"
    ),
    (["SSL_CERT_DIR"], "a folder of such files, named by hash"),
    (["NO_COLOR"], "if it is not empty, no colors; --color precedes it"),
    (
      ["CLICOLOR_FORCE"],
      "if it is not empty and not 0, colors off a terminal too; NO_COLOR precedes it"
    ),
    (
      ["TERM"],
      "if it is dumb, empty or not set, no line editor, and no escape sequences but colors that "
        + "--color or CLICOLOR_FORCE asks for"
    ),
    (["COLUMNS", "LINES"], "the size of a terminal that does not tell its own"),
    (
      ["LC_ALL", "LC_CTYPE", "LANG"],
      "text of the board is ASCII unless the first one that is not empty names UTF-8"
    ),
    (
      ["PAGER"],
      "the line of the shell that shows long output, otherwise less; an empty one is no pager"
    ),
    (["LESS"], "options of less, otherwise -FRX"),
    (["BROWSER"], "the programs that show a graph, between colons"),
  ]

  /// Returns the findings with a problem for set variables that nothing reads.
  ///
  /// - Parameter variables: The environment variables.
  static func findings(
    _ findings: [InstallationFinding], for variables: [String: String]
  ) -> [InstallationFinding] {
    let unknown = variables.keys.sorted().filter {
      $0.hasPrefix("SWIFTBOARD_") && !names.contains($0)
    }
    guard let first = unknown.first,
      let index = findings.firstIndex(where: { $0.subject == "variables" })
    else { return findings }
    var result = findings
    result[index] = InstallationFinding(
      "variables", .problem,
      "nothing reads \(unknown.joined(separator: ", "))",
      remedy: .other(
        Suggestion.advice(for: first, among: names)
          ?? "docs/configuration.md and 'manual' name the variables; none takes a secret"))
    return result
  }
}
