import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program `swiftboard`: options in, lines run, an exit code out.
public enum BoardProgram {
  public static let version = "0.1.0"

  /// Makes the dependencies for an environment. The composition root is the only place that names the live ones.
  public typealias MakeDependencies =
    @Sendable (BoardSettings.Environment, LiveConfiguration, any TerminalService) -> Dependencies

  /// Runs the program.
  ///
  /// - Parameter arguments: Without the program's name.
  /// - Returns: The exit code.
  public static func run(
    arguments: [String], environment: [String: String], dependencies make: MakeDependencies
  ) async -> Int32 {
    SignalSource.ignoreBrokenPipes()
    let options: ProgramOptions
    do throws(UsageError) {
      options = try ProgramOptions.parse(arguments: arguments, environment: environment)
    } catch {
      complain(error.message, help: error.help ?? "try 'swiftboard --help'")
      return error.code
    }
    switch options.mode {
    case .help: return show(ProgramOptions.help())
    case .version: return show("swiftboard \(version)\n")
    default: return await BoardRun(options, environment, make).run()
    }
  }

  private static func show(_ text: String) -> Int32 {
    do throws(OutputError) {
      try StandardOutput().write(text)
      return 0
    } catch {
      return error.exitCode
    }
  }

  static func complain(_ message: String, help: String?) {
    try? StandardOutput.standardError().write(
      "swiftboard: error: \(escapeControls(message))\n"
        + (help.map { "help: \(escapeControls($0))\n" } ?? ""))
  }
}

extension Failure {
  /// A source that gave no line.
  init(_ error: LineSourceError) {
    self.init(
      code: error.code, error: error.code == ExitCode.missing ? "missing" : "io",
      message: error.message, help: error.help)
  }
}
