import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

/// The reducer of an addition. It looks up the item, then each option. A single candidate is chosen
/// automatically. If there are several, the line or the user chooses.
///
/// | from | action | to |
/// | --- | --- | --- |
/// | `asking` | `found`, `options`: one, or the line names one | next `asking`, or `sending` |
/// | `asking` | `found`, `options`: several | `choosing`: `media.choose` |
/// | `choosing` | `chose` | next `asking`, or `sending`: `media.add` |
/// | `asking`, `choosing` | none, an unknown one, a mark, or no user | `failed` |
/// | any | `added`, `failed` | the end |
struct MediaAdditionReducer: Reducer {
  func reduce(
    _ state: inout MediaAddition, _ action: MediaAdditionAction, _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    switch action {
    case .begin: return ask(.item, state, dependencies)
    // A mark is not the name of an option, and would be sent to the program.
    case .found(_, _, let masked?), .options(_, let masked?):
      return .send(.failed(failure: .holdsSecrets(masked)))
    case .found(let resources, let more, nil):
      state.found = Array(resources.prefix(MediaAddition.kept))
      state.more = more == 0 ? nil : more
      state.candidates = state.found.enumerated().map {
        MediaOption(id: $0.offset + 1, name: $0.element.item.name)
      }
      return decide(.item, &state, dependencies)
    case .options(let options, nil):
      guard case .asking(let question) = state.phase else { return [] }
      state.candidates = options
      return decide(question, &state, dependencies)
    case .chose(let index):
      guard case .choosing(let question) = state.phase else { return [] }
      guard let index, state.candidates.indices.contains(index) else {
        return .send(.failed(failure: .several(question, state)))
      }
      return take(index, for: question, &state, dependencies)
    case .added, .failed: return []
    }
  }

  /// Takes the one that the line names, or the only one, or asks the user.
  private func decide(
    _ question: MediaAddition.Question, _ state: inout MediaAddition,
    _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    do throws(Failure) {
      if let index = try state.named(question) {
        return take(index, for: question, &state, dependencies)
      }
    } catch { return .send(.failed(failure: error)) }
    guard state.candidates.count != 1 else { return take(0, for: question, &state, dependencies) }
    guard !state.candidates.isEmpty else { return .send(.failed(failure: .none(question, state))) }
    state.phase = .choosing(question: question)
    let names = state.candidates.map(\.name)
    return .task(name: "media.choose") {
      .chose(index: try await dependencies.terminal.choose("which \(question.noun)?", among: names))
    }
    .catchFailure(dependencies) { .failed(failure: $0.withAdvice(hasRetry: false)) }
    .cancellable(id: state.job)
  }

  private func take(
    _ index: Int, for question: MediaAddition.Question, _ state: inout MediaAddition,
    _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    state.choose(index, for: question)
    if let next = state.question(after: question) {
      state.phase = .asking(question: next)
      return ask(next, state, dependencies)
    }
    state.phase = .sending
    return send(&state, dependencies)
  }

  private func ask(
    _ question: MediaAddition.Question, _ state: MediaAddition, _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    guard let kind = question.kind else { return lookUp(state, dependencies) }
    let (media, server) = (dependencies.mediaService, state.server)
    return .task(name: "media.\(question.rawValue)") {
      let (options, masked) = try await masking(media.options(kind, of: server), dependencies)
      return .options(options: options, masked: masked)
    }
    .catchFailure(dependencies) { .failed(failure: $0.withAdvice(hasRetry: false)) }
    .cancellable(id: state.job)
  }

  private func lookUp(
    _ state: MediaAddition, _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    let (media, server, term) = (dependencies.mediaService, state.server, state.order.term)
    return .task(name: "media.\(MediaAddition.Question.item.rawValue)") {
      let (found, masked) = try await masking(media.lookup(term, on: server), dependencies)
      let kept = MediaAddition.kept(of: found)
      return .found(resources: kept, more: found.count - kept.count, masked: masked)
    }
    .catchFailure(dependencies) { .failed(failure: $0.withAdvice(hasRetry: false)) }
    .cancellable(id: state.job)
  }

  private func send(
    _ state: inout MediaAddition, _ dependencies: Dependencies
  ) -> [Effect<MediaAdditionAction>] {
    guard let resource = state.complete else { return [] }
    let (media, server) = (dependencies.mediaService, state.server)
    let chosen = Array(state.chosen.dropFirst())
    return .change(name: "media.add", job: state.job, in: &state.changes, dependencies) {
      try Failure.refuseMarks(in: resource)
      return try await media.add(resource, to: server)
    } report: { added in
      let (item, masked) = try await masking(added.item, dependencies)
      return .added(item: item, chosen: chosen, masked: masked)
    } failure: {
      .failed(failure: $0.withAdvice(hasRetry: false))
    }
  }
}

extension MediaAddition {
  /// The most of what was found that is kept.
  static let kept = 50
  /// The most bytes of it.
  fileprivate static let keptBytes = 512 << 10

  /// The first of what was found, with at most `keptBytes` in JSON. The first one is always there.
  static func kept(of resources: [MediaResource]) -> [MediaResource] {
    resources.prefix(kept, bytes: keptBytes, atLeast: 1)
  }

  /// The candidate that the line names; `nil` if it names none. Case matters only where there are
  /// several candidates that differ in nothing else.
  ///
  /// - Throws: `Failure` if there is no such candidate, or more than one.
  fileprivate func named(_ question: Question) throws(Failure) -> Int? {
    if question == .item {
      guard let pick = order.pick, !candidates.isEmpty else { return nil }
      guard (1...candidates.count).contains(pick) else { throw .several(question, self) }
      return pick - 1
    }
    guard let name = question.kind.flatMap({ order.options[$0] }) else { return nil }
    if let index = candidates.firstIndex(where: { $0.name == name }) { return index }
    let similar = candidates.indices.filter {
      candidates[$0].name.lowercased() == name.lowercased()
    }
    guard let index = similar.first else { throw .unknown(name, question, self) }
    guard similar.count == 1 else { throw .several(question, self) }
    return index
  }
}

extension Failure {
  private static func list(_ addition: MediaAddition, isNumbered: Bool) -> String {
    addition.candidates.prefix(20).map { isNumbered ? "\($0.id) \($0.name)" : $0.name }
      .joined(separator: ", ")
  }

  fileprivate static func several(
    _ question: MediaAddition.Question, _ addition: MediaAddition
  ) -> Failure {
    let isItem = question == .item
    let count = addition.candidates.count
    let all = count &+ (addition.more ?? 0)
    let found = "there \(all == 1 ? "is" : "are") \(all) of '\(addition.order.term)'"
    let what =
      if !isItem {
        "\(addition.server.program.title) has \(count) \(question.noun)s"
      } else if let pick = addition.order.pick {
        "--pick \(pick) is out of range: \(found)"
          + (addition.more == nil ? "" : ", of which the first \(count) can be taken")
      } else { found }
    return Failure(
      code: ExitCode.usage, error: "usage",
      message: "\(what): \(list(addition, isNumbered: isItem))",
      help:
        "take one with --\(question.option) \(isItem ? "N" : question == .rootFolder ? "PATH" : "NAME")"
    )
  }

  fileprivate static func unknown(
    _ name: String, _ question: MediaAddition.Question, _ addition: MediaAddition
  ) -> Failure {
    Failure(
      code: ExitCode.usage, error: "usage",
      message: "\(addition.server.program.title) has no \(question.noun) '\(name)'",
      help: Suggestion.nearest(to: name, among: addition.candidates.map(\.name))
        .map { "did you mean '\($0)'?" } ?? "it has \(list(addition, isNumbered: false))")
  }

  fileprivate static func none(
    _ question: MediaAddition.Question, _ addition: MediaAddition
  ) -> Failure {
    let program = addition.server.program.title
    return question == .item
      ? Failure(
        code: ExitCode.missing, error: "missing",
        message: "\(program) finds nothing for '\(addition.order.term)'",
        help: "'media search \(addition.server.service.name) TEXT' shows what there is")
      : Failure(
        code: ExitCode.missing, error: "missing",
        message: "\(program) has no \(question.noun)",
        help: "make one in the settings of \(program)")
  }
}
