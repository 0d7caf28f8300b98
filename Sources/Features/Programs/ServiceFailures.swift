import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

// What the features that ask a program of a service say of services.

extension Failure {
  init(noService name: String) {
    self.init(
      code: ExitCode.missing, error: "noSuchService",
      message: "there is no service named '\(name)'",
      help: "'api service add \(name) URL --preset KIND' makes it known")
  }

  /// - Parameter presets: The kinds of programs that the feature asks.
  init(noProgram service: APIService, of feature: String, presets: [String]) {
    let other = Self.feature(asking: service.preset)
    let kind = service.preset.map { "is of the kind \($0)" } ?? "has no preset"
    self.init(
      code: ExitCode.usage, error: "usage",
      message: "the service '\(service.name)' \(kind), which '\(feature)' cannot ask",
      help: other.map { "'\($0) list \(service.name)' asks it" }
        ?? "add it again with --preset \(presets.joined(separator: ", or "))")
  }

  /// The feature that asks the programs of a preset.
  private static func feature(asking preset: String?) -> String? {
    guard let preset else { return nil }
    if MediaProgram(rawValue: preset) != nil { return MediaAction.feature }
    return DownloadProgram(rawValue: preset) == nil ? nil : DownloadsAction.feature
  }

  /// Refuses a service in which a mark stands for a part of the address: it would be another one.
  static func refuseMarks(in service: APIService) throws(Failure) {
    do { try MarkedText.refuse(service.baseURL, in: "the address of the service") } catch {
      throw Failure(any: error)
    }
  }

  static func holdsSecrets(_ masked: MaskedValues) -> Failure {
    Failure(
      code: ExitCode.data, error: "maskedSecret",
      message: "what the program sent holds the secret '\(masked.names.first ?? "")' in place of "
        + "its value, and is not sent back",
      help: "change it in the program itself")
  }
}
