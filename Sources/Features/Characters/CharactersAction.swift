import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

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

  /// The next page comes after a pause, whether or not a line follows.
  public var comesByItself: Bool {
    switch self {
    case .list(.prefetched), .list(.prefetchFailed): true
    default: false
    }
  }

  var list: CharacterListAction? { if case .list(let action) = self { action } else { nil } }
  var detail: CharacterDetailAction? { if case .detail(let action) = self { action } else { nil } }
  var search: CharacterSearchAction? { if case .search(let action) = self { action } else { nil } }
}

/// The commands of the feature `characters`.
public enum CharactersCommand: Codable, Sendable, Equatable {
  /// A page of the list.
  case list(page: Int, options: CharactersOptions)
  /// One character.
  case show(id: Int, options: CharactersOptions)
  /// A page of what a search finds.
  case search(filter: CharacterFilter, page: Int, options: CharactersOptions)
  /// Writes the picture of a character to a file.
  case image(id: Int, file: String, options: CharactersOptions)
  /// Asks again for what is shown.
  case refresh(options: CharactersOptions)
  /// The recent searches.
  case recent
  /// Forgets a recent search.
  case recentRemove(text: String)

  /// The options of a command that sends a request, or `nil` for other commands.
  var options: CharactersOptions? {
    switch self {
    case .list(_, let options), .show(_, let options), .search(_, _, let options),
      .image(_, _, let options), .refresh(let options):
      options
    case .recent, .recentRemove: nil
    }
  }
}

/// The options of a request.
public struct CharactersOptions: Codable, Sendable, Equatable {
  /// The name of a service of the board; `nil`: `rick-and-morty`, or the public one.
  public var service: String?
  /// The permitted sources of the response, or `nil` for the command's default.
  public var cache: CachePolicy?
  /// The maximum number of repetitions after a temporary failure.
  public var retries: Int

  /// Creates options, by default the usual ones.
  public init(service: String? = nil, cache: CachePolicy? = nil, retries: Int = 0) {
    self.service = service
    self.cache = cache
    self.retries = retries
  }
}

/// The actions of the list.
public enum CharacterListAction: Codable, Sendable, Equatable {
  /// Asks for a page.
  case load(request: CharactersRequest, page: Int)
  /// The page was loaded.
  case loaded(request: CharactersRequest, answer: ServiceAnswer<CharacterPage>)
  /// The page could not be loaded.
  case failed(request: CharactersRequest, page: Int, error: ServiceError)
  /// The next page is in the cache.
  case prefetched(page: Int)
  /// The next page could not be loaded. Only the log reports it.
  case prefetchFailed(page: Int)
}

/// The actions of the character that is shown.
public enum CharacterDetailAction: Codable, Sendable, Equatable {
  /// Asks for a character.
  case load(request: CharactersRequest, id: Int)
  /// The character was loaded.
  case loaded(request: CharactersRequest, answer: ServiceAnswer<SeriesCharacter>)
  /// The character could not be loaded.
  case failed(request: CharactersRequest, id: Int, error: ServiceError)
  /// Downloads the picture at an address into a file.
  case saveImage(request: CharactersRequest, url: String, file: String)
  /// The picture was written.
  case imageSaved(request: CharactersRequest, file: String, bytes: Int)
  /// There is no picture, or it could not be written.
  case imageFailed(request: CharactersRequest, error: ServiceError)
}

/// The actions of the search.
public enum CharacterSearchAction: Codable, Sendable, Equatable {
  /// Searches.
  case load(request: CharactersRequest, filter: CharacterFilter, page: Int)
  /// The search succeeded.
  case loaded(request: CharactersRequest, answer: ServiceAnswer<CharacterPage>)
  /// There was no answer, or nothing was found.
  case failed(request: CharactersRequest, error: ServiceError)
  /// The search was added to the recent ones.
  case remembered(text: String)
  /// The recent searches, newest first, were read from the database.
  case recalled(texts: [String])
  /// The search was not added to the recent ones, because the database failed.
  case notRemembered(failure: Failure)
}
