import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The root reducer of the feature. It determines the service of a command, and the part of the
/// state that shows the response.
///
/// ```text
/// run ─► characters.service ─► resolved ─► load ─► characters.page ─► loaded      or .character
/// load ─► characters.remember ─► characters.recall ─► characters.search ─► loaded      a search
/// loaded ─► characters.prefetch ─► prefetched              a list, unless its policy is noCache
/// loaded ─► saveImage ─► characters.image ─► imageSaved                               a picture
/// resolved ─► failed                                       the service cannot be asked
/// run ─► characters.recent ─► recent                       or recent.remove ─► removed
/// bootstrap ─► characters.bootstrap ─► bootstrapped        the recent searches
/// ```
/// A search ends earlier ones with `failed`; any command that asks cancels the prefetch.
struct CharactersReducer: ComposedReducer {
  /// Where the database keeps recent searches.
  static let scope = "characters"

  var body: some Reducer<CharactersState, CharactersAction, Dependencies> {
    Scope(
      state: \.list, action: .case(CharactersAction.list(action:), \.list), id: "list"
    ) {
      CharacterListReducer()
    }
    Scope(
      state: \.search, action: .case(CharactersAction.search(action:), \.search), id: "search"
    ) {
      CharacterSearchReducer()
    }
    // Another character does not end a job that asks for this one: it may run in the background.
    CharactersRouting()
      .ifLet(
        \.detail, action: .case(CharactersAction.detail(action:), \.detail), identity: nil,
        id: "detail"
      ) {
        CharacterDetailReducer()
      }
  }
}

/// What a command leads to.
private struct CharactersRouting: Reducer {
  func reduce(
    _ state: inout CharactersState, _ action: CharactersAction, _ dependencies: Dependencies
  ) -> [Effect<CharactersAction>] {
    switch action {
    case .run(let context, .recent): return recent(context.job, dependencies)
    case .run(let context, .recentRemove(let text)):
      return remove(text, context.job, &state, dependencies)
    case .run(let context, .refresh(let options)):
      return ask(state.asksAgain(options), context, &state, dependencies)
    case .run(let context, let command): return ask(command, context, &state, dependencies)
    case .resolved(let job, let service):
      guard let pending = state.pending.first(where: { $0.job == job }) else { return [] }
      do throws(Failure) {
        let request = try CharactersRequest(pending, service)
        state.service = request.base
        return begin(pending.command, request).map { [.send($0)] } ?? []
      } catch { return .send(.failed(job: job, failure: error)) }
    case .detail(.loaded(let request, let answer)):
      guard case .image(_, let file, _)? = state.command(of: request.job) else {
        state.end(request.job)
        return []
      }
      guard !answer.value.image.isEmpty else {
        return .send(.failed(job: request.job, failure: .noImage(answer.value.id)))
      }
      return .send(
        .detail(action: .saveImage(request: request, url: answer.value.image, file: file)))
    case .list(.loaded(let request, _)), .list(.failed(let request, _, _)),
      .search(.loaded(let request, _)), .search(.failed(let request, _)),
      .detail(.failed(let request, _, _)), .detail(.imageSaved(let request, _, _)),
      .detail(.imageFailed(let request, _)):
      state.end(request.job)
    case .search(.remembered(let text)): state.remember(text)
    case .search(.recalled(let texts)): state.recent = texts
    case .recent(_, let searches): state.know(searches.map(\.text))
    case .bootstrap: return bootstrap(dependencies)
    case .bootstrapped(let texts, _): if let texts { state.know(texts) }
    case .removed(let job, let text, _, _):
      state.changes?.end(job)
      state.recent.removeAll { $0 == text }
    case .failed(let job, _):
      state.changes?.end(job)
      state.end(job)
    case .list, .detail, .search: break
    }
    return []
  }

  /// Starts a command that sends a request. A search ends earlier searches, and any command cancels
  /// the prefetch.
  private func ask(
    _ command: CharactersCommand, _ context: CommandContext, _ state: inout CharactersState,
    _ dependencies: Dependencies
  ) -> [Effect<CharactersAction>] {
    let earlier = command.isSearch ? state.pending.filter(\.command.isSearch).map(\.job) : []
    for job in earlier { state.end(job) }
    state.pending.append(
      PendingCharacters(job: context.job, command: command, timeout: context.timeout))
    state.show(command)
    return [.cancel(id: CharacterListReducer.prefetch)]
      + earlier.flatMap { [.cancel(id: $0), .send(.failed(job: $0, failure: .nextSearch))] }
      + resolve(command, context.job, dependencies)
  }

  /// Finds the service that a command asks.
  private func resolve(
    _ command: CharactersCommand, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<CharactersAction>] {
    let name = command.options?.service ?? CharactersRequest.usualService
    return .task(name: "characters.service") {
      let service = try await dependencies.persistence.service(name)
      return .resolved(job: job, service: try await masking([service], dependencies).value[0])
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// The action with which a part begins what a command asks for.
  private func begin(
    _ command: CharactersCommand, _ request: CharactersRequest
  ) -> CharactersAction? {
    switch command {
    case .list(let page, _): .list(action: .load(request: request, page: page))
    case .show(let id, _), .image(let id, _, _):
      .detail(action: .load(request: request, id: id))
    case .search(let filter, let page, _):
      .search(action: .load(request: request, filter: filter, page: page))
    case .refresh, .recent, .recentRemove: nil
    }
  }

  private func recent(
    _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<CharactersAction>] {
    .task(name: "characters.recent") {
      let searches = try await dependencies.persistence.searches(
        scope: CharactersReducer.scope, containing: nil)
      return .recent(job: job, searches: try await masking(searches, dependencies).value)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  private func bootstrap(_ dependencies: Dependencies) -> [Effect<CharactersAction>] {
    .task(name: "characters.bootstrap") {
      let texts = try await dependencies.persistence.searches(
        scope: CharactersReducer.scope, containing: nil
      ).map(\.text)
      return .bootstrapped(recent: try await masking(texts, dependencies).value)
    }
    .catchFailure(dependencies) { .bootstrapped(recent: nil, failure: $0) }
  }

  private func remove(
    _ text: String, _ job: Int, _ state: inout CharactersState, _ dependencies: Dependencies
  ) -> [Effect<CharactersAction>] {
    let store = dependencies.persistence
    return .change(
      name: "characters.recent.remove", job: job, in: &state.changes, dependencies
    ) {
      try await store.removeSearches(text, scope: CharactersReducer.scope)
    } report: {
      let warning = try await masking(await store.takeWarning(), dependencies).value
      return .removed(job: job, text: text, count: $0, warning: warning)
    } failure: {
      .failed(job: job, failure: $0)
    }
  }
}

extension CharactersState {
  /// Returns the command of a waiting job, or `nil` if the job has its response.
  func command(of job: Int) -> CharactersCommand? {
    pending.first { $0.job == job }?.command
  }

  /// Removes a job from the waiting ones, whether or not it has its response.
  mutating func end(_ job: Int) {
    pending.removeAll { $0.job == job }
    list.status.end(job)
    detail?.status.end(job)
    search.status.end(job)
  }

  /// Returns the command that reloads what is shown.
  fileprivate func asksAgain(_ options: CharactersOptions) -> CharactersCommand {
    var options = options
    // Replace the cached response, too.
    options.cache = options.cache ?? .remoteFirst
    return switch route {
    case .list: .list(page: list.page, options: options)
    case .detail(let id): .show(id: id, options: options)
    case .search: .search(filter: search.filter, page: search.page, options: options)
    }
  }

  /// Navigates to the part that shows the response of a command.
  fileprivate mutating func show(_ command: CharactersCommand) {
    switch command {
    case .list: route = .list
    case .search: route = .search
    case .show(let id, _), .image(let id, _, _):
      route = .detail(id: id)
      if detail?.id != id { detail = CharacterDetail(id: id) }
    case .refresh, .recent, .recentRemove: break
    }
  }

  /// Follows the database, whose newest searches come first.
  fileprivate mutating func know(_ texts: [String]) {
    recent = Array(texts.prefix(CharacterSearch.kept))
    if search.knowsRecent != nil { search.knowsRecent = true }
  }

  fileprivate mutating func remember(_ text: String) {
    recent = Array(([text] + recent.filter { $0 != text }).prefix(CharacterSearch.kept))
  }
}

extension CharactersCommand {
  fileprivate var isSearch: Bool { if case .search = self { true } else { false } }
}

extension Failure {
  fileprivate static func noImage(_ id: Int) -> Failure {
    Failure(
      code: ExitCode.missing, error: "missing", message: "the character \(id) has no picture")
  }

  fileprivate static var nextSearch: Failure {
    Failure(
      code: ExitCode.interrupted, error: "cancelled", message: "cancelled by the next search")
  }
}
