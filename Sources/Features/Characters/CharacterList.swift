import SwiftBoardBoard

/// The list of all characters, a page at a time.
public struct CharacterList: Codable, Sendable, Equatable {
  /// A row of a page.
  public struct Row: Codable, Sendable, Equatable, Identifiable {
    /// The number of the character.
    public var id: Int
    /// Its name; the first 200 characters of a longer one.
    public var name: String
    /// Whether it is alive.
    public var status: String

    /// The row of a character.
    public init(_ character: SeriesCharacter) {
      id = character.id
      name = String(character.name.prefix(200))
      status = String(character.status.prefix(20))
    }
  }

  /// A page that was shown.
  public struct Page: Codable, Sendable, Equatable {
    /// Its number, from 1.
    public var number: Int
    /// Its rows; the first 100 where there are more.
    public var rows: [Row]

    /// The rows of a page.
    public init(_ page: CharacterPage) {
      number = page.number
      rows = page.characters.prefix(100).map(Row.init)
    }
  }

  /// The number of pages that are kept.
  static let kept = 5

  /// The page that was asked for last, from 1.
  public var page = 1
  /// The number of pages; `nil` before the first answer.
  public var pages: Int?
  /// The number of characters; `nil` before the first answer.
  public var count: Int?
  /// The pages that were shown last, the last one at the end; at most `kept`.
  public var shown: [Page] = []
  /// The page after the one that is shown, once it is in the cache.
  public var prefetched: Int?
  /// How far the page is.
  public var status = CharactersStatus.idle

  /// Removes all but the page that a job waits for.
  mutating func forget() {
    let (page, status) = (page, status)
    self = CharacterList()
    if status.isLoading { (self.page, self.status) = (page, status) }
  }

  /// Puts a page in the place of what was known of it.
  mutating func show(_ page: CharacterPage) {
    pages = page.pages
    count = page.count
    shown.removeAll { $0.number == page.number }
    shown = shown.suffix(Self.kept - 1) + [Page(page)]
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
