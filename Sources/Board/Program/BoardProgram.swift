import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// The program `swiftboard`: options in, lines run, an exit code out.
public enum BoardProgram {
  /// Of this program, as `--version` says it and recordings have it.
  public static let version = "0.1.0"

  /// Creates the dependencies for an environment. The composition root is the only place that names
  /// the live ones.
  public typealias MakeDependencies =
    @Sendable (BoardSettings.Environment, LiveConfiguration, any TerminalService) -> Dependencies

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - arguments: Without the program's name.
  ///   - features: Those of its board, besides `session` and `shell`.
  /// - Returns: The exit code.
  public static func run(
    arguments: [String], environment: [String: String], features: FeatureList,
    dependencies make: @escaping MakeDependencies
  ) async -> Int32 {
    SignalSource.ignoreBrokenPipes()
    let options: ProgramOptions
    do throws(UsageError) {
      options = try ProgramOptions.parse(arguments: arguments, environment: environment)
    } catch {
      complain(
        error.message, help: error.help ?? "try 'swiftboard --help'", code: error.code,
        isJSON: asksForJSON(arguments, environment))
      return error.code
    }
    switch options.mode {
    case .help: return show(ProgramOptions.help())
    case .version: return show("swiftboard \(version)\n")
    default:
      let run = BoardRun(options, environment, features, make)
      UnlockSources.removeFromEnvironment()
      return await run.run()
    }
  }

  /// Says that an argument is not UTF-8: repaired, it would name something else, and two different
  /// names might become one.
  ///
  /// - Parameters:
  ///   - number: Its position, from 1 on.
  ///   - repaired: It, with a sign in place of each byte that is none of a text.
  /// - Returns: The exit code.
  public static func refuse(argument number: Int, repaired: String) -> Int32 {
    complain(
      "argument \(number) is not UTF-8: \(repaired)",
      help: "give names as UTF-8; a file can be renamed, or be given as standard input",
      code: ExitCode.usage, isJSON: false)
    return ExitCode.usage
  }

  private static func show(_ text: String) -> Int32 {
    do throws(OutputError) {
      try StandardOutput().write(text)
      return 0
    } catch {
      return error.exitCode
    }
  }

  /// A failure of the program as a whole, on standard error: a line of JSON where that was asked
  /// for.
  static func complain(_ message: String, help: String?, code: Int32, isJSON: Bool) {
    let name =
      switch code {
      case ExitCode.usage: "usage"
      case ExitCode.data: "malformedData"
      case ExitCode.missing: "missing"
      case ExitCode.cannotCreate: "exists"
      case ExitCode.configuration: "configuration"
      default: "io"
      }
    let text =
      isJSON
      ? FailureReport(Failure(code: code, error: name, message: message, help: help), line: 0)
        .render(json: true)
      : "swiftboard: error: \(escapeControls(message))\n"
        + (help.map { "help: \(escapeControls($0))\n" } ?? "")
    try? StandardOutput.standardError().write(text)
  }

  /// Whether options that could not be read as a whole ask for JSON.
  private static func asksForJSON(_ arguments: [String], _ environment: [String: String]) -> Bool {
    let options = arguments.prefix { $0 != "--" }
    let isNext = zip(options, options.dropFirst()).contains {
      ($0 == "-o" || $0 == "--output") && $1 == "json"
    }
    return isNext || environment["SWIFTBOARD_OUTPUT"] == "json"
      || options.contains { $0 == "--json" || $0 == "--output=json" || $0 == "-ojson" }
  }
}

extension Failure {
  /// A source that gave no line.
  init(_ error: LineSourceError) {
    let name =
      switch error.code {
      case ExitCode.data: "malformedData"
      case ExitCode.missing: "missing"
      default: "io"
      }
    self.init(code: error.code, error: name, message: error.message, help: error.help)
  }
}
