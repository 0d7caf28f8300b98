import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The state of the feature `media`: the last responses of the programs.
public struct MediaState: Codable, Sendable, Equatable {
  /// The number of rows that are kept of a list, and their bytes as JSON.
  static let (kept, keptBytes) = (100, 64 << 10)

  /// The library that was asked for last; `nil` before the first.
  public var library: Library?
  /// The item that was asked for or changed last; `nil` before the first.
  public var item: ServiceContent<MediaItem>?
  /// What was looked up last; `nil` before the first.
  public var lookup: Lookup?
  /// The last queue, at most `kept` of its downloads; `nil` before the first.
  public var queue: ServiceContent<MediaQueue>?
  /// The last calendar; `nil` before the first.
  public var calendar: Calendar?
  /// What is being added, by job.
  public var additions = IdentifiedArray<Int, MediaAddition>()
  /// The commands that wait for an answer, in the order of their lines.
  public var pending: [PendingMedia] = []
  /// The running commands that change something, except for additions, or `nil` in recordings in
  /// which they ended when they were cancelled.
  public var changes: RunningChanges? = []

  /// Removes what services answered and what was typed. Commands that wait stay.
  mutating func forget() {
    (library, item, lookup, queue, calendar) = (nil, nil, nil, nil, nil)
  }

  /// A library that was shown.
  public struct Library: Codable, Sendable, Equatable {
    /// The name of the server.
    public var service: String
    /// The number of its items.
    public var count: Int
    /// How many of them are monitored.
    public var monitored: Int
    /// The first of its items; at most `kept`, with at most `keptBytes`.
    public var items: [MediaItem]
    /// Whether the program did not confirm it.
    public var isStale: Bool

    /// What is kept of an answer.
    public init(_ library: MediaLibrary, of service: String) {
      self.service = service
      count = library.items.count
      monitored = library.items.count { $0.isMonitored }
      items = library.items.prefix(MediaState.kept, bytes: MediaState.keptBytes)
      isStale = library.verdict == .stale
    }
  }

  /// What was looked up.
  public struct Lookup: Codable, Sendable, Equatable {
    /// The name of the server.
    public var service: String
    /// The search term.
    public var term: String
    /// What was found, at most 20.
    public var items: [MediaItem]
  }

  /// The releases of some days.
  public struct Calendar: Codable, Sendable, Equatable {
    /// The name of the server.
    public var service: String
    /// Where the days begin, in microseconds since 1970.
    public var from: Int64
    /// Where they end.
    public var until: Int64
    /// At most `kept`, with at most `keptBytes`.
    public var releases: [MediaRelease]
  }
}

/// A command that waits for an answer.
public struct PendingMedia: Codable, Sendable, Equatable {
  /// The job of the command; the cancel ID of its effects.
  public var job: Int
  /// What it asks for.
  public var command: MediaCommand
  /// Milliseconds for each request; `nil`: the usual time.
  public var timeout: Int64?
  /// The program that it asks, once that is known.
  public var server: MediaServer?
  /// The days of a calendar that is asked for, without releases.
  public var calendar: MediaState.Calendar?
}
