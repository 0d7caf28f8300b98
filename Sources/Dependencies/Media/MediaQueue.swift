/// The download queue of a media program.
public struct MediaQueue: Codable, Sendable, Equatable {
  /// A download.
  public struct Entry: Codable, Sendable, Equatable, Identifiable {
    /// The program's identifier of the download.
    public var id: Int
    /// The title of the release.
    public var title: String
    /// The size in bytes.
    public var size: Int64
    /// The number of remaining bytes.
    public var left: Int64
    /// The estimated remaining time in the program's own format: `00:12:30`.
    public var timeLeft: String?
    /// The status in the program's own words, for example `downloading`.
    public var status: String
    /// The problem that the program reports, or `nil` if there is none.
    public var problem: String?

    /// A download from its parts.
    public init(
      id: Int, title: String, size: Int64, left: Int64, timeLeft: String? = nil, status: String,
      problem: String? = nil
    ) {
      self.id = id
      self.title = title
      self.size = size
      self.left = left
      self.timeLeft = timeLeft
      self.status = status
      self.problem = problem
    }
  }

  /// The number of downloads.
  public var count: Int
  /// The first downloads, at most 2000.
  public var entries: [Entry]

  /// A queue from its parts.
  public init(_ entries: [Entry], count: Int? = nil) {
    self.entries = entries
    self.count = count ?? entries.count
  }
}

/// A release of a film, an episode or an album that a media program monitors.
public struct MediaRelease: Codable, Sendable, Equatable {
  /// The kind of a release.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The theatrical, digital or physical release of a film.
    case cinema, digital, physical
    /// The broadcast of an episode, or the release of an album.
    case episode, album
  }

  /// The identifier of the film, the episode or the album.
  public var id: Int
  /// The kind of the release.
  public var kind: Kind
  /// The time of the release, in microseconds since 1970.
  public var date: Int64
  /// The title of the film or series, or the name of the artist. Empty if the program omits it.
  public var title: String
  /// The number and title of an episode, or the title of an album.
  public var part: String?
  /// Whether its file exists, or `nil` if the program does not report it.
  public var hasFile: Bool?

  /// A release from its parts.
  public init(
    id: Int, kind: Kind, date: Int64, title: String, part: String? = nil, hasFile: Bool? = nil
  ) {
    self.id = id
    self.kind = kind
    self.date = date
    self.title = title
    self.part = part
    self.hasFile = hasFile
  }
}
