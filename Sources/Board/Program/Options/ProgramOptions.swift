import SwiftBoardCommandLine

/// The program's options, and what to run.
///
/// An option that may also be in a configuration file is `nil` unless a flag or a variable sets it.
/// The caller then uses the file's value or the default. A flag takes precedence over a variable.
///
/// Variables: `SWIFTBOARD_` and the option's name in capitals with `_` for `-`, such as
/// `SWIFTBOARD_OUTPUT=json` and `SWIFTBOARD_KEEP_GOING=1`, for every option except `--help`,
/// `--version`, `--json`, `--plain`, `-c` and `-f`. Flags accept `1`, `true`, `yes`, `on` and `0`,
/// `false`, `no`, `off`. An empty variable is ignored. No variable holds a secret.
package struct ProgramOptions: Sendable, Hashable {
  /// The kind of run.
  package enum Mode: Sendable, Hashable {
    /// `--help`: prints the usage on standard output and runs nothing.
    case help
    /// `--version`: prints the versions of the program and its libraries.
    case version
    /// No command: interactive at a terminal, otherwise a script on standard input.
    case standardInput
    /// `-c LINE`, given at least once.
    case lines([String])
    /// `-f FILE ARG…`, where the file `-` is standard input.
    case script(path: String, arguments: [String])
    /// The words of a command, literal except for `{{…}}`.
    case oneShot([String])
  }

  /// The kind of run.
  package var mode = Mode.standardInput
  /// `-q`: whether to print only errors.
  package var isQuiet = false
  /// The number of `-v` options.
  package var isVerbose = false
  /// `-o FORMAT`.
  package var output: OutputFormat?
  /// `--color WHEN`.
  package var color: ColorMode?
  /// `--ascii`: whether the program's own text is ASCII only.
  package var ascii: Bool?
  /// Whether to use a pager. `--no-pager` sets it to `false`.
  package var usesPager: Bool?
  /// Whether the program may prompt.
  package var allowsInput = true
  /// Whether to store a history. `--no-history` sets it to `false`.
  package var keepsHistory: Bool?
  /// Whether to run `init.sb`. `--no-init` sets it to `false`.
  package var runsInitFile = true
  /// The folder for all files.
  package var home: String?
  /// The configuration file.
  package var config: String?
  /// `--environment NAME`: a `BoardSettings.Environment`, or a name of the configuration file.
  package var environmentName: String?
  /// The environment of the services, once the configuration is known.
  package var environment: BoardSettings.Environment?
  /// The environment of the configuration file that is used, or `nil`.
  package var namedEnvironment: String?
  /// `home` as an option or a variable gives it. The configuration file is there.
  package var givenHome: String?
  /// Whether `--` stood before the command, so that none of its words is an option.
  package var hasEndedOptions = false
  /// The aliases of the configuration file.
  package var aliases: [String: String] = [:]
  /// `--offline`: whether to use no network.
  package var isOffline: Bool?
  /// `--timeout DUR`: the time limit for each request. Waiting for the lock of a database is none.
  package var timeout: Duration?
  /// `--completion-timeout DUR`: the time limit for finding the candidates of a completion.
  package var completionTimeout: Duration?
  /// `-k`: whether to continue after a failing line. The first failure determines the exit code.
  package var keepGoing: Bool?
  /// Whether an HTTP error status is a failure. By default, it is in scripts and one-shot commands.
  package var checkStatus: Bool?
  /// `-x`: whether to print each line before it runs.
  package var echo: Bool?
  /// The path of the recording to write.
  package var record: String?
  /// `--seed N`: the seed of all random numbers.
  package var seed: UInt64?

  /// Creates the default options.
  package init() {}

  /// Parses the program's arguments, without its name, and its environment.
  ///
  /// Options precede the command. The first word that is not an option starts the command, and so
  /// does `--`. After the file of `-f`, everything is an argument of the script. `-h` and `--help`
  /// take precedence over errors in other options.
  ///
  /// - Parameter configuration: Returns the configuration file of the options that name it.
  /// - Throws: 64 for arguments, with columns in `LineParser.literalText(arguments)`; 78 for
  ///   variables and for the configuration.
  package static func parse(
    arguments: [String], environment: [String: String],
    configuration: (ProgramOptions) throws(UsageError) -> ProgramConfiguration = {
      _ throws(UsageError) in ProgramConfiguration()
    }
  ) throws(UsageError) -> ProgramOptions {
    var parser = ProgramArgumentParser(arguments: arguments)
    do throws(UsageError) {
      var options = ProgramOptions()
      try options.applyVariables(environment)
      try parser.run(&options)
      guard options.mode != .help, options.mode != .version else { return options }
      options.givenHome = options.home
      return try options.configured(by: try configuration(options), arguments, environment)
    } catch {
      guard parser.asksForHelp else { throw error }
      var options = ProgramOptions()
      options.mode = .help
      return options
    }
  }

  /// Returns the same options, with those of a configuration where none was given.
  private func configured(
    by configuration: ProgramConfiguration, _ arguments: [String], _ variables: [String: String]
  ) throws(UsageError) -> ProgramOptions {
    var defaults = ProgramOptions()
    try ProgramConfiguration.apply(configuration.defaults, to: &defaults)
    if let name = environmentName ?? defaults.environmentName,
      BoardSettings.Environment(rawValue: name) == nil
    {
      guard let values = configuration.environments[name] else {
        var given = ProgramOptions()
        var parser = ProgramArgumentParser(arguments: arguments)
        try parser.run(&given)
        let known =
          BoardSettings.Environment.allCases.map(\.rawValue)
          + configuration.environments.keys.sorted()
        let source = ProgramOption.source(of: "environment", name, in: variables)
        throw UsageError(
          "there is no environment '\(name)'"
            + (given.environmentName == nil ? ", which \(source) names" : ""),
          help: Suggestion.advice(for: name, among: known)
            ?? "known are \(known.joined(separator: ", ")); config.json may name others",
          kind: given.environmentName == nil ? .configuration : .usage)
      }
      defaults.environmentName = nil
      try ProgramConfiguration.apply(values, to: &defaults)
      defaults.namedEnvironment = name
      defaults.environment =
        defaults.environmentName.flatMap { BoardSettings.Environment(rawValue: $0) } ?? .live
    }
    defaults.givenHome = givenHome
    var options = defaults
    var parser = ProgramArgumentParser(arguments: arguments)
    try options.applyVariables(variables)
    try parser.run(&options)
    options.aliases = configuration.aliases
    options.environment =
      options.environment
      ?? options.environmentName.flatMap { BoardSettings.Environment(rawValue: $0) }
    return options
  }

  /// Returns the options overridden by those given with a command; see `CommandMatch.globals`.
  package func applying(_ values: OptionValues) throws(UsageError) -> ProgramOptions {
    var result = self
    for name in values.names {
      guard let option = ProgramOption.all.first(where: { $0.spec.name == name }) else { continue }
      if let flag = values.flag(option.spec.name) { try option.apply(.flag(flag), &result) }
      if let value = values.value(option.spec.name) {
        try option.apply(.value(value, named: "--\(name)"), &result)
      }
    }
    return result
  }

  /// The options that may also follow a command, for `CommandTable.globals`.
  package static var globals: [OptionSpec] {
    ProgramOption.all.filter(\.followsCommands).map(\.spec)
  }

  /// The options that precede a command and cannot follow it, for `CommandTable.leadingOptions`.
  static var leadingOptions: [OptionSpec] {
    ProgramOption.all.filter { !$0.followsCommands }.map(\.spec)
      + [ProgramOption.lines, ProgramOption.script]
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
          try option.apply(.value(value, named: name), &self)
        } else if let flag = Self.flag(text) {
          try option.apply(.flag(flag), &self)
        } else {
          throw UsageError(
            "\(name) is 1, true, yes or on, or else 0, false, no or off, not '\(text)'")
        }
      } catch {
        throw UsageError(
          error.message, help: error.help ?? "correct the variable \(name), or unset it",
          kind: .configuration)
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
