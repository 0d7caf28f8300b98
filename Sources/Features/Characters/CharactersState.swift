import SwiftBoardBoard

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
  /// The running commands that remove a recent search, or `nil` in recordings in which they ended
  /// when they were cancelled.
  public var changes: RunningChanges? = []

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

  /// Removes the recent searches, which are read again when they are needed.
  mutating func forgetRecent() {
    recent = []
    if search.knowsRecent != nil { search.knowsRecent = false }
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
