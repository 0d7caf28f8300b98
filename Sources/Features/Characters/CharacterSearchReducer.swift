import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The reducer of the search. It adds the search to the recent ones, then sends the request.
struct CharacterSearchReducer: Reducer {
  func reduce(
    _ state: inout CharacterSearch, _ action: CharacterSearchAction, _ dependencies: Dependencies
  ) -> [Effect<CharacterSearchAction>] {
    switch action {
    case .load(let request, let filter, let page):
      state.filter = filter
      state.page = page
      state.status = .loading(job: request.job)
      let ask = load(filter, page, request, dependencies)
      guard !filter.items.isEmpty else { return ask }
      let recall = state.knowsRecent == false ? recall(request, dependencies) : []
      return remember(filter, request, dependencies).concatenate(with: recall).concatenate(
        with: ask)
    case .loaded(_, let answer):
      state.show(answer.value.characters, pages: answer.value.pages, count: answer.value.count)
      state.status = .shown(isStale: answer.verdict == .stale)
      return []
    case .failed(_, let error) where error.status == 404:
      // The service responds with 404 if no character matches.
      state.show([], pages: 0, count: 0)
      state.status = .shown(isStale: false)
      return []
    case .failed(_, let error):
      state.status = .failed(error: error.failure.error)
      return []
    case .recalled:
      if state.knowsRecent != nil { state.knowsRecent = true }
      return []
    case .remembered, .notRemembered: return []
    }
  }

  private func remember(
    _ filter: CharacterFilter, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterSearchAction>] {
    let text = dependencies.logger.redactor.mask(filter.text).value
    let now = dependencies.date.now
    return .task(name: "characters.remember") {
      try await dependencies.persistence.addSearch(text, scope: CharactersReducer.scope, at: now)
      return .remembered(text: text)
    }
    .catchFailure(dependencies) { .notRemembered(failure: $0) }
    .cancellable(id: request.job)
  }

  /// Brings the searches of earlier sessions into the state, once they are needed.
  private func recall(
    _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterSearchAction>] {
    .task(name: "characters.recall") {
      let found = try await dependencies.persistence.searches(
        scope: CharactersReducer.scope, containing: nil)
      let texts = found.prefix(CharacterSearch.kept).map(\.text)
      return .recalled(texts: try await masking(texts, dependencies).value)
    }
    .catchFailure(dependencies) { .notRemembered(failure: $0) }
    .cancellable(id: request.job)
  }

  private func load(
    _ filter: CharacterFilter, _ number: Int, _ request: CharactersRequest,
    _ dependencies: Dependencies
  ) -> [Effect<CharacterSearchAction>] {
    let endpoint = request.endpoint(
      "character",
      [QueryItem("page", String(number))] + filter.items.map { QueryItem($0.name, $0.value) })
    let pages = request.pages(number, dependencies)
    return .task(name: "characters.search") {
      let answer = try await pages.answer(to: endpoint, policy: request.policy, dependencies)
      return .loaded(request: request, answer: answer)
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: APIError.isTemporary
    )
    .catchServiceError(dependencies, category: "characters") {
      .failed(request: request, error: $0)
    }
    .cancellable(id: request.job)
  }
}

extension CharacterSearch {
  fileprivate mutating func show(_ characters: [SeriesCharacter], pages: Int, count: Int) {
    self.pages = pages
    self.count = count
    results = characters.prefix(100).map(CharacterList.Row.init)
  }
}
