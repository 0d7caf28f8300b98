import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum CharactersOutcomes {
  static func outcome(of action: CharactersAction, in state: CharactersState) -> Outcome? {
    switch action {
    case .run, .resolved, .bootstrap, .bootstrapped: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .list(let action): outcome(of: action)
    case .detail(let action): outcome(of: action, in: state)
    case .search(let action): outcome(of: action, in: state.search)
    case .recent(let job, let searches): recent(searches, job)
    case .removed(let job, let text, 0, _): Outcome(job: job, failure: .noSearch(text))
    case .removed(let job, let text, _, let warning):
      Outcome(
        job: job, value: ["removed": .string(text)],
        notes: ["removed \(text)"] + (warning.map { [.warning($0)] } ?? []))
    }
  }

  // MARK: The list

  private static func outcome(of action: CharacterListAction) -> Outcome? {
    switch action {
    case .loaded(let request, let answer):
      page(answer, request.job, "page \(answer.value.number) of \(answer.value.pages)")
    case .failed(let request, let page, let error):
      Outcome(
        job: request.job,
        failure: error.status == 404 ? .noPage(page, request) : error.failure)
    case .load, .prefetched, .prefetchFailed: nil
    }
  }

  private static let columns = [
    Column("id", alignment: .right, isIdentifier: true), Column("name", priority: 4),
    Column("status", priority: 3), Column("species", priority: 2), Column("gender", priority: 1),
  ]

  /// A page as a table, with a line that says which.
  private static func page(
    _ answer: ServiceAnswer<CharacterPage>, _ job: Int, _ title: String
  ) -> Outcome {
    let page = answer.value
    let number = Counted.text(page.count, "character")
    return Outcome(
      job: job,
      value: json(page, answer),
      presentation: .table(columns: columns, rows: page.characters.map(row)),
      notes: ["\(title)  \(number)\(answer.verdict.suffix)"] + answer.sourceNotes
    ).masked(answer.masked)
  }

  private static func row(_ character: SeriesCharacter) -> [String] {
    [
      String(character.id), character.name, character.status, character.species, character.gender,
    ]
  }

  private static func json(
    _ page: CharacterPage, _ answer: ServiceAnswer<CharacterPage>
  ) -> JSON {
    [
      "page": JSON(page.number), "pages": JSON(page.pages), "count": JSON(page.count),
      "results": .array(page.characters.map { .object(members($0)) }),
      "verdict": .string(answer.verdict.rawValue),
    ]
  }

  fileprivate static func notes(
    _ verdict: CacheVerdict, _ staleReason: String?
  ) -> [Outcome.Note] {
    verdict.notes(staleReason: staleReason, advice: "'characters refresh' asks again")
  }

  // MARK: One character

  /// A command that writes a picture ends with the picture, not with the character.
  private static func outcome(
    of action: CharacterDetailAction, in state: CharactersState
  ) -> Outcome? {
    switch action {
    case .loaded(let request, let answer):
      state.command(of: request.job) == nil ? character(answer, request.job) : nil
    case .failed(let request, let id, let error):
      Outcome(
        job: request.job, failure: error.status == 404 ? .noCharacter(id) : error.failure)
    case .imageSaved(let request, let file, let bytes):
      Outcome(
        job: request.job,
        value: ["file": .string(file), "bytes": JSON(bytes)],
        notes: ["\(Counted.text(bytes, "byte")) -> \(file)"]
          + (state.detail?.status == .shown(isStale: true) ? notes(.stale, nil) : []))
    case .imageFailed(let request, let error):
      Outcome(job: request.job, failure: error.failure)
    case .load, .saveImage: nil
    }
  }

  private static func character(
    _ answer: ServiceAnswer<SeriesCharacter>, _ job: Int
  ) -> Outcome {
    let members = members(answer.value)
    let fields = members.filter { $0.value != "" }.map {
      ($0.key, $0.value.stringValue ?? $0.value.text)
    }
    return Outcome(
      job: job,
      value: .object(members + [.init("verdict", .string(answer.verdict.rawValue))]),
      presentation: .fields(fields), notes: answer.sourceNotes
    ).masked(answer.masked)
  }

  private static func members(_ character: SeriesCharacter) -> [JSON.Member] {
    [
      .init("id", JSON(character.id)), .init("name", .string(character.name)),
      .init("status", .string(character.status)), .init("species", .string(character.species)),
      .init("type", .string(character.type)), .init("gender", .string(character.gender)),
      .init("origin", .string(character.origin)), .init("location", .string(character.location)),
      .init("episodes", JSON(character.episodes)), .init("image", .string(character.image)),
    ]
  }

  // MARK: The search

  private static func outcome(
    of action: CharacterSearchAction, in search: CharacterSearch
  ) -> Outcome? {
    switch action {
    case .loaded(let request, let answer):
      page(
        answer, request.job,
        "\(search.filter.title), page \(answer.value.number) of \(answer.value.pages)")
    case .failed(let request, let error) where error.status == 404:
      nothing(search, request.job)
    case .failed(let request, let error): Outcome(job: request.job, failure: error.failure)
    case .load, .remembered, .recalled, .notRemembered: nil
    }
  }

  private static func nothing(_ search: CharacterSearch, _ job: Int) -> Outcome {
    let place = search.page > 1 ? " on page \(search.page)" : ""
    let page = CharacterPage(number: search.page, pages: 0, count: 0, characters: [])
    return Outcome(
      job: job, value: json(page, ServiceAnswer(page)),
      presentation: .table(columns: columns, rows: []),
      notes: ["no character matches \(search.filter.title)\(place)"])
  }

  private static func recent(_ searches: [RecentSearch], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        searches.map {
          ["at": .string(Timestamp.format($0.at)), "search": .string($0.text)]
        }),
      presentation: .table(
        columns: [Column("at"), Column("search", isIdentifier: true)],
        rows: searches.map { [Timestamp.format($0.at), $0.text] })
    ).withMarks
  }
}

extension ServiceAnswer {
  /// What is said of a value that the service has not confirmed.
  fileprivate var sourceNotes: [Outcome.Note] { CharactersOutcomes.notes(verdict, staleReason) }
}

extension CharacterFilter {
  fileprivate var title: String { items.isEmpty ? "every character" : text }
}

extension Failure {
  fileprivate static func noCharacter(_ id: Int) -> Failure {
    Failure(
      code: ExitCode.missing, error: "missing", message: "there is no character \(id)",
      help: "'characters list' shows what there is")
  }

  /// Any such service has a first page.
  fileprivate static func noPage(_ page: Int, _ request: CharactersRequest) -> Failure {
    page > 1
      ? Failure(
        code: ExitCode.missing, error: "missing", message: "the list has no page \(page)",
        help: "'characters list' says how many there are")
      : Failure(
        code: ExitCode.missing, error: "wrongPath",
        message: "the server answers, but has no characters at \(request.base)",
        help: "'api service show \(request.service)' shows the address")
  }

  fileprivate static func noSearch(_ text: String) -> Failure {
    Failure(
      code: ExitCode.missing, error: "missing", message: "there is no recent search '\(text)'",
      help: "'characters recent' lists what there is")
  }
}
