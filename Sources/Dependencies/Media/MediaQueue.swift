/// What a media program is downloading.
public struct MediaQueue: Codable, Sendable, Equatable {
  /// A download.
  public struct Entry: Codable, Sendable, Equatable, Identifiable {
    /// The program's number of it.
    public var id: Int
    /// The title of the release.
    public var title: String
    /// Bytes.
    public var size: Int64
    /// Bytes that are still to come.
    public var left: Int64
    /// The time that it still takes, as the program writes it: `00:12:30`.
    public var timeLeft: String?
    /// For example `downloading`.
    public var status: String
    /// What is wrong with it.
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

  /// How many downloads there are.
  public var count: Int
  /// The first of them; at most 200.
  public var entries: [Entry]

  /// A queue from its parts.
  public init(_ entries: [Entry], count: Int? = nil) {
    self.entries = entries
    self.count = count ?? entries.count
  }
}

/// A release of something that a media program looks for.
public struct MediaRelease: Codable, Sendable, Equatable {
  /// What is released.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A film: in cinemas, to be had digitally, on a disc.
    case cinema, digital, physical
    /// An episode is broadcast; an album comes out.
    case episode, album
  }

  /// The number of the film, the episode or the album.
  public var id: Int
  /// What is released.
  public var kind: Kind
  /// When, in microseconds since 1970.
  public var date: Int64
  /// The title of the film, the series or the artist; empty if the program does not send it.
  public var title: String
  /// The number and title of an episode, the title of an album.
  public var part: String?
  /// Whether its file is there; `nil` if the program does not say.
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
