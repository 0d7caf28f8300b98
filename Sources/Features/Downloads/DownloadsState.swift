import SwiftBoardBoard
import SwiftBoardDependencies

/// The state of the feature `downloads`: the last responses of the programs.
public struct DownloadsState: Codable, Sendable, Equatable {
  /// The number of rows that are kept of a list, and their bytes as JSON.
  static let (kept, keptBytes) = (50, 64 << 10)

  /// The last requested queue, updated by later changes, or `nil` before the first request.
  public var queue: ServiceContent<DownloadQueue>?
  /// The last requested history, or `nil` before the first request.
  public var history: History?
  /// The download that was added last.
  public var added: Added?
  /// The commands that wait for an answer, in the order of their lines.
  public var pending: [PendingDownloads] = []
  /// The running commands that change a queue, or `nil` in recordings in which they ended when they
  /// were cancelled.
  public var changes: RunningChanges? = []

  /// Removes what services answered and what was typed. Commands that wait stay.
  mutating func forget() { (queue, history, added) = (nil, nil, nil) }

  /// A history that was shown.
  public struct History: Codable, Sendable, Equatable {
    /// The name of the server.
    public var service: String
    /// Newest first; at most `kept`, with at most `keptBytes`.
    public var entries: [FinishedDownload]
  }

  /// A download that was added.
  public struct Added: Codable, Sendable, Equatable {
    /// The name of the server.
    public var service: String
    /// The program's name of it.
    public var id: String
  }
}

/// A command that waits for an answer.
public struct PendingDownloads: Codable, Sendable, Equatable {
  /// The job of the command; the cancel ID of its effects.
  public var job: Int
  /// What it asks for.
  public var command: DownloadsCommand
  /// Milliseconds for each request; `nil`: the usual time.
  public var timeout: Int64?
}
