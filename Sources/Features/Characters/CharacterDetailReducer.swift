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
    let characters = request.repository(dependencies) { try SeriesCharacter(json: $0) }
    return .task(name: "characters.character") {
      let fetched = try await characters.value(of: endpoint, policy: request.policy)
      return .loaded(request: request, answer: try await CharactersAnswer(fetched, dependencies))
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: CharactersError.isTemporary
    )
    .catch { error in
      .failed(request: request, id: id, error: CharactersError(error, dependencies))
    }
    .cancellable(id: request.job)
  }

  private func save(
    _ url: String, _ file: String, _ request: CharactersRequest, _ dependencies: Dependencies
  ) -> [Effect<CharacterDetailAction>] {
    let endpoint = request.endpoint(url: url)
    let images = request.repository(dependencies) { $0 }
    do { try MarkedText.refuse(url, in: "the address of the picture") } catch {
      return .send(.imageFailed(request: request, error: CharactersError(error, dependencies)))
    }
    return .task(name: "characters.image") {
      try dependencies.files.checkTarget(file, isRecording: false)
      let image = try await images.value(of: endpoint, policy: request.policy).value
      try await dependencies.files.write(image, to: file, mode: .replace)
      return .imageSaved(request: request, file: file, bytes: image.count)
    }
    .retry(
      request.retryPolicy, clock: dependencies.clock.standard, while: CharactersError.isTemporary
    )
    .catch { .imageFailed(request: request, error: CharactersError($0, dependencies)) }
    .cancellable(id: request.job)
  }
}
