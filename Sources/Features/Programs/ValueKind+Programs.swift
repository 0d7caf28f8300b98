import SwiftBoardCommandLine
import SwiftBoardDependencies

extension ValueKind {
  /// The name of a service with the preset of a media program.
  public static let mediaService = ValueKind.entity("media service")
  /// The name of a service with the preset of a download program.
  public static let downloadService = ValueKind.entity("download service")
}

extension PersistenceService {
  /// Returns the names of the services whose preset is one of these programs, or no name if the
  /// services cannot be read.
  func serviceNames<Program: CaseIterable & RawRepresentable<String>>(
    of programs: Program.Type
  ) async -> [String] {
    let services = (try? await services()) ?? []
    return services.filter { $0.preset.flatMap(Program.init(rawValue:)) != nil }.map(\.name)
  }
}
