import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// One character, and its picture.
struct CharacterDetailReducer: Reducer {
  func reduce(
    _ state: inout CharacterDetail, _ action: CharacterDetailAction, _ dependencies: Dependencies
  ) -> [Effect<CharacterDetailAction>] {
    switch action {
    case .load(let request, let id):
      if state.id == id { state.status = .loading(job: request.job) }
      return load(id, request, dependencies)
    case .loaded(_, let answer):
      guard answer.value.id == state.id else { return [] }
      state.item = answer.value.upTo(bytes: 64 << 10)
      state.status = .shown(isStale: answer.verdict == .stale)
      return []
    case .failed(_, let id, let error):
      if state.id == id { state.status = .failed(error: error.failure.error) }
      return []
    case .saveImage(let request, let url, let file):
      return save(url, file, request, dependencies)
    case .imageSaved(_, let file, _):
      state.image = file
      return []
    case .imageFailed: return []
    }
  }

  private func load(
    _ id: Int, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterDetailAction>] {
    let endpoint = request.endpoint("character/\(id)")
    let characters = request.repository(of: "a character", dependencies) {
      try SeriesCharacter(json: $0)
    }
    return .task(name: "characters.character") {
      let answer = try await characters.answer(to: endpoint, policy: request.policy, dependencies)
      return .loaded(request: request, answer: answer)
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: APIError.isTemporary
    )
    .catchServiceError(dependencies, category: "characters") {
      .failed(request: request, id: id, error: $0)
    }
    .cancellable(id: request.job)
  }

  private func save(
    _ url: String, _ file: String, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterDetailAction>] {
    let endpoint = request.endpoint(url: url)
    let images = request.repository(of: "a picture", dependencies) { $0 }
    do { try MarkedText.refuse(url, in: "the address of the picture") } catch {
      let refusal = ServiceError(error, dependencies, category: "characters")
      return .send(.imageFailed(request: request, error: refusal))
    }
    return .task(name: "characters.image") {
      let bytes = try await images.save(
        endpoint, to: file, policy: request.policy, files: dependencies.files)
      return .imageSaved(request: request, file: file, bytes: bytes)
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: APIError.isTemporary
    )
    .catchServiceError(dependencies, category: "characters") {
      .imageFailed(request: request, error: $0)
    }
    .cancellable(id: request.job)
  }
}
