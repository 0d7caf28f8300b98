import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The root reducer of the feature. It starts commands and maintains the known services and the
/// retained responses. `RequestReducer` handles requests in flight.
///
/// A request takes two steps, `run` and `answered`, if no service has to be read. Otherwise
/// `bootstrapped` is between them: for the first request to a service, and at a terminal for every
/// one.
struct APIReducer: Reducer {
  /// The place of the requests' effects.
  private static let place = "requests"

  func reduce(
    _ state: inout APIState, _ action: APIAction, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    switch action {
    case .run(let context, .cancel(let job)): return cancel(job, context, &state)
    case .run(let context, .stats):
      let statistics = APIStatistics(state)
      return [.send(.succeeded(job: context.job, result: .statistics(statistics: statistics)))]
    case .run(let context, let command): return begin(command, context, &state, dependencies)
    case .bootstrap: return bootstrap(dependencies)
    case .bootstrapped(let job, let known, let failure):
      if let known { state.note(known) }
      return reduce(
        &state, job,
        .resolve(
          services: known?.services ?? state.services, isFresh: true, damaged: known?.damaged ?? [],
          failure: failure),
        dependencies)
    case .mended(let job, let name, let service):
      if let service { state.noteService(service) }
      return mended(job, name, service, &state, dependencies)
    case .found(let job, let spec, let masked):
      let found = RequestAction.found(spec, services: state.services, masked: masked)
      return reduce(&state, job, found, dependencies)
    case .again(let job): return reduce(&state, job, .again, dependencies)
    case .answered(let job, let answer, let view):
      return answered(job, answer, view, &state, dependencies)
    case .kept(let job):
      if let name = state.pending[id: job]?.spec?.save { state.noteSaved(name) }
      return reduce(&state, job, .kept, dependencies)
    case .looked(let job, .serviceList, let services, let damaged, let masked):
      state.note(services: services)
      let result = APIResult.services(services: services, damaged: damaged)
      return .send(.succeeded(job: job, result: result, masked: masked))
    case .looked(let job, let command, let services, let damaged, _):
      return looked(command, job, services, damaged ?? [], &state, dependencies)
    case .read(let job, let name, let request?, let masked, let isLine):
      let result = APIResult.savedRequest(name: name, request: request, isLine: isLine)
      return .send(.succeeded(job: job, result: result, masked: masked))
    case .read(let job, let name, nil, _, _): return readSavedNames(name, job, dependencies)
    case .unsaved(let job, let name, nil, let wasKept):
      guard wasKept == true else {
        state.changes?.end(job)
        return readSavedNames(name, job, dependencies)
      }
      return .send(.succeeded(job: job, result: .removedSaved(name: name)))
    case .unsaved(let job, let name, let names?, _):
      return .send(.failed(job: job, failure: .noSavedRequest(name, among: names)))
    case .succeeded(let job, let result, _):
      state.changes?.end(job)
      note(result, &state)
      return reduce(&state, job, .tested(result), dependencies)
    case .failed(let job, let failure, let cause):
      state.changes?.end(job)
      return reduce(&state, job, .failed(failure, cause: cause), dependencies)
    }
  }

  /// Begins a request, or carries out a command that sends none.
  private func begin(
    _ command: APICommand, _ context: CommandContext, _ state: inout APIState,
    _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    guard let request = PendingRequest(command, context) else {
      return manage(command, context.job, &state, dependencies)
    }
    if !request.isTest { state.requests &+= 1 }
    state.pending.append(request)
    let services = state.rereadsServices ? nil : state.services
    let known = RequestAction.resolve(services: services, isFresh: false)
    return reduce(&state, context.job, known, dependencies)
  }

  /// Keeps the response that ends a request.
  private func answered(
    _ job: Int, _ answer: APIAnswer, _ view: APIAnswerView?, _ state: inout APIState,
    _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    let spec = state.pending[id: job]?.spec
    let effects = reduce(&state, job, .answered(answer, view), dependencies)
    guard !state.pending.contains(id: job) else { return effects }
    if spec?.isSavedLast == true, let name = spec?.save { state.noteSaved(name) }
    state.keep(answer, job)
    return effects
  }

  /// Reduces a request, and removes it at its end. Does nothing if the job has no request.
  private func reduce(
    _ state: inout APIState, _ job: Int, _ action: RequestAction, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    guard state.pending.contains(id: job) else { return [] }
    let effects = RequestReducer()
      .reduce(forEach: &state.pending, .element(id: job, action: action), dependencies)
      .scoped({ APIAction($0) }, id: Self.place)
    if state.pending[id: job]?.stage == .ended { state.pending.remove(id: job) }
    return effects
  }

  // MARK: Commands that send no request

  private func cancel(
    _ job: Int?, _ context: CommandContext, _ state: inout APIState
  ) -> [Effect<APIAction>] {
    let jobs = state.pending.ids.filter { job == nil || $0 == job }
    if let job, jobs.isEmpty { return [.send(.failed(job: context.job, failure: .noRequest(job)))] }
    return jobs.flatMap { job -> [Effect<APIAction>] in
      [.cancel(id: job), .send(.failed(job: job, failure: .cancelled))]
    } + [.send(.succeeded(job: context.job, result: .cancelled(jobs: jobs)))]
  }

  /// One call of the database for each command.
  private func manage(
    _ command: APICommand, _ job: Int, _ state: inout APIState, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    let store = dependencies.persistence
    switch command {
    case .serviceAdd(let service):
      return change(command, job, &state, dependencies) {
        try await store.saveService(service, replacing: false)
        return .added(service: service)
      } failure: {
        $0.error == "exists" ? .taken(service.name) : $0
      }
    case .serviceList, .serviceShow, .serviceRemove:
      return .task(name: "api.\(command.verb)") {
        let (services, masked) = try await masking(try await store.services(), dependencies)
        let damaged = try await masking(try await store.damagedServices(), dependencies).value
        return .looked(
          job: job, command: command, services: services, damaged: damaged.isEmpty ? nil : damaged,
          masked: masked)
      }
      .catchFailure(dependencies) { .failed(job: job, failure: $0) }
      .cancellable(id: job)
    case .savedList:
      return result(of: command, job, dependencies) {
        .saved(requests: try await store.preferences().compactMap(SavedRequestSummary.init))
      }
    case .savedShow(let name): return readSaved(name, job, dependencies)
    case .savedRemove(let name): return removeSaved(name, job, &state, dependencies)
    case .recent(let text):
      return result(of: command, job, dependencies) {
        .recent(searches: try await store.searches(scope: "api", containing: text))
      }
    case .cacheList:
      return result(of: command, job, dependencies) {
        .cache(responses: try await store.cachedResponses())
      }
    case .cacheStats:
      return result(of: command, job, dependencies) {
        let entries = try await store.cachedResponses()
        return .cacheStatistics(entries: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes })
      }
    case .cacheClear(let name):
      return change(command, job, &state, dependencies) {
        let count = try await store.clearResponses(service: name)
        // A service that was removed may still have answers.
        if count == 0, let name {
          let services = try await store.services()
          let names = try await services.map(\.name) + store.damagedServices()
          guard names.contains(where: { $0.hasSameBytes(as: name) }) else {
            throw Failure.noSuchService(name, among: services)
          }
        }
        return .cleared(count: count, warning: await store.takeWarning())
      }
    case .request, .runSaved, .serviceTest, .stats, .cancel: return []
    }
  }

  /// Loads what is known of services. What cannot be read is not in the state.
  private func bootstrap(_ dependencies: Dependencies) -> [Effect<APIAction>] {
    .task(name: "api.bootstrap") { [store = dependencies.persistence] in
      let known = try await masking(APIKnown(reading: store), dependencies).value
      return .bootstrapped(job: 0, known: known)
    }
    .catchFailure(dependencies) { .bootstrapped(job: 0, known: nil, failure: $0) }
  }

  private func readSaved(
    _ name: String, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    .task(name: "api.saved.show") {
      let json = try await dependencies.persistence.preference(SavedRequest.key(name))
      let (request, masked) = try await masking(json.flatMap(SavedRequest.request), dependencies)
      return .read(job: job, name: name, request: request, masked: masked, isLine: true)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  private func removeSaved(
    _ name: String, _ job: Int, _ state: inout APIState, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    .change(name: "api.saved.remove", job: job, in: &state.changes, dependencies) {
      try await dependencies.persistence.unsetPreference(SavedRequest.key(name))
    } report: {
      .unsaved(job: job, name: name, wasKept: $0)
    } failure: {
      .failed(job: job, failure: $0)
    }
  }

  /// Reads which requests are kept, for the advice about a name that is not.
  private func readSavedNames(
    _ name: String, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    .task(name: "api.saved.names") {
      let names = SavedRequest.names(in: try await dependencies.persistence.preferences())
      return .unsaved(job: job, name: name, names: try await masking(names, dependencies).value)
    }
    .catch { _ in .unsaved(job: job, name: name, names: []) }
    .cancellable(id: job)
  }

  /// Which of the services a command means. What cannot be read can still be removed.
  private func looked(
    _ command: APICommand, _ job: Int, _ services: [APIService], _ damaged: [String],
    _ state: inout APIState, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    if state.services != nil { state.note(services: services) }
    guard let name = command.serviceName else { return [] }
    let service = services.first { $0.name.hasSameBytes(as: name) }
    guard service != nil || damaged.contains(where: { $0.hasSameBytes(as: name) }) else {
      return [.send(.failed(job: job, failure: .noSuchService(name, among: services)))]
    }
    let store = dependencies.persistence
    if case .serviceRemove = command {
      return change(command, job, &state, dependencies) {
        _ = try await store.removeService(name)
        return .removed(name: name)
      }
    }
    guard let service else { return readDamaged(name, job, dependencies) }
    return [.send(.succeeded(job: job, result: .service(service: service)))]
  }

  /// Reads a damaged service, for its error, unless another process has repaired or removed it.
  private func readDamaged(
    _ name: String, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    .task(name: "api.service.read") { [store = dependencies.persistence] in
      let service = try await masking(try await store.service(name), dependencies).value
      return .mended(job: job, name: name, service: service)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Goes on with a service that can be read again: with its request, or with showing it.
  private func mended(
    _ job: Int, _ name: String, _ service: APIService?, _ state: inout APIState,
    _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    let known = (state.services ?? []).filter { $0.name != name } + [service].compactMap(\.self)
    guard !state.pending.contains(id: job) else {
      return reduce(&state, job, .resolve(services: known, isFresh: true), dependencies)
    }
    guard let service else {
      return [.send(.failed(job: job, failure: .noSuchService(name, among: known)))]
    }
    return [.send(.succeeded(job: job, result: .service(service: service)))]
  }

  /// Returns an effect that calls a service and ends the command with the result, with known
  /// secrets masked.
  private func result(
    of command: APICommand, _ job: Int, _ dependencies: Dependencies,
    _ call: @escaping @Sendable () async throws -> APIResult
  ) -> [Effect<APIAction>] {
    .task(name: "api.\(command.verb)") {
      let (result, masked) = try await masking(try await call(), dependencies)
      return .succeeded(job: job, result: result, masked: masked)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Does the same for a command that changes something. If it is cancelled, it ends with what it
  /// has done.
  ///
  /// - Parameter failure: Returns the command's own failure in place of another.
  private func change(
    _ command: APICommand, _ job: Int, _ state: inout APIState, _ dependencies: Dependencies,
    _ call: @escaping @Sendable () async throws -> APIResult,
    failure: @escaping @Sendable (Failure) -> Failure = { $0 }
  ) -> [Effect<APIAction>] {
    .change(name: "api.\(command.verb)", job: job, in: &state.changes, dependencies, call) {
      let (result, masked) = try await masking($0, dependencies)
      return .succeeded(job: job, result: result, masked: masked)
    } failure: {
      .failed(job: job, failure: failure($0))
    }
  }

  /// Keeps what is known of services in step.
  private func note(_ result: APIResult, _ state: inout APIState) {
    switch result {
    case .added(let service): state.noteService(service)
    case .removed(let name): state.services?.removeAll { $0.name.hasSameBytes(as: name) }
    case .saved(let requests): if state.saved != nil { state.note(saved: requests.map(\.name)) }
    case .removedSaved(let name): state.saved?.removeAll { $0.hasSameBytes(as: name) }
    case .services(let services, _): if state.services != nil { state.note(services: services) }
    default: break
    }
  }
}

extension APICommand {
  fileprivate var verb: String {
    switch self {
    case .request, .runSaved: "request"
    case .savedList: "saved.list"
    case .savedShow: "saved.show"
    case .savedRemove: "saved.remove"
    case .serviceAdd: "service.add"
    case .serviceList: "service.list"
    case .serviceShow: "service.show"
    case .serviceRemove: "service.remove"
    case .serviceTest: "service.test"
    case .recent: "recent"
    case .stats: "stats"
    case .cacheList: "cache.list"
    case .cacheStats: "cache.stats"
    case .cacheClear: "cache.clear"
    case .cancel: "cancel"
    }
  }

  /// The service that a command shows or removes.
  fileprivate var serviceName: String? {
    switch self {
    case .serviceShow(let name), .serviceRemove(let name): name
    default: nil
    }
  }
}

extension Failure {
  fileprivate static func taken(_ name: String) -> Failure {
    Failure(
      code: ExitCode.cannotCreate, error: "exists",
      message: "there is a service named '\(name)' already",
      help: "'api service remove \(name)' first")
  }

  fileprivate static func noSavedRequest(_ name: String, among names: [String]) -> Failure {
    let nearest = Suggestion.nearest(to: name, among: names)
    return Failure(
      code: ExitCode.missing, error: "noSuchRequest", message: "no request is kept as '\(name)'",
      help: nearest.map { "did you mean '\($0)'?" } ?? "'api saved list' lists what is kept")
  }

  fileprivate static func noRequest(_ job: Int) -> Failure {
    Failure(
      code: ExitCode.missing, error: "noSuchJob",
      message: "job \(job) is not a request in flight", help: "'jobs' lists what runs")
  }
}
