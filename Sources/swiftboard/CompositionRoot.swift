import SwiftBoardDependencies
import SwiftBoardFeatures

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The one place that chooses the services.
enum CompositionRoot {
  static func run() async -> Int32 {
    await BoardProgram.run(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: ProcessInfo.processInfo.environment
    ) { environment, configuration, terminal in
      var dependencies =
        switch environment {
        case .live: Dependencies.live(configuration)
        case .mock: Dependencies.demonstration
        case .preview: Dependencies.preview
        }
      // The files that lines name, and the person who types them, are real in every environment.
      dependencies.files = LiveFileService(own: configuration.paths)
      dependencies.terminal = terminal
      return dependencies
    }
  }
}
