import SwiftBoardBoard

/// A search and what it found.
public struct CharacterSearch: Codable, Sendable, Equatable {
  /// The number of searches that are kept.
  static let kept = 20

  /// What was searched for.
  public var filter = CharacterFilter()
  /// The page that was asked for, from 1.
  public var page = 1
  /// The number of pages; `nil` before the answer.
  public var pages: Int?
  /// The number of characters found; `nil` before the answer.
  public var count: Int?
  /// What is shown of them.
  public var results: [CharacterList.Row] = []
  /// How far the search is.
  public var status = CharactersStatus.idle
  /// Whether the recent searches of earlier sessions are known; `nil` in recordings that were made
  /// before these searches were read.
  public var knowsRecent: Bool? = false

  /// Removes all but that a job waits for a page.
  mutating func forget() {
    let earlier = self
    self = CharacterSearch()
    if earlier.status.isLoading { (page, status) = (earlier.page, earlier.status) }
    if earlier.knowsRecent == nil { knowsRecent = nil }
  }
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
