import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem

/// Answers the completion scripts of shells. It creates, changes and unlocks nothing.
struct ShellCandidates {
  let features: FeatureList
  let environment: [String: String]
  /// Whether the answer has values, for which the environment must name the right home.
  var hasValues = true
  let make: BoardProgram.MakeDependencies

  /// Returns the lines of the answer; see `ShellCompletion.request`. Values that are not found in
  /// time are left out.
  ///
  /// - Parameter arguments: The arguments behind the request.
  func answer(_ arguments: [String]) async -> String {
    let words = ShellWords(
      Array(arguments.first == "--" ? arguments.dropFirst()[...] : arguments[...]))
    guard let completion = words.completion(in: features.commands) else { return "" }
    var lines: [String] = []
    var values: [LineCompletion.Value] = []
    switch completion.kind {
    case .file where completion.head.isEmpty: lines = [ShellCompletion.files]
    case .directory where completion.head.isEmpty: lines = [ShellCompletion.folders]
    case let kind? where hasValues:
      values = await self.values(kind, completion.typed, words.options)
    default: break
    }
    // A control character would end the line or the word of the answer.
    let candidates = completion.wholeWords(values).filter { !$0.utf8.contains { $0 < 0x20 } }
    lines += candidates.map { word in
      summary(of: word, completion).map { "\(word)\t\($0)" } ?? word
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func summary(of word: String, _ completion: LineCompletion) -> String? {
    if word.hasPrefix("-") {
      return completion.options.first { $0.spellings.contains(word) }?.help
    }
    guard completion.words.contains(word) else { return nil }
    let table = features.commands
    let topic = completion.path.isEmpty ? table.topics.first { $0.name == word }?.summary : nil
    return topic ?? table.specs.first { $0.path == completion.path + [word] }?.summary
  }

  private func values(
    _ kind: ValueKind, _ typed: String, _ arguments: [String]
  ) async -> [LineCompletion.Value] {
    var environments = BoardSettings.Environment.allCases.map(\.rawValue)
    // Without valid options it is unknown which home is meant.
    let options = try? ProgramOptions.parse(arguments: arguments, environment: environment) {
      (options) throws(UsageError) in
      // To read a pipe would wait, and take what the program is to read.
      if let path = options.config, FileInfo(path)?.isRegular != true {
        return ProgramConfiguration()
      }
      let configuration = try ConfigurationFile.read(for: options, environment, features)
      environments += configuration.environments.keys.sorted()
      return configuration
    }
    if kind == .environment { return environments.map { .init($0) } }
    guard let options else { return [] }
    var settings = BoardSettings()
    settings.environment = options.environment ?? .live
    var configuration = LiveConfiguration(
      home: options.home, environment: environment, program: features.program.name)
    configuration.onlyReads = true
    let dependencies = make(settings.environment, configuration, SilentTerminal())
    let state = BoardState(features: features, settings: settings)
    let limit = options.completionTimeout ?? BoardCompletion.defaultLimit
    let found = await BoardCompletion.within(limit) { [features] in
      await BoardCompletion.values(kind, typed, features, state, dependencies)
    }
    _ = await dependencies.persistence.shutDown(within: limit)
    return found ?? []
  }
}
