import SwiftBoardStore

/// A queue of downloads, of which at most two run at a time.
struct DownloadQueue: Reducer {
  struct State: Sendable, Equatable {
    var waiting: [String] = []
    var running: [String] = []
    var done: [Result] = []

    struct Result: Sendable, Equatable {
      var name: String
      /// `nil` where the download failed or was cancelled.
      var bytes: Int?
    }
  }

  enum Action: Sendable, Equatable {
    case add([String])
    case cancel(String)
    case finished(String, bytes: Int)
    case failed(String)
  }

  /// All that this reducer may reach outside its state.
  struct Dependencies: Sendable {
    var fetch: @Sendable (_ name: String) async throws -> Int
  }

  func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    switch action {
    case .add(let names):
      state.waiting += names
    case .cancel(let name):
      state.waiting.removeAll { $0 == name }
      guard let index = state.running.firstIndex(of: name) else { return [] }
      state.running.remove(at: index)
      state.done.append(.init(name: name, bytes: nil))
      return [.cancel(id: name)] + start(&state, dependencies)
    case .finished(let name, let bytes):
      state.running.removeAll { $0 == name }
      state.done.append(.init(name: name, bytes: bytes))
    case .failed(let name):
      state.running.removeAll { $0 == name }
      state.done.append(.init(name: name, bytes: nil))
    }
    return start(&state, dependencies)
  }

  /// Fills the free places with what waits longest.
  private func start(_ state: inout State, _ dependencies: Dependencies) -> [Effect<Action>] {
    let free = max(0, 2 - state.running.count)
    let names = Array(state.waiting.prefix(free))
    state.waiting.removeFirst(names.count)
    state.running += names
    return names.map { name in
      .task(name: "download") { .finished(name, bytes: try await dependencies.fetch(name)) }
        .catch { _ in .failed(name) }
        .cancellable(id: name)
    }
  }
}
