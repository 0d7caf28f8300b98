import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem

/// Reads the configuration file of a run.
enum ConfigurationFile {
  /// The maximum size. Larger files are not configurations.
  private static let limit = 1 << 20

  /// Reads the file that `--config` names, or else the file of the home folder, if it exists. The
  /// environments in memory and replays read no file that no option names.
  ///
  /// - Throws: 66 if a named file does not exist, 74 if it cannot be read, 78 for its content.
  static func read(
    for options: ProgramOptions, _ variables: [String: String], _ features: FeatureList
  ) throws(UsageError) -> ProgramConfiguration {
    if options.config == nil,
      ["mock", "preview"].contains(options.environmentName) || options.onlyReplays
    {
      return ProgramConfiguration()
    }
    let path = path(for: options, variables, features.program)
    let bytes: [UInt8]
    // A pipe may be given, but one in the place of the usual file would never end.
    if options.config == nil, let info = FileInfo(path), !info.isRegular, !info.isFolder {
      throw UsageError(
        "cannot read the configuration '\(path)': it is not a file", help: "move it away",
        kind: .io)
    }
    do throws(SystemError) {
      let files = FileSystem()
      let file = try files.open(path, O_RDONLY)
      bytes = try files.read(file, limit: limit + 1)
    } catch {
      if error.isMissing, options.config == nil { return ProgramConfiguration() }
      let source = ProgramOption.source(of: "config", options.config, in: variables)
      if !error.isMissing, let obstacle = PathObstacle(to: path) {
        let help =
          switch obstacle {
          case .closed(let folder, isOwn: true): "chmod 700 '\(folder)', or "
          case .closed: "use the folder as its owner, or "
          default: ""
          }
        throw UsageError(
          "cannot look for the configuration '\(path)': \(obstacle)",
          help: help + "name another one with " + (options.config == nil ? "--home" : source),
          kind: .io)
      }
      throw UsageError(
        "cannot read the configuration '\(path)': \(error)",
        help: error.isMissing
          ? "\(source) takes a file that exists"
          : "make the file readable, or name another one with \(source)",
        kind: error.isMissing ? .missing : .io)
    }
    guard bytes.count <= limit else {
      throw UsageError(
        "the configuration '\(path)' is larger than 1 MiB", kind: .configuration)
    }
    var configuration = try ProgramConfiguration(parsing: bytes, path: path)
    configuration.expandHomes(BoardPaths.userHome(variables))
    let secrets = TypedSecretFinder(features)
    for (name, line) in configuration.aliases.sorted(by: { $0.key < $1.key }) {
      do throws(UsageError) {
        try AliasExpansion.refuseCommand(name, secrets.firstWords)
        // The redactor knows no secret yet. One that becomes known takes the alias away.
        let script = ScriptLine(
          text: line, location: LineLocation(path, line: 1), parsed: LineParser.parse(line))
        if let typed = secrets.refusal(of: script, Redactor()) { throw typed.error }
        _ = try AliasExpansion.words(of: line)
      } catch {
        throw ProgramConfiguration.error(ofAlias: name, error, in: bytes, path: path)
      }
    }
    return configuration
  }

  /// Returns the path of the file: that of `--config`, or else that of the home folder. The home of
  /// a named environment has none, since the file names it.
  static func path(
    for options: ProgramOptions, _ variables: [String: String], _ program: ProgramName
  ) -> String {
    options.config
      ?? BoardPaths(home: options.givenHome, environment: variables, program: program.name)
      .configuration
  }

  /// Returns findings with a problem of the configuration in place of its path, which the problem
  /// names too.
  static func findings(
    _ findings: [InstallationFinding], with problem: UsageError
  ) -> [InstallationFinding] {
    let subject = "configuration"
    // The service knows more about a file that cannot be read.
    if problem.kind == .io,
      findings.contains(where: { $0.subject == subject && $0.state == .problem })
    {
      return findings
    }
    let index = findings.firstIndex { $0.subject == subject } ?? 0
    var result = findings.filter { $0.subject != subject || $0.state == .problem }
    result.insert(
      InstallationFinding(
        subject, .problem, problem.message, remedy: problem.help.map { .other($0) }), at: index)
    return result
  }
}

extension ProgramOptions {
  /// Whether the program does nothing but replay recordings, which has the same output whatever is
  /// configured. A live replay uses services, and a named environment is one of the file's.
  fileprivate var onlyReplays: Bool {
    guard case .oneShot(let words) = mode, words.count > 1, words[0] == "session",
      ["replay", "verify"].contains(words[1])
    else { return false }
    return !words.contains("--live")
      && environmentName.map { BoardSettings.Environment(rawValue: $0) != nil } ?? true
  }
}
