import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// A program around a board: parses options, runs lines, and returns an exit code.
///
/// Its name and its version are those of `FeatureList(program:)`.
public enum BoardProgram {
  /// The version of `swiftboard`, which it prints and its recordings contain.
  public static let version = "0.1.0"

  /// Creates the dependencies for an environment. Only the composition root names the live ones.
  public typealias MakeDependencies =
    @Sendable (BoardSettings.Environment, LiveConfiguration, any TerminalService) -> Dependencies

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - environment: The environment variables.
  ///   - invalidVariables: The names of those that are not UTF-8. If the program has its files or
  ///     its options from one of them, it refuses to run, because a repaired name is another one.
  ///   - features: The features of the board, besides `session` and `shell`.
  ///   - make: Creates the dependencies.
  /// - Returns: The exit code.
  public static func run(
    arguments: [String], environment: [String: String], invalidVariables: [String] = [],
    features: FeatureList, dependencies make: @escaping MakeDependencies
  ) async -> Int32 {
    SignalSource.ignoreFailedWrites()
    let invalid = invalidVariables.sorted().first(where: ProgramVariables.mustBeUTF8)
    if arguments.first == ShellCompletion.request {
      let candidates = ShellCandidates(
        features: features, environment: environment, hasValues: invalid == nil, make: make)
      return show(
        StyledText(await candidates.answer(Array(arguments.dropFirst()))), features.program)
    }
    let options: ProgramOptions
    var problem: UsageError?
    do throws(UsageError) {
      options = try ProgramOptions.parse(arguments: arguments, environment: environment) {
        (options) throws(UsageError) in
        if let invalid { throw UsageError(notUTF8: invalid) }
        do throws(UsageError) {
          return try ConfigurationFile.read(for: options, environment, features)
        } catch {
          // `doctor` reports it among its findings.
          var error = error
          if error.kind == .configuration, error.help == nil {
            error.help = "correct the file, or name another one with --config"
          }
          guard options.isDoctor else { throw error }
          problem = error
          return ProgramConfiguration()
        }
      }
    } catch let refusal {
      // Without its configuration, an environment is unknown.
      let error = problem ?? refusal
      let code = ExitCode.of(error.kind)
      complain(
        error.message, help: error.help ?? "try '\(features.program.name) --help'", code: code,
        program: features.program.name,
        isJSON: asksForJSON(arguments, environment),
        usesColor: Terminal(environment: environment).usesColor(.auto, onError: true))
      return code
    }
    let isJSON = options.output == .json || ProgramOptions.askForJSON(arguments)
    switch options.mode {
    case .help where isJSON:
      return show(ProgramHelp(features).value, of: "help", features.program)
    case .help:
      let terminal = Terminal(environment: environment)
      return show(
        HelpText.styled(ProgramHelp(features).text(width: terminal.outputWidth ?? 80)),
        features.program, usesColor: terminal.usesColor(options.color ?? .auto))
    case .version where isJSON:
      return show(versions(of: features.program), of: "version", features.program)
    case .version:
      let text = StyledText(versionLine(of: features.program))
      let width = Terminal(environment: environment).outputWidth
      return show(width.map { text.wrapped(to: $0) } ?? text, features.program)
    default:
      let run = BoardRun(options, environment, features, problem: problem, make)
      UnlockSources.removeFromEnvironment()
      return await run.run()
    }
  }

  /// Reports that an argument is not UTF-8. The argument is not repaired, as that would change
  /// names and could make two names equal.
  ///
  /// - Parameters:
  ///   - number: The position of the argument, from 1.
  ///   - arguments: All arguments, with a replacement character for each invalid byte.
  ///   - environment: The environment variables.
  ///   - program: The name of the program.
  /// - Returns: The exit code.
  public static func refuse(
    argument number: Int, of arguments: [String], environment: [String: String],
    program: String = "swiftboard"
  ) -> Int32 {
    complain(
      "argument \(number) is not UTF-8: \(arguments[number - 1])",
      help: "give names as UTF-8; a file can be renamed, or be given as standard input",
      code: ExitCode.usage, program: program, isJSON: asksForJSON(arguments, environment))
    return ExitCode.usage
  }

  /// Returns whether failures are JSON before the options have been parsed.
  private static func asksForJSON(
    _ arguments: [String], _ environment: [String: String]
  ) -> Bool {
    environment["SWIFTBOARD_OUTPUT"] == "json" || ProgramOptions.askForJSON(arguments)
  }

  /// Reports that the process may open fewer files than it needs. The runtime's own threads would
  /// end it without a message, or wait for ever, where they can open none.
  ///
  /// - Parameter limit: How many files the process may open.
  /// - Returns: The exit code, or `nil` if the files are enough.
  package static func refuse(openFileLimit limit: UInt64, program: String = "swiftboard") -> Int32?
  {
    // A recorded request has about 20 open: its socket, files of the databases with their logs,
    // locks, and the pipes of libraries.
    let needed: UInt64 = 32
    if limit >= needed { return nil }
    complain(
      "the limit of open files is \(limit), and at least \(needed) are needed",
      help: "raise it with 'ulimit -n 256'", code: ExitCode.io, program: program, isJSON: false)
    return ExitCode.io
  }

  /// The versions of the program and of the libraries it was built with, as `--version` prints.
  static func versionLine(of program: ProgramName) -> String {
    "\(program.title) (\(LibraryVersions.built))\n"
  }

  /// The same as a value.
  static func versions(of program: ProgramName) -> JSON {
    let built = LibraryVersions.built
    return [
      program.name: .string(program.version), "libcurl": .string(built.curl),
      "libsodium": .string(built.sodium), "SQLite": .string(built.sqlite),
    ]
  }

  /// Prints a value as the line of JSON that a command prints.
  private static func show(
    _ value: JSON, of command: String, _ program: ProgramName
  ) -> Int32 {
    show(
      OutputFormatter(format: .json).render(
        line: 1, command: command, presentation: .none, value: value, milliseconds: 0), program,
      isJSON: true)
  }

  private static func show(
    _ text: StyledText, _ program: ProgramName, isJSON: Bool = false, usesColor: Bool = false
  ) -> Int32 {
    do throws(OutputError) {
      try StandardOutput().write(usesColor ? text.rendered : text.bytes)
      return 0
    } catch {
      let code = ExitCode.of(error)
      if error != .closed {
        complain("\(error)", help: nil, code: code, program: program.name, isJSON: isJSON)
      }
      return code
    }
  }

  /// Prints a failure of the whole program to standard error, as a line of JSON if requested.
  ///
  /// - Parameters:
  ///   - word: The word of the failure, or `nil` for the usual one of the code.
  ///   - program: The name of the program.
  ///   - usesColor: Whether labels have colors.
  static func complain(
    _ message: String, help: String?, code: Int32, word: String? = nil, program: String,
    isJSON: Bool, usesColor: Bool = false
  ) {
    let usual =
      switch code {
      case ExitCode.usage: "usage"
      case ExitCode.data: "malformedData"
      case ExitCode.missing: "missing"
      case ExitCode.cannotCreate: "exists"
      case ExitCode.configuration: "configuration"
      default: "io"
      }
    let failure = Failure(code: code, error: word ?? usual, message: message, help: help)
    let text = FailureReport(failure, line: 0).render(json: isJSON)
    let terminal = Terminal(environment: [:])
    var named = isJSON ? text : StyledText("\(program): ") + text
    if !isJSON, terminal.isErrorTerminal { named = named.wrapped(to: terminal.size.columns) }
    try? StandardOutput.standardError().write(
      usesColor ? named.rendered : named.bytes)
  }
}

extension ProgramOptions {
  /// Returns whether words ask for JSON, even if they cannot be parsed as a whole.
  static func askForJSON(_ words: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    let isNext = zip(options, options.dropFirst()).contains {
      ($0 == "-o" || $0 == "--output") && $1 == "json"
    }
    return isNext || options.contains { $0 == "--json" || $0 == "--output=json" || $0 == "-ojson" }
  }

  /// Whether the words of a command ask for JSON. One in quotes is no option, but may be the value
  /// of one.
  static func askForJSON(_ words: [Word]) -> Bool {
    askForJSON(
      words.map { word in
        let text = word.literal ?? ""
        return word.isQuoted && text.hasPrefix("-") ? "" : text
      })
  }

  /// Whether a line that may not be understood asks for JSON.
  static func askForJSON(in line: ScriptLine) -> Bool {
    guard case .commands(let list) = line.parsed else {
      return askForJSON(line.text.split { $0.isWhitespace }.map(String.init))
    }
    return list.commands.contains { askForJSON($0.words) }
  }

  /// Whether the program runs `doctor` and nothing else.
  fileprivate var isDoctor: Bool {
    switch mode {
    case .oneShot(let words): words.first == "doctor"
    case .lines(let lines): lines.count == 1 && lines.allSatisfy(Self.isDoctor)
    case .help, .version, .standardInput, .script: false
    }
  }

  private static func isDoctor(_ line: String) -> Bool {
    guard case .commands(let list) = LineParser.parse(line), list.commands.count == 1 else {
      return false
    }
    return list.commands[0].words.first?.segments == [.text("doctor")]
  }
}

extension UsageError {
  /// Creates the error for an environment variable that is not UTF-8.
  fileprivate init(notUTF8 variable: String) {
    self.init(
      "the variable \(variable) is not UTF-8",
      help: "give names as UTF-8: rename the file or the folder, or unset the variable",
      kind: .configuration)
  }
}

extension Failure {
  /// Creates the failure of a line source.
  init(_ error: LineSourceError) {
    guard error.kind != .cancelled else {
      self = .cancelled
      return
    }
    self.init(
      code: ExitCode.of(error.kind), error: error.kind.rawValue, message: error.message,
      help: error.help)
  }
}
