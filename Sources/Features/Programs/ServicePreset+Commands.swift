import SwiftBoardDependencies

extension ServicePreset {
  /// The command with which a service of this kind is usually first used.
  func firstCommand(service: String) -> String {
    switch program {
    case .media: "media list \(service)"
    case .downloads: "downloads list \(service)"
    case .characters: "characters list --service \(service)"
    }
  }
}
