import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `analytics`.
public enum AnalyticsAction {
  /// Starts a command.
  case run(context: CommandContext, command: AnalyticsCommand)
  /// The consent is stored, so that later sessions know it.
  case stored(job: Int, consent: Bool)
  /// The consent is in effect in this session.
  case applied(job: Int, consent: Bool)
  /// Asks for the consent, so that the state has it.
  case bootstrap
  /// The stored consent, or `nil` if none is stored or it cannot be read, and the one that is in
  /// effect, which is `nil` if the stored one cannot be read.
  case bootstrapped(consent: Bool?, inEffect: Bool? = nil, failure: Failure? = nil)
  /// The same for `analytics status`, with the statistics of the providers.
  case read(job: Int, stored: Bool?, inEffect: Bool, providers: [AnalyticsStatistics])
  /// The command succeeded.
  case succeeded(job: Int, result: AnalyticsResult)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension AnalyticsAction: FeatureAction {
  /// The end of reading the consent.
  public var loading: LoadingEnd? {
    switch self {
    case .bootstrapped(_, _, let failure): LoadingEnd(failure)
    case .read: .loaded
    default: nil
    }
  }

  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The commands of the feature `analytics`.
public enum AnalyticsCommand: String, Codable, Sendable, Equatable {
  /// Gives consent, or withdraws it.
  case on, off
  /// Prints the consent, and what became of the events.
  case status
  /// Prints the newest events.
  case show
}

/// The result of an `analytics` command that succeeded.
public enum AnalyticsResult: Codable, Sendable, Equatable {
  /// The consent now in effect.
  case consent(isGiven: Bool)
  /// The consent, and the statistics of the providers.
  case status(consent: Bool, providers: [AnalyticsStatistics])
  /// The newest events of this session, oldest first.
  case events(events: [AnalyticsEvent])
}

/// The state of the feature `analytics`.
public struct AnalyticsState: Codable, Sendable, Equatable {
  /// Whether the user has given consent, or `nil` before a command has reported it.
  public var consent: Bool?
  /// The running commands that change the consent, or `nil` in recordings in which they ended when
  /// they were cancelled.
  public var changes: RunningChanges? = []
}
