/// The kinds of services that the board knows: what answers there, and how it wants its key.
///
/// All that depends on the kind is here, or in a `switch` over `program`, so that the compiler says
/// what a new kind still needs.
public enum ServicePreset: String, CaseIterable, Sendable {
  /// Libraries of films, series and music.
  case radarr, sonarr, lidarr
  /// Programs that download.
  case sabnzbd, nzbget
  /// The API of the series' characters.
  case rickAndMorty = "rick-and-morty"

  /// What answers at a service of a kind.
  public enum Program: Sendable, Equatable {
    /// A program that `MediaService` asks.
    case media(MediaProgram)
    /// A program that `DownloadService` asks.
    case downloads(DownloadProgram)
    /// An API of characters, with pages.
    case characters
  }

  /// The kind with the name that its program has for users, or `nil` if there is none.
  public init?(title: String) {
    guard let preset = Self.allCases.first(where: { $0.title == title }) else { return nil }
    self = preset
  }

  /// What answers at a service of this kind.
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

  /// An address as such a service usually has it.
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

  /// Where such a service wants its key, or `nil` if it has none.
  ///
  /// - Parameters:
  ///   - secret: The name of the key in the keychain.
  ///   - user: The user, for a kind that wants one; `nil`: the usual one.
  public func authentication(secret: String, user: String?) -> APIService.Authentication? {
    switch self {
    case .radarr, .sonarr, .lidarr: .header(name: "X-Api-Key", secret: secret)
    case .sabnzbd: .query(name: "apikey", secret: secret)
    case .nzbget: .basic(user: user ?? "nzbget", secret: secret)
    case .rickAndMorty: nil
    }
  }
}
