import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The actions of the feature `api`.
public enum APIAction {
  /// A line asks for something.
  case run(context: CommandContext, command: APICommand)
  /// Loads the services and the names of kept requests, so that the state has them.
  case bootstrap
  /// The services and the names of saved requests were loaded, or could not be loaded. A request
  /// waited for them, or none did (job 0).
  case bootstrapped(job: Int, known: APIKnown?, failure: Failure? = nil)
  /// A saved request was found under its name, or `nil` if there is none. It is not sent if it
  /// contains values of secrets; `masked` names these secrets.
  case found(job: Int, request: APIRequestSpec?, masked: MaskedValues? = nil)
  /// The request was saved under its name, and is sent next.
  case kept(job: Int)
  /// A response was received. It ends the command unless the request is repeated.
  case answered(job: Int, answer: APIAnswer, view: APIAnswerView? = nil)
  /// The pause before a request is sent again is over.
  case again(job: Int)
  /// The services were read for a command that names one or lists them. `damaged` contains the
  /// names of those that cannot be read, if any.
  case looked(
    job: Int, command: APICommand, services: [APIService], damaged: [String]? = nil,
    masked: MaskedValues? = nil)
  /// A service that was damaged when the services were read can be read again, or is `nil` because
  /// another process removed it.
  case mended(job: Int, name: String, service: APIService?)
  /// A kept request was read to be shown, or `nil` if there is none. `isLine` is `true`, and `nil`
  /// in earlier recordings: see `APIResult.savedRequest`.
  case read(
    job: Int, name: String, request: APIRequestSpec?, masked: MaskedValues? = nil,
    isLine: Bool? = nil)
  /// No request is kept under the name. `wasKept` is whether one was; if not, `names` are those
  /// that are kept, once they were read. In earlier recordings, `succeeded` said that one was.
  case unsaved(job: Int, name: String, names: [String]? = nil, wasKept: Bool? = nil)
  /// A command without a request succeeded. `masked` is the number of values that marks replace.
  case succeeded(job: Int, result: APIResult, masked: MaskedValues? = nil)
  /// A command failed without a response. If `cause` is temporary and the line permits it, the
  /// request is repeated, and the command continues.
  case failed(job: Int, failure: Failure, cause: APIError.Kind? = nil)
}

extension APIAction: FeatureAction {
  /// The end of the loading, also of the one that a request waited for.
  public var loading: LoadingEnd? {
    if case .bootstrapped(_, _, let failure) = self { LoadingEnd(failure) } else { nil }
  }

  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// The job of the command that the action belongs to. The loading of what the state shows has 0.
  public var owningJob: Int? { job }
}

extension APIAction {
  /// The job of the command that the action belongs to.
  var job: Int {
    switch self {
    case .run(let context, _): context.job
    case .bootstrap: 0
    case .bootstrapped(let job, _, _), .found(let job, _, _), .kept(let job),
      .answered(let job, _, _),
      .again(let job),
      .looked(let job, _, _, _, _), .mended(let job, _, _), .read(let job, _, _, _, _),
      .unsaved(let job, _, _, _),
      .succeeded(let job, _, _),
      .failed(let job, _, _):
      job
    }
  }

  /// What happens to a request in flight, as an action of the feature.
  init(_ element: ElementAction<Int, RequestAction>) {
    let job = element.id
    switch element.action {
    case .resolve, .again: self = .again(job: job)
    case .bootstrapped(let known, let failure):
      self = .bootstrapped(job: job, known: known, failure: failure)
    case .mended(let name, let service): self = .mended(job: job, name: name, service: service)
    case .found(let spec, _, let masked):
      self = .found(job: job, request: spec, masked: masked)
    case .kept: self = .kept(job: job)
    case .answered(let answer, let view): self = .answered(job: job, answer: answer, view: view)
    case .tested(let result): self = .succeeded(job: job, result: result)
    case .failed(let failure, let cause): self = .failed(job: job, failure: failure, cause: cause)
    }
  }
}

/// What the database knows of services and requests.
public struct APIKnown: Codable, Sendable, Equatable {
  /// The services, by name.
  public var services: [APIService]
  /// The names of the kept requests, in order.
  public var saved: [String]
  /// The names of damaged services, sorted, or `nil` if there are none.
  public var damaged: [String]?

  /// The services, and the names of kept requests among all preferences, which are `nil` if they
  /// cannot be read.
  public init(services: [APIService], preferences: [Preference]? = nil) {
    self.services = services
    saved = SavedRequest.names(in: preferences ?? [])
  }

  /// Reads the content of a store. A request does not depend on preferences, so errors of reading
  /// them are ignored.
  init(reading store: any PersistenceService) async throws {
    self.init(services: try await store.services(), preferences: try? await store.preferences())
    let names = try await store.damagedServices()
    damaged = names.isEmpty ? nil : names
  }
}

/// Requests that are kept for `api run NAME`, as preferences.
enum SavedRequest {
  private static let prefix = "api.saved."

  static func key(_ name: String) -> String { prefix + name }

  static func name(ofKey key: String) -> String? {
    key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
  }

  /// Decodes the preference of a kept request; `nil` if it is none, because it was set by hand.
  static func request(_ json: String) -> APIRequestSpec? {
    try? CanonicalDecoder.decode(APIRequestSpec.self, from: Array(json.utf8))
  }

  /// The names of the kept requests among all preferences, in order.
  static func names(in preferences: [Preference]) -> [String] {
    preferences.compactMap { SavedRequestSummary($0)?.name }
  }
}

/// A kept request, for `api saved list`.
public struct SavedRequestSummary: Codable, Sendable, Equatable {
  /// The name of the request.
  public var name: String
  /// The method; `nil` in earlier recordings if the preference was no request.
  public var method: String?
  /// `SERVICE/PATH` or an address; `nil` in earlier recordings if the preference was no request.
  public var target: String?
}

extension SavedRequestSummary {
  /// The request that a preference keeps; `nil` for any other preference, also one with the name of
  /// a request that was set by hand.
  init?(_ preference: Preference) {
    guard let name = SavedRequest.name(ofKey: preference.name),
      let spec = SavedRequest.request(preference.json)
    else { return nil }
    self.init(name: name, method: spec.method, target: spec.shownTarget.description)
  }
}

/// The commands of the feature `api`.
public enum APICommand: Codable, Sendable, Equatable {
  /// `api METHOD TARGET ITEM…`.
  case request(request: APIRequestSpec)
  /// `api run NAME ITEM…`: a saved request with additional items. `view` replaces the saved view,
  /// if given. With `isChecked`, an item replaces a saved member regardless of its separator, and a
  /// request that would lose a part or send it twice is refused. With `checksType`, so is a
  /// multipart body with another `Content-Type`. With `checksOptions`, so is what the line of a
  /// request cannot have. All are `nil` in earlier recordings.
  case runSaved(
    name: String, items: [APIItem], view: APIAnswerView? = nil, isChecked: Bool? = nil,
    checksType: Bool? = nil, checksOptions: Bool? = nil)
  /// `api saved list`.
  case savedList
  /// `api saved show NAME`.
  case savedShow(name: String)
  /// `api saved remove NAME`.
  case savedRemove(name: String)
  /// `api service add`.
  case serviceAdd(service: APIService)
  /// `api service list`.
  case serviceList
  /// `api service show NAME`.
  case serviceShow(name: String)
  /// `api service remove NAME`.
  case serviceRemove(name: String)
  /// `api service test NAME`: whether the service answers, and how fast.
  case serviceTest(name: String)
  /// `api recent`: the most recent addresses, optionally only the ones that contain `text`.
  case recent(text: String?)
  /// `api stats`: the number of requests, and figures of the last responses.
  case stats
  /// `api cache list` and `api cache stats`.
  case cacheList, cacheStats
  /// `api cache clear`, for all services if none is named.
  case cacheClear(service: String?)
  /// `api cancel`: the requests of a job, or all if none is named.
  case cancel(job: Int?)
}

extension APICommand {
  /// The item with which the command reads standard input to its end.
  var readsInput: String? {
    let items: [APIItem]
    switch self {
    case .request(let request): items = request.items
    case .runSaved(_, let own, _, _, _, _): items = own
    default: return nil
    }
    return items.contains { $0.readsInput } ? "@-" : nil
  }
}
