import SwiftBoardDependencies

/// How services of a kind want their key.
enum APIPreset: String, CaseIterable {
  case radarr, sonarr, lidarr, sabnzbd, nzbget
  case rickAndMorty = "rick-and-morty"

  func authentication(secret: String, user: String?) -> APIService.Authentication? {
    switch self {
    case .radarr, .sonarr, .lidarr: .header(name: "X-Api-Key", secret: secret)
    case .sabnzbd: .query(name: "apikey", secret: secret)
    case .nzbget: .basic(user: user ?? "nzbget", secret: secret)
    case .rickAndMorty: nil
    }
  }

  /// The command with which a service of this kind is usually first used, or `nil` if it is a
  /// request.
  func firstCommand(service: String) -> String? {
    switch self {
    case .radarr, .sonarr, .lidarr: "media list \(service)"
    case .sabnzbd, .nzbget: "downloads list \(service)"
    case .rickAndMorty: nil
    }
  }
}
