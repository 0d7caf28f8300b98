import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

struct APIReducer: Reducer {
  func reduce(
    _ state: inout APIState, _ action: APIAction, _ dependencies: Dependencies
  ) -> [Effect<APIAction>] {
    switch action {
    case .run(let context, .request(let spec)):
      begin(spec, context, &state)
      return [request(spec, context, dependencies)]
    case .run(let context, .runSaved(let name, let items)):
      state.requests += 1
      state.pending.append(PendingRequest(job: context.job, method: "RUN", target: name))
      return [
        .task(name: "api.request") {
          do {
            let spec = try await savedRequest(name, items, dependencies)
            return .answered(
              job: context.job, answer: try await perform(spec, context, dependencies), kept: spec)
          } catch let error where !(error is CancellationError) {
            return .failed(job: context.job, failure: Failure(error, dependencies))
          }
        }.cancellable(id: context.job)
      ]
    case .run(let context, .cancel(let job)):
      let jobs = state.pending.map(\.job).filter { job == nil || $0 == job }
      if let job, jobs.isEmpty {
        return [
          .send(
            .failed(
              job: context.job,
              failure: Failure(
                code: ExitCode.missing, error: "noSuchJob",
                message: "job \(job) is not a request in flight", help: "'jobs' lists what runs")))
        ]
      }
      return jobs.flatMap { job -> [Effect<APIAction>] in
        [
          .cancel(id: job),
          .send(
            .failed(
              job: job,
              failure: Failure(code: ExitCode.interrupted, error: "cancelled", message: "cancelled")
            )),
        ]
      } + [.send(.succeeded(job: context.job, result: .cancelled(jobs: jobs)))]
    case .run(let context, let command):
      return [
        .task(name: "api.\(command.verb)") {
          do {
            let (result, masked) = try await masking(
              try await manage(command, context, dependencies), dependencies)
            return .succeeded(job: context.job, result: result, masked: masked)
          } catch let error where !(error is CancellationError) {
            return .failed(job: context.job, failure: Failure(error, dependencies))
          }
        }.cancellable(id: context.job)
      ]
    case .answered(let job, _, _):
      state.answers += 1
      state.pending.removeAll { $0.job == job }
      return []
    case .failed(let job, _):
      state.pending.removeAll { $0.job == job }
      return []
    case .succeeded: return []
    }
  }

  private func begin(
    _ spec: APIRequestSpec, _ context: CommandContext, _ state: inout APIState
  ) {
    state.requests += 1
    state.pending.append(
      PendingRequest(job: context.job, method: spec.method, target: spec.target.description))
  }

  private func request(
    _ spec: APIRequestSpec, _ context: CommandContext, _ dependencies: Dependencies
  ) -> Effect<APIAction> {
    .task(name: "api.request") {
      do {
        return .answered(
          job: context.job, answer: try await perform(spec, context, dependencies))
      } catch let error where !(error is CancellationError) {
        return .failed(job: context.job, failure: Failure(error, dependencies))
      }
    }.cancellable(id: context.job)
  }
}

extension APICommand {
  var verb: String {
    switch self {
    case .request, .runSaved: "request"
    case .serviceAdd: "service.add"
    case .serviceList: "service.list"
    case .serviceShow: "service.show"
    case .serviceRemove: "service.remove"
    case .serviceTest: "service.test"
    case .recent: "recent"
    case .cacheList: "cache.list"
    case .cacheStats: "cache.stats"
    case .cacheClear: "cache.clear"
    case .cancel: "cancel"
    }
  }
}

private func manage(
  _ command: APICommand, _ context: CommandContext, _ dependencies: Dependencies
) async throws -> APIResult {
  let store = dependencies.persistence
  switch command {
  case .serviceAdd(let service):
    try await add(service, store)
    return .added(service: service)
  case .serviceList: return .services(services: try await store.services())
  case .serviceShow(let name): return .service(service: try await service(name, dependencies))
  case .serviceRemove(let name):
    guard try await store.removeService(name) else {
      throw await unknownService(name, dependencies)
    }
    return .removed(name: name)
  case .serviceTest(let name):
    if let tested = try await ServiceTest(context, dependencies).program(of: name) { return tested }
    var spec = APIRequestSpec(method: "GET", isExplicit: true, target: SecretTemplate(name + "/"))
    spec.cache = .noCache
    let answer = try await perform(spec, context, dependencies, remembers: false)
    return .tested(
      name: name, status: answer.status, milliseconds: answer.timing.total / 1000, judgesAll: true)
  case .recent(let text):
    return .recent(searches: try await store.searches(scope: "api", containing: text))
  case .cacheList: return .cache(responses: try await store.cachedResponses())
  case .cacheStats:
    let entries = try await store.cachedResponses()
    return .cacheStatistics(entries: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes })
  case .cacheClear(let name): return .cleared(count: try await store.clearResponses(service: name))
  case .request, .runSaved, .cancel:
    throw Failure(code: ExitCode.software, error: "internal", message: "not a management command")
  }
}

private func add(_ service: APIService, _ store: any PersistenceService) async throws {
  do throws(PersistenceError) {
    try await store.saveService(service, replacing: false)
  } catch {
    guard error.kind == .exists else { throw error }
    throw Failure(
      code: ExitCode.cannotCreate, error: "exists",
      message: "there is a service named '\(service.name)' already",
      help: "'api service remove \(service.name)' first")
  }
}

func service(_ name: String, _ dependencies: Dependencies) async throws -> APIService {
  if let service = try await dependencies.persistence.service(name) { return service }
  throw await unknownService(name, dependencies)
}

func unknownService(_ name: String, _ dependencies: Dependencies) async -> Failure {
  let names = (try? await dependencies.persistence.services().map(\.name)) ?? []
  let help =
    Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
    ?? "'api service add \(name) URL' makes it known"
  return Failure(
    code: ExitCode.missing, error: "noSuchService", message: "there is no service named '\(name)'",
    help: help)
}

private func savedRequest(
  _ name: String, _ items: [APIItem], _ dependencies: Dependencies
) async throws -> APIRequestSpec {
  guard let json = try await dependencies.persistence.preference(savedKey(name)) else {
    throw Failure(
      code: ExitCode.missing, error: "noSuchRequest", message: "no request is kept as '\(name)'",
      help: "keep one with --save \(name)")
  }
  if let secret = dependencies.logger.redactor.mask(json).names.first {
    throw Failure(
      code: ExitCode.data, error: "holdsSecret",
      message: "the request kept as '\(name)' holds the value of the secret '\(secret)'",
      help: "keep it again with {{secret:\(secret)}} in its place")
  }
  var spec = try CanonicalDecoder.decode(APIRequestSpec.self, from: Array(json.utf8))
  spec.items.removeAll { old in items.contains { $0.kind == old.kind && $0.name == old.name } }
  spec.items += items
  spec.save = nil
  return spec
}

func savedKey(_ name: String) -> String { "api.saved.\(name)" }
