import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `media`.
public enum MediaAction {
  /// A line asks for something.
  case run(context: CommandContext, command: MediaCommand)
  /// The service that a command asks is known; `nil` if the board has none of that name.
  case resolved(job: Int, service: APIService?)
  /// The program has answered; `masked` says in place of how many values there are marks.
  case answered(job: Int, answer: MediaAnswer, masked: MaskedValues?)
  /// An action of an addition.
  case addition(job: Int, action: MediaAdditionAction)
  /// A command failed.
  case failed(job: Int, failure: Failure)
}

extension MediaAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// The job of the command that the action belongs to, if any.
  public var owningJob: Int? {
    switch self {
    case .run(let context, _): context.job
    case .resolved(let job, _), .answered(let job, _, _), .addition(let job, _),
      .failed(let job, _):
      job
    }
  }

  /// The job and the action of an addition.
  var addition: (Int, MediaAdditionAction)? {
    if case .addition(let job, let action) = self { (job, action) } else { nil }
  }
}

/// A command of the feature `media`.
public struct MediaCommand: Codable, Sendable, Equatable {
  /// What is asked.
  public enum Request: Codable, Sendable, Equatable {
    /// The library.
    case list
    /// An item of the library.
    case show(id: Int)
    /// What the catalogue has for a term.
    case search(term: String)
    /// Adds what the catalogue has for a term.
    case add(order: MediaOrder)
    /// Removes an item.
    case remove(id: Int, deletesFiles: Bool)
    /// Begins or ends to look for an item.
    case monitor(id: Int, isMonitored: Bool)
    /// What is being downloaded.
    case queue
    /// Removes a download, and has the program not choose its release again.
    case removeDownload(id: Int, blocksRelease: Bool)
    /// The releases of some days, from 00:00 UTC.
    case calendar(days: MediaDays)
    /// Tells the program to search its indexers for an item.
    case find(id: Int)
  }

  /// The name of a service of the board.
  public var service: String
  /// What is asked.
  public var request: Request
  /// The permitted sources of the library; `nil`: the program, else what is kept.
  public var cache: CachePolicy?
  /// How often a question is asked again that failed for the time being.
  public var retries: Int

  /// A command from its parts.
  public init(
    _ request: Request, of service: String, cache: CachePolicy? = nil, retries: Int = 0
  ) {
    self.service = service
    self.request = request
    self.cache = cache
    self.retries = retries
  }
}

/// The days of a calendar.
public struct MediaDays: Codable, Sendable, Equatable {
  /// The first day, in microseconds since 1970; `nil`: today.
  public var from: Int64?
  /// The number of days.
  public var count: Int
}

/// What is to be added, and with which options.
public struct MediaOrder: Codable, Sendable, Equatable {
  /// What the catalogue is searched for: a title, or a number like `tmdb:438631`.
  public var term: String
  /// Which of those that were found, from 1.
  public var pick: Int?
  /// The names of the options.
  public var options: [MediaOption.Kind: String]
  /// Whether the program is to look for it.
  public var isMonitored: Bool
  /// Whether the program is to search its indexers at once.
  public var searches: Bool

  /// Something to be added.
  public init(
    _ term: String, pick: Int? = nil, options: [MediaOption.Kind: String] = [:],
    isMonitored: Bool = true, searches: Bool = false
  ) {
    self.term = term
    self.pick = pick
    self.options = options
    self.isMonitored = isMonitored
    self.searches = searches
  }

  private enum CodingKeys: CodingKey {
    case term, pick, qualityProfile, rootFolder, metadataProfile, isMonitored, searches
  }

  private static let keys: [(MediaOption.Kind, CodingKeys)] = [
    (.qualityProfile, .qualityProfile), (.rootFolder, .rootFolder),
    (.metadataProfile, .metadataProfile),
  ]

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .term),
      pick: try container.decodeIfPresent(Int.self, forKey: .pick),
      isMonitored: try container.decode(Bool.self, forKey: .isMonitored),
      searches: try container.decode(Bool.self, forKey: .searches))
    for (kind, key) in Self.keys {
      options[kind] = try container.decodeIfPresent(String.self, forKey: key)
    }
  }

  /// An object; options that are not given are left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(term, forKey: .term)
    try container.encodeIfPresent(pick, forKey: .pick)
    for (kind, key) in Self.keys { try container.encodeIfPresent(options[kind], forKey: key) }
    try container.encode(isMonitored, forKey: .isMonitored)
    try container.encode(searches, forKey: .searches)
  }
}

/// What a program has answered.
public enum MediaAnswer: Codable, Sendable, Equatable {
  /// Its library.
  case library(library: MediaLibrary)
  /// An item, whole.
  case item(resource: MediaResource)
  /// The first of what its catalogue has, and how many more there are; `nil`: none.
  case found(items: [MediaItem], more: Int? = nil)
  /// An item was changed.
  case changed(item: MediaItem)
  /// An item was removed.
  case removed(id: Int)
  /// What is being downloaded.
  case queue(queue: MediaQueue)
  /// A download was removed.
  case removedDownload(id: Int)
  /// The releases of some days.
  case calendar(releases: [MediaRelease])
  /// A search of the indexers was begun; what the program says of it.
  case searching(id: Int, status: String)
}
