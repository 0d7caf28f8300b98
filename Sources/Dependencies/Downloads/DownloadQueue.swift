/// The download queue of a program.
public struct DownloadQueue: Codable, Sendable, Equatable {
  /// Whether the whole queue is paused.
  public var isPaused: Bool
  /// The download rate in bytes per second.
  public var speed: Int64
  /// The number of downloads in the queue.
  public var count: Int
  /// The first downloads of the queue, at most 200.
  public var entries: [Entry]

  /// Creates a queue.
  public init(isPaused: Bool = false, speed: Int64 = 0, _ entries: [Entry], count: Int? = nil) {
    self.isPaused = isPaused
    self.speed = speed
    self.entries = entries
    self.count = count ?? entries.count
  }

  /// A download.
  public struct Entry: Codable, Sendable, Equatable, Identifiable {
    /// The program's identifier of the download.
    public var id: String
    /// The name of the download.
    public var name: String
    /// The status of the download.
    public var status: Status
    /// The size in bytes.
    public var size: Int64
    /// The number of remaining bytes.
    public var left: Int64
    /// The part of the size that is paused and not in `left`, such as files for a repair that may
    /// not be necessary, or `nil` if there is none.
    public var pausedBytes: Int64?
    /// The estimated remaining time in seconds, or `nil` if it is unknown.
    public var secondsLeft: Int64?
    /// The category, or `nil` if there is none.
    public var category: String?

    /// A download from its parts.
    public init(
      id: String, name: String, status: Status, size: Int64, left: Int64,
      pausedBytes: Int64? = nil, secondsLeft: Int64? = nil, category: String? = nil
    ) {
      self.id = id
      self.name = name
      self.status = status
      self.size = size
      self.left = left
      self.pausedBytes = pausedBytes
      self.secondsLeft = secondsLeft
      self.category = category
    }
  }

  /// The status of a download.
  public enum Status: String, Codable, Sendable, CaseIterable {
    /// The download is active, waits in the queue, or is paused.
    case downloading, queued, paused
    /// The NZB file is being fetched, or the downloaded files are being verified, repaired or
    /// unpacked.
    case fetching, processing
    /// Any other status.
    case other
  }
}

/// A download of the history. One that is still verified, repaired or unpacked may be in it.
public struct FinishedDownload: Codable, Sendable, Equatable, Identifiable {
  /// The program's name of it.
  public var id: String
  /// The name of the download.
  public var name: String
  /// Whether the download succeeded.
  public var isComplete: Bool
  /// The status in the program's own words, such as `Completed` or `FAILURE/HEALTH`.
  public var status: String
  /// The problem of the download, or `nil` if there was none.
  public var problem: String?
  /// The size in bytes.
  public var size: Int64
  /// The time of the end in microseconds since 1970, or `nil` if it has not ended.
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
