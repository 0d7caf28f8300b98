import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem

/// The only place that selects the services.
enum CompositionRoot {
  /// - Parameter arguments: The arguments without the program's name.
  static func run(_ arguments: [String]) async -> Int32 {
    let variables = ProcessInfo.processInfo.environment
    UnlockSources.removeFromEnvironment()
    if mayBeRequest(arguments) { LiveAPIClient.loadLibrary() }
    return await BoardProgram.run(
      arguments: arguments, environment: variables, features: BoardFeatures.all
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
  /// and can begin before they are parsed.
  private static func mayBeRequest(_ arguments: [String]) -> Bool {
    guard let command = arguments.firstIndex(where: requestingCommands.contains),
      command + 1 < arguments.count
    else { return false }
    return !localCommands.contains(arguments[command + 1])
  }

  private static let requestingCommands: Set = ["api", "characters", "downloads", "media"]
  /// What follows `api` in commands that send nothing.
  private static let localCommands: Set = ["cache", "cancel", "recent", "saved", "service"]
}
