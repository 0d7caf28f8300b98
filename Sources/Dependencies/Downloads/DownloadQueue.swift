/// The downloads of a program.
public struct DownloadQueue: Codable, Sendable, Equatable {
  /// Whether all of it is paused.
  public var isPaused: Bool
  /// Bytes a second.
  public var speed: Int64
  /// How many downloads there are.
  public var count: Int
  /// The first of them; at most 200.
  public var entries: [Entry]

  /// A queue from its parts.
  public init(isPaused: Bool = false, speed: Int64 = 0, _ entries: [Entry], count: Int? = nil) {
    self.isPaused = isPaused
    self.speed = speed
    self.entries = entries
    self.count = count ?? entries.count
  }

  /// A download.
  public struct Entry: Codable, Sendable, Equatable, Identifiable {
    /// The program's name of it.
    public var id: String
    /// What is downloaded.
    public var name: String
    /// Where it is.
    public var status: Status
    /// Bytes.
    public var size: Int64
    /// Bytes that are still to come.
    public var left: Int64
    /// Seconds that it still takes; `nil` if that is not known.
    public var secondsLeft: Int64?
    /// Its category; `nil` if it has none.
    public var category: String?

    /// A download from its parts.
    public init(
      id: String, name: String, status: Status, size: Int64, left: Int64,
      secondsLeft: Int64? = nil, category: String? = nil
    ) {
      self.id = id
      self.name = name
      self.status = status
      self.size = size
      self.left = left
      self.secondsLeft = secondsLeft
      self.category = category
    }
  }

  /// Where a download is.
  public enum Status: String, Codable, Sendable, CaseIterable {
    /// It is downloaded; it waits; it waits until it is resumed.
    case downloading, queued, paused
    /// Its NZB file is fetched; what came is checked, repaired or unpacked.
    case fetching, processing
    /// Anything else.
    case other
  }
}

/// A download that has ended.
public struct FinishedDownload: Codable, Sendable, Equatable, Identifiable {
  /// The program's name of it.
  public var id: String
  /// What was downloaded.
  public var name: String
  /// Whether its files are there.
  public var isComplete: Bool
  /// As the program writes it: `Completed`, `FAILURE/HEALTH`.
  public var status: String
  /// Why it failed.
  public var problem: String?
  /// Bytes.
  public var size: Int64
  /// When it ended, in microseconds since 1970.
  public var ended: Int64?

  /// A download from its parts.
  public init(
    id: String, name: String, isComplete: Bool, status: String, problem: String? = nil,
    size: Int64 = 0, ended: Int64? = nil
  ) {
    self.id = id
    self.name = name
    self.isComplete = isComplete
    self.status = status
    self.problem = problem
    self.size = size
    self.ended = ended
  }
}
