/// The state of the feature `characters`: the current route, and the content of each part.
public struct CharactersState: Codable, Sendable, Equatable {
  /// What the last command shows.
  public var route = CharactersRoute.list
  /// The address of the service that was asked last; `nil` before the first request.
  public var service: String?
  /// The list of all characters.
  public var list = CharacterList()
  /// The character that was asked for last; `nil` before the first.
  public var detail: CharacterDetail?
  /// The last search.
  public var search = CharacterSearch()
  /// The known recent searches, newest first, at most `CharacterSearch.kept`.
  public var recent: [String] = []
  /// The commands that wait for an answer, in the order of their lines.
  public var pending: [PendingCharacters] = []

  /// Nothing asked yet.
  public init() {}

  /// Removes user input and the responses of services, and returns to the list. Waiting commands
  /// stay, with the part that shows their response. The searches of earlier sessions are read
  /// again.
  mutating func forget() {
    service = nil
    recent = []
    list.forget()
    search.forget()
    if pending.isEmpty {
      route = .list
      detail = nil
    } else if let shown = detail {
      detail = CharacterDetail(id: shown.id)
      if shown.status.isLoading { detail?.status = shown.status }
    }
  }
}

/// The current route, which a link can select.
public enum CharactersRoute: Codable, Sendable, Equatable {
  /// A page of the list.
  case list
  /// One character.
  case detail(id: Int)
  /// What a search found.
  case search
}

/// A command that waits for an answer.
public struct PendingCharacters: Codable, Sendable, Equatable {
  /// The job of the command; the cancel ID of its effects.
  public var job: Int
  /// What it asks for.
  public var command: CharactersCommand
  /// Milliseconds for each request; `nil`: the usual time.
  public var timeout: Int64?

  /// A command that waits.
  public init(job: Int, command: CharactersCommand, timeout: Int64? = nil) {
    self.job = job
    self.command = command
    self.timeout = timeout
  }
}

/// The status of a part of the state.
public enum CharactersStatus: Codable, Sendable, Equatable {
  /// There was no request, or it was cancelled.
  case idle
  /// A job waits for the answer.
  case loading(job: Int)
  /// The response is shown. If it is stale, it is a cached one that the service has not confirmed.
  case shown(isStale: Bool)
  /// The request failed with this kind of error.
  case failed(error: String)

  /// Ends the wait of a job that was cancelled.
  mutating func end(_ job: Int) {
    if self == .loading(job: job) { self = .idle }
  }

  /// Whether a job waits for the answer.
  var isLoading: Bool { if case .loading = self { true } else { false } }
}

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

  /// No page.
  public init() {}

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

/// One character.
public struct CharacterDetail: Codable, Sendable, Equatable {
  /// The number of the character.
  public var id: Int
  /// What is known of it; `nil` before the answer.
  public var item: SeriesCharacter?
  /// The file that its picture was written to last.
  public var image: String?
  /// How far it is.
  public var status = CharactersStatus.idle

  /// A character of which nothing is known yet.
  public init(id: Int) { self.id = id }
}

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

  /// No search.
  public init() {}

  /// Removes all but that a job waits for a page.
  mutating func forget() {
    let earlier = self
    self = CharacterSearch()
    if earlier.status.isLoading { (page, status) = (earlier.page, earlier.status) }
    if earlier.knowsRecent == nil { knowsRecent = nil }
  }
}

/// A filter for characters. Values match any part, regardless of case.
public struct CharacterFilter: Codable, Sendable, Equatable {
  /// A part of the name.
  public var name: String?
  /// `alive`, `dead` or `unknown`.
  public var status: String?
  /// A part of the species.
  public var species: String?
  /// A part of the type.
  public var type: String?
  /// `female`, `male`, `genderless` or `unknown`.
  public var gender: String?

  /// Every character.
  public init() {}

  /// The filters by their names, in the order in which they are sent.
  static let names = ["name", "status", "species", "type", "gender"]

  subscript(name: String) -> String? {
    get { Self.path(name).flatMap { self[keyPath: $0] } }
    set { if let path = Self.path(name) { self[keyPath: path] = newValue } }
  }

  private static func path(_ name: String) -> WritableKeyPath<CharacterFilter, String?>? {
    switch name {
    case "name": \.name
    case "status": \.status
    case "species": \.species
    case "type": \.type
    case "gender": \.gender
    default: nil
    }
  }

  /// The filters that are set, as names and values.
  var items: [(name: String, value: String)] {
    Self.names.compactMap { name in self[name].map { (name, $0) } }
  }

  /// As a line has it: `name==rick status==alive`.
  var text: String { items.map { "\($0.name)==\($0.value)" }.joined(separator: " ") }
}
