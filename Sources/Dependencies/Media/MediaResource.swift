import SwiftBoardJSON

/// A film, a series or an artist, with every member that its program sent.
public struct MediaResource: Codable, Sendable, Equatable {
  /// The resource as the program wrote it.
  public var json: JSON

  /// A resource as a program writes it.
  public init(_ json: JSON) { self.json = json }

  /// What the board shows of it.
  public var item: MediaItem { MediaItem(self) }
}

/// What the board shows of a film, a series or an artist.
public struct MediaItem: Codable, Sendable, Equatable, Identifiable {
  /// The program's number of it; 0 for one that is not in the library.
  public var id: Int
  /// The title of a film or a series, the name of an artist.
  public var title: String
  /// The year of its release.
  public var year: Int?
  /// Whether the program looks for it.
  public var isMonitored: Bool
  /// How many of its files are there, and how many there should be.
  public var files: Int
  /// The number of files that it has once it is complete: 1 for a film.
  public var wanted: Int
  /// Its number in the catalogue, by which it can be looked up: `tmdb:438631`.
  public var catalogue: String?

  /// An item from its parts.
  public init(
    id: Int, title: String, year: Int? = nil, isMonitored: Bool = false, files: Int = 0,
    wanted: Int = 1, catalogue: String? = nil
  ) {
    self.id = id
    self.title = title
    self.year = year
    self.isMonitored = isMonitored
    self.files = files
    self.wanted = wanted
    self.catalogue = catalogue
  }

  /// What is shown of a resource; members that are not there have their usual values.
  public init(_ resource: MediaResource) {
    let json = resource.json
    let statistics = json["statistics"]
    id = json["id"]?.intValue ?? 0
    title = json["title"]?.stringValue ?? json["artistName"]?.stringValue ?? ""
    year = json["year"]?.intValue.flatMap { $0 > 0 ? $0 : nil }
    isMonitored = json["monitored"]?.boolValue ?? false
    if let hasFile = json["hasFile"]?.boolValue {
      files = hasFile ? 1 : 0
      wanted = 1
    } else {
      files =
        statistics?["episodeFileCount"]?.intValue ?? statistics?["trackFileCount"]?.intValue ?? 0
      wanted = statistics?["episodeCount"]?.intValue ?? statistics?["trackCount"]?.intValue ?? 0
    }
    catalogue = Self.catalogue(json)
  }

  private static func catalogue(_ json: JSON) -> String? {
    for (member, prefix) in [("tmdbId", "tmdb"), ("tvdbId", "tvdb")] {
      // A series may have a number of both; that of its own program's catalogue is its own.
      guard let id = json[member]?.intValue, id > 0 else { continue }
      if member == "tmdbId", json["tvdbId"]?.intValue ?? 0 > 0 { continue }
      return "\(prefix):\(id)"
    }
    return json["foreignArtistId"]?.stringValue.map { "lidarr:\($0)" }
  }

  /// The title with the year: `Dune (2021)`.
  public var name: String { year.map { "\(title) (\($0))" } ?? title }
}

/// The items of a library, and where they came from.
public struct MediaLibrary: Codable, Sendable, Equatable {
  /// In the order of the program.
  public var items: [MediaItem]
  /// Whether the cache had a part in it.
  public var verdict: CacheVerdict
  /// Why a kept answer stands in for the program's.
  public var stale: String?

  /// A library from its parts.
  public init(_ items: [MediaItem], verdict: CacheVerdict = .miss, stale: String? = nil) {
    self.items = items
    self.verdict = verdict
    self.stale = stale
  }
}

/// Something that an added item can choose from: a quality profile, a root folder, a metadata
/// profile.
public struct MediaOption: Codable, Sendable, Equatable {
  /// What is chosen.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// Which qualities are good enough; the folder of the files; which albums count.
    case qualityProfile, rootFolder, metadataProfile
  }

  /// The program's number of it.
  public var id: Int
  /// Its name; the path of a folder.
  public var name: String

  /// An option from its parts.
  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}
