import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem

/// What a run is made of, as the options and the terminal decide.
extension BoardRun {
  /// Returns the pager of a user at a terminal. Scripts have none.
  static func pager(
    _ options: ProgramOptions, _ terminal: Terminal, _ environment: [String: String]
  ) -> Pager? {
    switch options.mode {
    case .oneShot, .standardInput: break
    case .lines, .script, .help, .version: return nil
    }
    guard terminal.isInputTerminal, terminal.isOutputTerminal, !terminal.isDumb,
      options.usesPager != false
    else { return nil }
    return Pager(environment, terminal: terminal)
  }

  /// Returns whether commands may read standard input or lines come from it, also under another
  /// name such as `/dev/stdin`.
  static func inputUse(
    _ mode: ProgramOptions.Mode, _ isInteractive: Bool
  ) -> StandardInput.Use {
    switch mode {
    case .oneShot, .lines, .help, .version: .free
    case .script(let path, _): path == "-" || StandardInput.isSame(path: path) ? .script : .free
    case .standardInput: isInteractive ? .prompt : .script
    }
  }

  /// Returns the screen for escape sequences. Without colors, only the line editor writes them.
  static func screen(
    _ terminal: Terminal, _ isInteractive: Bool, usesColor: Bool, isASCII: Bool
  ) -> PromptScreen? {
    guard terminal.isErrorTerminal, !terminal.isDumb, isInteractive || usesColor else { return nil }
    return PromptScreen(terminal: terminal, usesColor: usesColor, isASCII: isASCII)
  }

  /// Returns the row that shows what runs.
  ///
  /// - Parameter shown: The result of `shownOptions`.
  static func activity(
    _ shown: ProgramOptions, _ terminal: Terminal, spins: Bool, _ output: BoardOutputWriter
  ) -> ActivityLine? {
    guard terminal.isErrorTerminal, !shown.isQuiet, shown.output != .json else { return nil }
    return ActivityLine(
      isASCII: terminal.usesASCII(shown.ascii ?? false), spins: spins,
      isInForeground: { EditingTerminal(input: STDERR_FILENO).isInForeground },
      // The last column stays free, since some terminals begin a new row after it.
      columns: { terminal.size.columns - 1 },
      write: { output.showStatus($0) })
  }

  /// Returns what writes a note of a service to standard error, as the options of the command say
  /// that is given with it.
  static func note(
    _ settings: BoardSettings, _ output: BoardOutputWriter
  ) -> @Sendable (String, CommandContext?) -> Void {
    { text, command in
      let settings = settings.following(command)
      guard let note = note(text, settings) else { return }
      output.warn(note, command?.color, wraps: settings.output != .json)
    }
  }

  /// Returns a note as a command with these settings shows it, or `nil` if it shows none.
  static func note(_ text: String, _ settings: BoardSettings) -> StyledText? {
    guard !settings.isQuiet else { return nil }
    let text = settings.isASCII ? RedactionMark.ascii(text) : text
    return settings.output == .json
      ? NoteReport.json(text, line: 0) : StyledText(escapeControls(text) + "\n")
  }

  /// Returns the configuration of the live services.
  ///
  /// - Parameters:
  ///   - settings: Those of the result of `shownOptions`, which also say how a loss is shown.
  ///   - seed: The seed that recordings name.
  static func configuration(
    _ options: ProgramOptions, _ environment: [String: String], _ program: ProgramName,
    _ settings: BoardSettings, seed: UInt64, _ activity: ActivityLine?,
    _ output: BoardOutputWriter
  ) -> LiveConfiguration {
    var configuration = LiveConfiguration(
      home: options.home, environment: environment, program: program.name, seed: seed,
      isOffline: settings.isOffline)
    configuration.paths.configuration = ConfigurationFile.path(for: options, environment, program)
    if let activity { configuration.onDerivation = { activity.derive(isRunning: $0) } }
    configuration.onLoss = { message in
      let warning = BoardOutput.warning(message, settings)
      output.warn(warning.content, wraps: warning.display.wraps)
    }
    return configuration
  }

  /// Gives the terminal to a pager while it runs, which may leave the cursor anywhere in a row.
  static func lendTerminal(
    to pager: Pager, _ screen: PromptScreen?, _ activity: ActivityLine?,
    _ editor: EditingLineReader?
  ) {
    pager.onBegin.withLock {
      $0 = {
        activity?.pause()
        editor?.lendTerminal()
      }
    }
    pager.onEnd.withLock {
      $0 = {
        editor?.reclaimTerminal()
        screen?.noteUnknownColumn()
        activity?.resume()
      }
    }
  }

  /// Returns a function that makes services whose files include standard input.
  ///
  /// - Parameter problem: What is wrong with the configuration, for `doctor`.
  static func making(
    _ make: @escaping BoardProgram.MakeDependencies, reading input: StandardInput,
    _ problem: UsageError?
  ) -> BoardProgram.MakeDependencies {
    {
      var dependencies = make($0, $1, $2)
      dependencies.files = InputFiles(dependencies.files, input)
      let (installation, variables) = (dependencies.installation, $1.environment)
      dependencies.installation = {
        let findings = ProgramVariables.findings(await installation(), for: variables)
        return problem.map { ConfigurationFile.findings(findings, with: $0) } ?? findings
      }
      return dependencies
    }
  }

  /// Returns the services of the run. They can create services for a separate run.
  static func dependencies(
    _ environment: BoardSettings.Environment, _ configuration: LiveConfiguration,
    _ terminal: BoardTerminal, _ make: @escaping BoardProgram.MakeDependencies
  ) -> Dependencies {
    let dependencies = make(environment, configuration, terminal)
    var result = dependencies
    result.beside = { folder, sharesHome, seed in
      // Services in memory have no separate cache to empty.
      if sharesHome, environment != .live { return dependencies }
      var other = configuration
      other.seed = seed
      other.paths = BoardPaths(
        home: folder, environment: configuration.environment,
        program: configuration.paths.program)
      if sharesHome {
        other.paths.mainDatabase = configuration.paths.mainDatabase
        other.paths.keychain = configuration.paths.keychain
      }
      return make(environment, other, terminal)
    }
    return result
  }

  /// Returns the options that decide what is shown of running commands: if the only command is an
  /// argument of the program, also those that follow it.
  static func shownOptions(
    _ options: ProgramOptions, _ features: FeatureList
  ) -> ProgramOptions {
    guard case .oneShot(let words) = options.mode,
      let match = try? features.commands.parse(
        words: words.map { Argument($0) }, literal: !options.hasEndedOptions)
    else { return options }
    return (try? options.applying(match.globals)) ?? options
  }

  static func settings(
    _ options: ProgramOptions, _ terminal: Terminal, _ isInteractive: Bool
  ) -> BoardSettings {
    var settings = BoardSettings()
    settings.environment = options.environment ?? .live
    settings.output = options.output ?? .table
    settings.isTerminal = terminal.isOutputTerminal
    settings.measuresAnswers = true
    settings.checksLessons = true
    settings.remembersNull = true
    settings.reportsFailedWatches = true
    settings.setKeepsLast = true
    settings.limitsPadding = true
    settings.compactsRawParts = true
    settings.width = terminal.outputWidth
    settings.isASCII = terminal.usesASCII(options.ascii ?? false)
    settings.isQuiet = options.isQuiet
    settings.isVerbose = options.isVerbose
    settings.checksStatus = options.checkStatus ?? !isInteractive
    settings.isOffline = options.isOffline ?? false
    if let timeout = options.timeout { settings.timeout = timeout.microseconds / 1000 }
    return settings
  }
}
