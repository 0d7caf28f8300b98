import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem

/// The only place that selects the services.
enum CompositionRoot {
  /// - Parameter arguments: The arguments without the program's name.
  static func run(_ arguments: [String]) async -> Int32 {
    await BoardProgram.run(
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment,
      features: BoardFeatures.all
    ) { environment, configuration, terminal in
      var dependencies =
        switch environment {
        case .live: Dependencies.live(configuration)
        case .mock: Dependencies.demonstration
        case .preview: Dependencies.preview
        }
      // Files named in lines, and the terminal, are real in every environment.
      dependencies.files = LiveFileService(
        own: configuration.paths, environment: configuration.environment)
      dependencies.terminal = terminal
      return dependencies
    }
  }
}
