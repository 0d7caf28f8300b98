import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `downloads`.
public enum DownloadsAction {
  /// A line asks for something.
  case run(context: CommandContext, command: DownloadsCommand)
  /// The service that a command asks is known; `nil` if the board has none of that name.
  case resolved(job: Int, service: APIService?)
  /// The program has answered; `masked` says in place of how many values there are marks.
  case answered(job: Int, answer: DownloadsAnswer, masked: MaskedValues?)
  /// A command failed.
  case failed(job: Int, failure: Failure)
}

extension DownloadsAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// The job of the command that the action belongs to, if any.
  public var owningJob: Int? {
    switch self {
    case .run(let context, _): context.job
    case .resolved(let job, _), .answered(let job, _, _), .failed(let job, _): job
    }
  }
}

/// A command of the feature `downloads`.
public struct DownloadsCommand: Codable, Sendable, Equatable {
  /// What is asked.
  public enum Request: Codable, Sendable, Equatable {
    /// The queue.
    case list
    /// What has ended, newest first.
    case history(limit: Int)
    /// Adds a download.
    case add(download: NewDownload)
    /// Pauses downloads; all of them if none is named.
    case pause(ids: [String])
    /// Goes on with downloads; with all of them if none is named.
    case resume(ids: [String])
    /// Removes downloads.
    case remove(ids: [String], deletesFiles: Bool)
  }

  /// The name of a service of the board.
  public var service: String
  /// What is asked.
  public var request: Request
  /// How often a question is asked again that failed for the time being.
  public var retries: Int

  /// A command from its parts.
  public init(_ request: Request, of service: String, retries: Int = 0) {
    self.service = service
    self.request = request
    self.retries = retries
  }
}

/// What a program has answered.
public enum DownloadsAnswer: Codable, Sendable, Equatable {
  /// Its queue.
  case queue(queue: DownloadQueue)
  /// What has ended.
  case history(downloads: [FinishedDownload])
  /// A download was added.
  case added(id: String)
  /// Downloads wait until they are resumed; all of them if none is named.
  case paused(ids: [String])
  /// Downloads go on.
  case resumed(ids: [String])
  /// Downloads were removed. `deletedUnasked` is true if their files were deleted although the line
  /// does not ask for it; `nil` otherwise.
  case removed(ids: [String], deletedUnasked: Bool? = nil)
}
