import SwiftBoardCommandLine

extension ProgramOptions {
  /// The text of `swiftboard --help`, without the list of commands.
  package static func help(width: Int = 80) -> String {
    let specs =
      ProgramOption.allSpecs
    return """
      swiftboard: an interactive board for HTTP services, documents and secrets

      Examples
        swiftboard                                  lines from a terminal or a pipe
        swiftboard --environment preview api get sample/character/1
        swiftboard -c 'db stats' -c 'log stats'
        swiftboard -f demo.sb first second          $1 is first, $2 is second

      Usage
        swiftboard [OPTIONS] [COMMAND ...]
        swiftboard [OPTIONS] -c LINE [-c LINE ...]
        swiftboard [OPTIONS] -f FILE [ARGUMENT ...]

      Options

      """ + HelpText.options(specs, width: width)
        + """

        'swiftboard help' lists the commands. SWIFTBOARD_OUTPUT, SWIFTBOARD_HOME and
        so on hold defaults for options; no option and no variable takes a secret.

        """
  }
}
