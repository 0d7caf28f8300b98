/// The request to the program: the options before a command, and what to run.
///
/// An option that may also be in a configuration file is `nil` until it is given as a flag or a
/// variable; the caller puts the file's value or the default there. A flag wins over a variable.
///
/// Variables: `SWIFTBOARD_` and the option's name in capitals with `_` for `-`, such as
/// `SWIFTBOARD_OUTPUT=json` and `SWIFTBOARD_KEEP_GOING=1`, for every option but `--help`,
/// `--version`, `--json`, `--plain`, `-c` and `-f`. Flags take `1`, `true`, `yes`, `on` and `0`,
/// `false`, `no`, `off`; an empty variable is none. None holds a secret.
package struct ProgramOptions: Sendable, Hashable {
  /// The kind of run.
  package enum Mode: Sendable, Hashable {
    /// `--help`: usage on standard output, and nothing else runs.
    case help
    /// `--version`: the versions of the program and its libraries.
    case version
    /// No command: a person at a terminal, else a script on standard input.
    case standardInput
    /// `-c LINE`, once or more often.
    case lines([String])
    /// `-f FILE ARG…`; the file is `-` for standard input.
    case script(path: String, arguments: [String])
    /// A command's words, literal but for `{{…}}`.
    case oneShot([String])
  }

  /// When output has colours; `auto`: at a terminal that knows them, unless `NO_COLOR` is set.
  package enum ColorMode: String, Sendable, Hashable, CaseIterable { case auto, always, never }

  /// Which world the services belong to: the real one, a deterministic one in memory, or one of
  /// sample data.
  package enum Environment: String, Sendable, Hashable, CaseIterable { case live, mock, preview }

  /// The kind of run.
  package var mode = Mode.standardInput
  /// `-q`: no messages but errors.
  package var isQuiet = false
  /// How often `-v` was given.
  package var verbosity = 0
  /// `-o FORMAT`.
  package var output: OutputFormat?
  /// `--color WHEN`.
  package var color: ColorMode?
  /// `--ascii`: no character of our own beyond ASCII.
  package var ascii: Bool?
  /// `--no-pager` makes it `false`.
  package var usesPager: Bool?
  /// `false`: never prompt.
  package var allowsInput = true
  /// `--no-history` makes it `false`.
  package var keepsHistory: Bool?
  /// `--no-init` makes it `false`: `init.sb` is not run.
  package var runsInitFile = true
  /// Every file goes under this folder.
  package var home: String?
  /// The configuration file.
  package var config: String?
  /// `--environment NAME`.
  package var environment: Environment?
  /// `--offline`: nothing goes over the network.
  package var isOffline: Bool?
  /// `--timeout DUR`: the limit for each request.
  package var timeout: Duration?
  /// `-k`: run on after a failing line; the first failure's code is the exit status.
  package var keepGoing: Bool?
  /// `nil`: on in scripts and one-shot commands.
  package var checkStatus: Bool?
  /// `-x`: show each line before it runs.
  package var echo: Bool?
  /// The recording to write.
  package var record: String?
  /// `--seed N`: where all random numbers start.
  package var seed: UInt64?

  /// What holds where nothing is given.
  package init() {}

  /// Reads the program's arguments, without its name, and its environment.
  ///
  /// Options precede the command; the first word that is not an option starts it, `--` starts it in
  /// any case, and `-f` takes everything after its file as the script's arguments. `-h` and
  /// `--help` take precedence over errors in other options.
  ///
  /// - Throws: 64 for arguments, with columns in `LineParser.literalText(arguments)`; 78 for
  ///   variables.
  package static func parse(arguments: [String], environment: [String: String]) throws(UsageError)
    -> ProgramOptions
  {
    var parser = ProgramArgumentParser(arguments: arguments)
    do throws(UsageError) {
      var options = ProgramOptions()
      try options.applyVariables(environment)
      try parser.run(&options)
      return options
    } catch {
      guard parser.asksForHelp else { throw error }
      var options = ProgramOptions()
      options.mode = .help
      return options
    }
  }

  /// Puts in what came with a command, over what is there; see `CommandMatch.globals`.
  package func applying(_ values: OptionValues) throws(UsageError) -> ProgramOptions {
    var result = self
    for option in ProgramOption.all where option.followsCommands {
      if let flag = values.flag(option.spec.name) { try option.apply(.flag(flag), &result) }
      if let value = values.value(option.spec.name) {
        try option.apply(.value(value), &result)
      }
    }
    return result
  }

  /// The options that may also follow a command, for `CommandTable.globals`.
  package static var globals: [OptionSpec] {
    ProgramOption.all.filter(\.followsCommands).map(\.spec)
  }

  private mutating func applyVariables(_ environment: [String: String]) throws(UsageError) {
    for option in ProgramOption.all {
      guard let name = option.variable, let text = environment[name], !text.isEmpty else {
        continue
      }
      do throws(UsageError) {
        if !option.spec.isFlag {
          let value = Argument(text)
          try option.spec.kind.check(value, named: name)
          try option.apply(.value(value), &self)
        } else if let flag = Self.flag(text) {
          try option.apply(.flag(flag), &self)
        } else if option.spec.name == "verbose", let count = Int(text), (0...9).contains(count) {
          verbosity = count
        } else {
          throw UsageError("\(name) is 1 or 0, not '\(text)'")
        }
      } catch {
        throw UsageError(error.message, help: error.help, code: 78)
      }
    }
  }

  private static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }
}
