import SwiftBoardJSON

/// A film, a series or an artist, with all members that the program sent.
public struct MediaResource: Codable, Sendable, Equatable {
  /// The resource in the program's own format.
  public var json: JSON

  /// Creates a resource from the program's own format.
  public init(_ json: JSON) { self.json = json }

  /// The displayed properties of the resource.
  public var item: MediaItem { MediaItem(self) }
}

/// The displayed properties of a film, a series or an artist.
public struct MediaItem: Codable, Sendable, Equatable, Identifiable {
  /// The program's identifier, or 0 if the item is not in the library.
  public var id: Int
  /// The title of a film or a series, or the name of an artist.
  public var title: String
  /// The year of the release.
  public var year: Int?
  /// Whether the program searches for missing files of the item.
  public var isMonitored: Bool
  /// The number of existing files.
  public var files: Int
  /// The number of files of the complete item, which is 1 for a film.
  public var wanted: Int
  /// The identifier in the catalogue, with which the item can be looked up: `tmdb:438631`.
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

  /// Creates the displayed properties of a resource. Missing members have default values.
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
      // A series may have both identifiers. Use that of its own program's catalogue.
      guard let id = json[member]?.intValue, id > 0 else { continue }
      if member == "tmdbId", json["tvdbId"]?.intValue ?? 0 > 0 { continue }
      return "\(prefix):\(id)"
    }
    return json["foreignArtistId"]?.stringValue.map { "lidarr:\($0)" }
  }

  /// The title with the year: `Dune (2021)`.
  public var name: String { year.map { "\(title) (\($0))" } ?? title }
}

/// A setting that can be chosen for a new item: a quality profile, a root folder or a metadata
/// profile.
public struct MediaOption: Codable, Sendable, Equatable {
  /// The kind of setting.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The accepted qualities, the folder of the files, or the included albums.
    case qualityProfile, rootFolder, metadataProfile
  }

  /// The program's identifier of the option.
  public var id: Int
  /// The name, or the path of a folder.
  public var name: String

  /// An option from its parts.
  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}
