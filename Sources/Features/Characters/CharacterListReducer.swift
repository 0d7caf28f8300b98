import SwiftBoardDependencies
import SwiftBoardStore

/// The reducer of the list. It shows a page and, after a pause without requests, loads the next one
/// into the cache.
struct CharacterListReducer: Reducer {
  /// The cancel ID of the next page.
  static let prefetch = "prefetch"

  func reduce(
    _ state: inout CharacterList, _ action: CharacterListAction, _ dependencies: Dependencies
  ) -> [Effect<CharacterListAction>] {
    switch action {
    case .load(let request, let page):
      state.page = page
      state.status = .loading(job: request.job)
      return load(page, request, dependencies)
    case .loaded(let request, let answer):
      state.show(answer.value)
      state.status = .shown(isStale: answer.verdict == .stale)
      guard request.policy != .noCache, let next = answer.value.next, next != state.prefetched
      else { return [] }
      return prefetch(next, request, dependencies)
    case .failed(_, _, let error):
      state.status = .failed(error: error.failure.error)
      return []
    case .prefetched(let page):
      state.prefetched = page
      return []
    case .prefetchFailed: return []
    }
  }

  private func load(
    _ number: Int, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterListAction>] {
    let endpoint = request.endpoint(page: number)
    let pages = request.pages(number, dependencies)
    return .task(name: "characters.page") {
      let answer = try await pages.answer(to: endpoint, policy: request.policy, dependencies)
      return .loaded(request: request, answer: answer)
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: APIError.isTemporary
    )
    .catchServiceError(dependencies, category: "characters") {
      .failed(request: request, page: number, error: $0)
    }
    .cancellable(id: request.job)
  }

  private func prefetch(
    _ number: Int, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterListAction>] {
    let endpoint = request.endpoint(page: number)
    // The line has ended: what is typed belongs to the next one.
    let pages = request.pages(number, dependencies.inBackground)
    return .task(name: "characters.prefetch") {
      _ = try await pages.value(of: endpoint, policy: .localFirst)
      return .prefetched(page: number)
    }
    .timeout(after: .seconds(10), clock: dependencies.clock.standard)
    .catch { error in
      dependencies.logger.log(
        "page \(number) was not prefetched: \(error)", level: .info, category: "characters")
      return .prefetchFailed(page: number)
    }
    .debounced(id: Self.prefetch, for: .milliseconds(300), clock: dependencies.clock.standard)
  }
}

extension CharactersRequest {
  fileprivate func endpoint(page: Int) -> APIEndpoint {
    endpoint("character", [QueryItem("page", String(page))])
  }
}
