import SwiftBoardCommandLine

/// A program option: its spelling, and the property that receives its value.
struct ProgramOption: Sendable {
  enum Given: Sendable {
    case flag(Bool)
    /// A value, and what gives it: the option, its variable, or a key of a configuration file.
    case value(Argument, named: String)

    var isOn: Bool { if case .flag(let flag) = self { flag } else { true } }

    var argument: Argument? { if case .value(let argument, _) = self { argument } else { nil } }

    /// What gives the value, for messages.
    var name: String { if case .value(_, let name) = self { name } else { "" } }

    var text: String {
      get throws(UsageError) { try argument?.requiredText(named: name) ?? "" }
    }

    func choice<Choice: RawRepresentable<String>>() throws(UsageError) -> Choice? {
      Choice(rawValue: try text)
    }
  }

  var spec: OptionSpec
  /// Whether it also applies to a single command.
  var followsCommands = true
  /// The environment variable that sets its default.
  var variable: String?
  /// Whether it may stand anywhere in a configuration file.
  var isConfigurable: Bool
  var apply: @Sendable (Given, inout ProgramOptions) throws(UsageError) -> Void

  private static func make(
    _ spec: OptionSpec, followsCommands: Bool = true, hasVariable: Bool = true,
    _ apply: @escaping @Sendable (Given, inout ProgramOptions) throws(UsageError) -> Void
  ) -> ProgramOption {
    let name = spec.name.uppercased().split(separator: "-").joined(separator: "_")
    return ProgramOption(
      spec: spec, followsCommands: followsCommands,
      variable: hasVariable ? "SWIFTBOARD_\(name)" : nil,
      isConfigurable: hasVariable && !perRun.contains(spec.name), apply: apply)
  }

  /// Options of one run, which no configuration file sets.
  private static let perRun = ["home", "config", "environment", "record", "seed"]

  /// All options in help order.
  static let all: [ProgramOption] = [
    make(
      OptionSpec(flag: "help", short: "h", "show this help"), followsCommands: false,
      hasVariable: false
    ) { given, options throws(UsageError) in
      if given.isOn { options.mode = .help }
    },
    make(
      OptionSpec(flag: "version", short: "V", "show the versions of the program and its libraries"),
      followsCommands: false, hasVariable: false
    ) { given, options throws(UsageError) in
      if given.isOn { options.mode = .version }
    },
    make(OptionSpec(flag: "quiet", short: "q", "no messages but warnings and errors")) {
      given, options throws(UsageError) in
      options.isQuiet = given.isOn
    },
    make(
      OptionSpec(flag: "verbose", short: "v", "more messages: what requests send and get"),
      followsCommands: false
    ) { given, options throws(UsageError) in
      options.isVerbose = given.isOn
    },
    make(
      OptionSpec(
        "output", short: "o", value: "FORMAT", "how results are written",
        kind: .choice(OutputFormat.allCases.map(\.rawValue)))
    ) { given, options throws(UsageError) in
      options.output = try given.choice()
    },
    make(
      OptionSpec(flag: "json", "the same as -o json: one JSON value a command, on one line"),
      hasVariable: false
    ) { given, options throws(UsageError) in
      if given.isOn { options.output = .json }
    },
    make(OptionSpec(flag: "plain", "the same as -o plain: cells between tabs"), hasVariable: false)
    { given, options throws(UsageError) in
      if given.isOn { options.output = .plain }
    },
    make(
      OptionSpec(
        "color", value: "WHEN", "colors; auto has none with NO_COLOR set",
        kind: .choice(ColorMode.allCases.map(\.rawValue)))
    ) { given, options throws(UsageError) in
      options.color = try given.choice()
    },
    make(OptionSpec(flag: "ascii", "print only ASCII symbols")) {
      given, options throws(UsageError) in
      options.ascii = given.isOn
    },
    make(OptionSpec(flag: "no-pager", "never page long output")) {
      given, options throws(UsageError) in
      options.usesPager = !given.isOn
    },
    make(OptionSpec(flag: "no-input", "never prompt"), followsCommands: false) {
      given, options throws(UsageError) in
      options.allowsInput = !given.isOn
    },
    make(OptionSpec(flag: "no-history", "keep no history"), followsCommands: false) {
      given, options throws(UsageError) in
      options.keepsHistory = !given.isOn
    },
    make(OptionSpec(flag: "no-init", "do not run init.sb"), followsCommands: false) {
      given, options throws(UsageError) in
      options.runsInitFile = !given.isOn
    },
    make(
      OptionSpec("home", value: "DIR", "keep every file under one folder", kind: .directory),
      followsCommands: false
    ) { given, options throws(UsageError) in
      let folder = try given.text
      guard !folder.isEmpty else {
        throw UsageError("\(given.name) is empty", help: "an empty variable? name the folder")
      }
      options.home = folder
    },
    make(
      OptionSpec("config", value: "FILE", "the configuration file", kind: .file),
      followsCommands: false
    ) { given, options throws(UsageError) in
      options.config = try given.text
    },
    make(
      OptionSpec(
        "environment", value: "NAME",
        "live, mock or preview services, or an environment of config.json", kind: .environment),
      followsCommands: false
    ) { given, options throws(UsageError) in
      options.environmentName = try given.text
    },
    make(OptionSpec(flag: "offline", "send nothing over the network"), followsCommands: false) {
      given, options throws(UsageError) in
      options.isOffline = given.isOn
    },
    make(
      OptionSpec(
        "timeout", value: "DUR",
        "the limit for each request, not for a locked database: 500ms, 2s", kind: .duration)
    ) { given, options throws(UsageError) in
      options.timeout = try given.argument?.timeLimit(named: given.name)
    },
    make(
      OptionSpec(
        "completion-timeout", value: "DUR", "the limit for values that Tab offers: 500ms",
        kind: .duration),
      followsCommands: false
    ) { given, options throws(UsageError) in
      options.completionTimeout = try given.argument?.duration(named: given.name)
    },
    make(
      OptionSpec(flag: "keep-going", short: "k", "run on after a failing line"),
      followsCommands: false
    ) { given, options throws(UsageError) in
      options.keepGoing = given.isOn
    },
    make(
      OptionSpec(
        flag: "check-status",
        "an HTTP status of 300 and up is a failure (at a prompt, only with api's --out)",
        negatable: true)
    ) { given, options throws(UsageError) in
      options.checkStatus = given.isOn
    },
    make(
      OptionSpec(flag: "echo", short: "x", "show each line before it runs"), followsCommands: false
    ) { given, options throws(UsageError) in
      options.echo = given.isOn
    },
    make(
      OptionSpec("record", value: "FILE", "record the session", kind: .file), followsCommands: false
    ) { given, options throws(UsageError) in
      let file = try given.text
      guard !file.isEmpty else {
        throw UsageError(
          "\(given.name) is empty", help: "an empty variable? name a new file", at: given.argument)
      }
      guard file != "-" else {
        throw UsageError(
          "\(given.name) takes the name of a file, not '-'", help: "'./-' is a file of that name",
          at: given.argument)
      }
      options.record = file
    },
    make(
      OptionSpec("seed", value: "N", "the start of all random numbers, from 0 to 2^64-1"),
      followsCommands: false
    ) { given, options throws(UsageError) in
      let text = try given.text
      guard let seed = UInt64(text) else {
        throw UsageError(
          "\(given.name) is a whole number from 0 to \(UInt64.max), not '\(text)'",
          at: given.argument)
      }
      options.seed = seed
    },
  ]

  /// Returns the variable of an option if it gives this value, or else the option, for messages.
  static func source(
    of option: String, _ value: String?, in variables: [String: String]
  ) -> String {
    let variable = all.first { $0.spec.name == option }?.variable
    guard let variable, let value, variables[variable] == value else { return "--\(option)" }
    return variable
  }

  /// `-c` and `-f` determine what is run. A single value cannot describe them.
  static let lines = OptionSpec("command", short: "c", value: "LINE", "run a line; may be repeated")
  static let script = OptionSpec(
    "file", short: "f", value: "FILE",
    "run a script, - for standard input; the rest are its $1, $2", kind: .file
  )

  /// The specs of all options, for completion.
  static var allSpecs: [OptionSpec] { [lines, script] + all.map(\.spec) }
}
