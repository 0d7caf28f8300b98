import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem

/// The only place that selects the services.
enum CompositionRoot {
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - invalidVariables: The names of the environment variables that are not UTF-8.
  static func run(_ arguments: [String], _ invalidVariables: [String]) async -> Int32 {
    let variables = ProcessInfo.processInfo.environment
    // Here, because the thread that loads the library reads the environment.
    UnlockSources.removeFromEnvironment()
    if mayBeRequest(arguments) { LiveAPIClient.loadLibrary() }
    return await BoardProgram.run(
      arguments: arguments, environment: variables, invalidVariables: invalidVariables,
      features: BoardFeatures.all
    ) { environment, configuration, terminal in
      let dependencies: Dependencies =
        switch environment {
        case .live: .live(configuration)
        case .mock: .demonstration
        case .preview: .preview
        }
      return dependencies.inProgram(configuration, terminal: terminal)
    }
  }

  /// Whether the arguments look like a request. Loading the HTTP library takes most of its time,
  /// and can begin before they are parsed. A request that is not recognized loads it later.
  private static func mayBeRequest(_ arguments: [String]) -> Bool {
    var words = arguments[...]
    while let option = words.first, option.hasPrefix("-") {
      if option == "--offline" || option.hasPrefix("--environment") { return false }
      words = words.dropFirst(optionsWithValue.contains(option) ? 2 : 1)
    }
    guard let command = words.popFirst(), let next = words.first else { return false }
    return requestingCommands.contains(command) && !localCommands.contains(next)
  }

  private static let optionsWithValue: Set = [
    "--home", "--config", "--timeout", "--record", "--seed", "--output", "-o", "--color",
  ]
  private static let requestingCommands: Set = ["api", "characters", "downloads", "media"]
  /// What follows `api` in commands that send nothing.
  private static let localCommands: Set = ["cache", "cancel", "recent", "service"]
}
