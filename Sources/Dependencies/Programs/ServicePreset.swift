/// The known kinds of services, with the program and the authentication of each.
///
/// Everything that depends on the kind is in this file or in a `switch` over `program`, so the
/// compiler lists what a new kind requires.
public enum ServicePreset: String, CaseIterable, Sendable {
  /// Libraries of films, series and music.
  case radarr, sonarr, lidarr
  /// Programs that download.
  case sabnzbd, nzbget
  /// The Rick and Morty API.
  case rickAndMorty = "rick-and-morty"

  /// The program behind a service.
  public enum Program: Sendable, Equatable {
    /// A program that `MediaService` supports.
    case media(MediaProgram)
    /// A program that `DownloadService` supports.
    case downloads(DownloadProgram)
    /// An API with pages of characters.
    case characters
  }

  /// Creates the kind whose program has this display name, or returns `nil` if there is none.
  public init?(title: String) {
    guard let preset = Self.allCases.first(where: { $0.title == title }) else { return nil }
    self = preset
  }

  /// The program behind a service of this kind.
  public var program: Program {
    switch self {
    case .radarr: .media(.radarr)
    case .sonarr: .media(.sonarr)
    case .lidarr: .media(.lidarr)
    case .sabnzbd: .downloads(.sabnzbd)
    case .nzbget: .downloads(.nzbget)
    case .rickAndMorty: .characters
    }
  }

  /// The name of the program, for users.
  public var title: String {
    switch program {
    case .media(let program): program.title
    case .downloads(let program): program.title
    case .characters: "the Rick and Morty API"
    }
  }

  /// A typical address of such a service.
  public var usualAddress: String {
    switch self {
    case .radarr: "http://HOST:7878/api/v3"
    case .sonarr: "http://HOST:8989/api/v3"
    case .lidarr: "http://HOST:8686/api/v1"
    case .sabnzbd: "http://HOST:8080/sabnzbd"
    case .nzbget: "http://HOST:6789"
    case .rickAndMorty: "https://rickandmortyapi.com/api"
    }
  }

  /// Whether such a service is used with a key.
  package var takesKey: Bool { authentication(secret: "", user: nil) != nil }

  /// Whether such a service is used under a name of a user.
  package var takesUser: Bool {
    if case .basic? = authentication(secret: "", user: nil) { true } else { false }
  }

  /// Returns the authentication of such a service, or `nil` if it needs none.
  ///
  /// - Parameters:
  ///   - secret: The name of the key in the keychain.
  ///   - user: The user name, if the kind requires one, or `nil` for the default.
  public func authentication(secret: String, user: String?) -> APIService.Authentication? {
    switch self {
    case .radarr, .sonarr, .lidarr: .header(name: "X-Api-Key", secret: secret)
    case .sabnzbd: .query(name: "apikey", secret: secret)
    case .nzbget: .basic(user: user ?? "nzbget", secret: secret)
    case .rickAndMorty: nil
    }
  }
}
