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
      let dependencies: Dependencies =
        switch environment {
        case .live: .live(configuration)
        case .mock: .demonstration
        case .preview: .preview
        }
      return dependencies.inProgram(configuration, terminal: terminal)
    }
  }
}
