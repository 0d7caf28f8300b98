import SwiftBoardDependencies

/// The state of the feature `downloads`: what the programs said last.
public struct DownloadsState: Codable, Sendable, Equatable {
  /// The number of rows that are kept of a list.
  static let kept = 50

  /// The queue that was asked for last, kept in step with what was changed since; `nil` before the
  /// first.
  public var queue: Queue?
  /// What had ended when that was asked for last, newest first; at most `kept`.
  public var history: [FinishedDownload] = []
  /// The download that was added last.
  public var added: String?
  /// The commands that wait for an answer, in the order of their lines.
  public var pending: [PendingDownloads] = []

  /// Nothing asked yet.
  public init() {}

  /// Removes what services answered and what was typed. Commands that wait stay.
  mutating func forget() { (queue, history, added) = (nil, [], nil) }

  /// A queue that was shown.
  public struct Queue: Codable, Sendable, Equatable {
    /// Whose it is.
    public var service: String
    /// At most `kept` of its downloads.
    public var content: DownloadQueue
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

  /// A command that waits.
  public init(job: Int, command: DownloadsCommand, timeout: Int64? = nil) {
    self.job = job
    self.command = command
    self.timeout = timeout
  }
}
