import SwiftBoardDependencies

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
  public var retries = 0
}
