import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `characters`.
public enum CharactersAction {
  /// Starts a command.
  case run(context: CommandContext, command: CharactersCommand)
  /// The service of a command was looked up, or is `nil` if the board has none with that name.
  case resolved(job: Int, service: APIService?)
  /// An action of the list.
  case list(action: CharacterListAction)
  /// An action of the character that is shown.
  case detail(action: CharacterDetailAction)
  /// An action of the search.
  case search(action: CharacterSearchAction)
  /// The recent searches that are kept, newest first.
  case recent(job: Int, searches: [RecentSearch])
  /// A recent search was removed.
  case removed(job: Int, text: String, count: Int, warning: String? = nil)
  /// A command failed before it asked its service, or was cancelled by another one.
  case failed(job: Int, failure: Failure)
  /// Asks for the recent searches, so that the state has them.
  case bootstrap
  /// The texts of the recent searches, newest first, or `nil` if they cannot be read.
  case bootstrapped(recent: [String]?, failure: Failure? = nil)
}

extension CharactersAction: FeatureAction {
  /// The end of `bootstrap`.
  public var loading: LoadingEnd? {
    if case .bootstrapped(_, let failure) = self { LoadingEnd(failure) } else { nil }
  }

  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// The next page of a list belongs to no command, because the command has ended.
  public var owningJob: Int? {
    switch self {
    case .run(let context, _): context.job
    case .resolved(let job, _), .recent(let job, _), .removed(let job, _, _, _),
      .failed(let job, _):
      job
    case .list(.load(let request, _)), .list(.loaded(let request, _)),
      .list(.failed(let request, _, _)), .detail(.load(let request, _)),
      .detail(.loaded(let request, _)), .detail(.failed(let request, _, _)),
      .detail(.saveImage(let request, _, _)), .detail(.imageSaved(let request, _, _)),
      .detail(.imageFailed(let request, _)), .search(.load(let request, _, _)),
      .search(.loaded(let request, _)), .search(.failed(let request, _)):
      request.job
    case .list(.prefetched), .list(.prefetchFailed), .search, .bootstrap, .bootstrapped: nil
    }
  }

  /// The next page comes after a pause, whether or not a line follows.
  public var isTimeDriven: Bool {
    switch self {
    case .list(.prefetched), .list(.prefetchFailed): true
    default: false
    }
  }

  var list: CharacterListAction? { if case .list(let action) = self { action } else { nil } }
  var detail: CharacterDetailAction? { if case .detail(let action) = self { action } else { nil } }
  var search: CharacterSearchAction? { if case .search(let action) = self { action } else { nil } }
}
