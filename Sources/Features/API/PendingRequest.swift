import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A request in flight.
public struct PendingRequest: Codable, Sendable, Equatable, Identifiable {
  /// The stage of a request.
  public enum Stage: String, Codable, Sendable {
    /// Waiting for data from the database: the services, or a saved request.
    case resolving
    /// Being saved. A request that cannot be saved is not sent.
    case keeping
    /// Sent; waiting until it is repeated.
    case asking, waiting
    /// Ended. The request is removed from the state.
    case ended
  }

  /// The job that sent it; its cancel ID.
  public var job: Int
  /// The method as it is sent.
  public var method: String
  /// The address or service path as typed; secrets are names.
  public var target: String
  /// How far it is.
  public var stage = Stage.resolving
  /// The number of times the request was sent.
  public var attempt = 0
  /// The delay before the next repetition in earlier versions, in milliseconds, where one
  /// `Retry-After` of 0 removed all later delays. It is kept for the digests of recordings.
  public var pause = ServiceRetry.firstPause
  /// What asks: a request, a kept one until it is found, or the test of a service.
  public var command: APICommand
  /// The service that it asks; `nil` for an address, and until it is found.
  public var service: APIService?
  /// Milliseconds for each attempt; `nil`: the usual time.
  public var timeout: Int64?
  /// Whether a response with any status is a result, so that the body of a failure can be written
  /// to a file.
  public var wantsAnyStatus: Bool?
  /// Whether the next line does not wait for it.
  public var isBackground: Bool

  /// The job.
  public var id: Int { job }

  /// The request of a command that asks a service; `nil` for other commands.
  public init?(_ command: APICommand, _ context: CommandContext) {
    switch command {
    case .request(let spec): (method, target) = (spec.method, spec.target.description)
    case .runSaved(let name, _, _, _, _, _): (method, target) = ("RUN", name)
    case .serviceTest(let name): (method, target) = ("GET", name + "/")
    default: return nil
    }
    job = context.job
    self.command = command
    timeout = context.timeout
    isBackground = context.isBackground
    wantsAnyStatus = context.checksStatus == false ? true : nil
  }

  /// Creates a request from an earlier recording, which contains no other information.
  init(job: Int, method: String, target: String) {
    (self.job, self.method, self.target) = (job, method, target)
    command = .request(
      request: APIRequestSpec(method: method, isExplicit: true, target: SecretTemplate(target)))
    isBackground = false
  }

  /// What is sent; `nil` for a kept request that has not been found.
  var spec: APIRequestSpec? {
    switch command {
    case .request(let spec): return spec
    case .serviceTest(let name):
      var spec = APIRequestSpec(
        method: "GET", isExplicit: true, target: SecretTemplate(name + "/"))
      spec.cache = .noCache
      return spec
    default: return nil
    }
  }

  /// Whether it is the test of a service.
  var isTest: Bool { if case .serviceTest = command { true } else { false } }

  /// The name of the service in the target, or `nil` for an address.
  var serviceName: String? {
    guard let spec, !spec.isAddress, case .text(let text)? = spec.target.parts.first,
      // A secret in a service's name is refused, and none is looked up.
      spec.target.text != nil || text.contains("/")
    else { return nil }
    return String(text.prefix { $0 != "/" })
  }

  /// Replaces the name of a kept request by the request with the line's own items.
  ///
  /// - Returns: Why it cannot be sent with them; `nil` if it can.
  mutating func take(_ found: APIRequestSpec) -> Failure? {
    guard
      case .runSaved(
        let name, let items, let view, let isChecked, let checksType, let checksOptions) = command
    else { return nil }
    var spec = found
    spec.items += items
    let inJSON = spec.hasJSONMembers
    let kept = found.items.filter { old in
      !items.contains { $0.replaces(old, ofAnySign: isChecked == true, inJSON: inJSON) }
    }
    spec.items = kept + items
    spec.save = nil
    if isChecked == true, let refusal = spec.refusal(keptAs: name) { return refusal }
    if checksType == true, let refusal = spec.refusalOfType(keptAs: name) { return refusal }
    if checksOptions == true, let refusal = spec.refusalOfOptions(keptAs: name) { return refusal }
    if let view { spec.show(view) }
    (method, target) = (spec.method, spec.target.description)
    command = .request(request: spec)
    return nil
  }

  /// Removes user input. A request that has been sent continues without it, but is not repeated.
  ///
  /// - Returns: Whether it has been sent.
  mutating func hide() -> Bool {
    guard stage == .asking else { return false }
    let spec = APIRequestSpec(method: "", isExplicit: true, target: SecretTemplate(""))
    command = isTest ? .serviceTest(name: "") : .request(request: spec)
    (method, target, service) = ("", "", nil)
    return true
  }

  /// The statuses of services that may answer a moment later.
  static let temporaryStatuses: Set = [429, 502, 503, 504]

  /// The statuses after which it is sent again.
  var repeatedStatuses: Set<Int> { Self.temporaryStatuses.filter { mayRepeat(status: $0) } }

  /// The failures after which it is sent again.
  var repeatedFailures: Set<APIError.Kind> {
    Set(APIError.Kind.allCases.filter { mayRepeat(cause: $0) })
  }

  /// Whether it can be sent again after an answer with `status`, or after an error of `cause`.
  func mayRepeat(status: Int? = nil, cause: APIError.Kind? = nil) -> Bool {
    guard let spec, stage == .asking, attempt <= spec.retries else { return false }
    switch (status, cause) {
    case (let status?, _) where Self.temporaryStatuses.contains(status): break
    case (_, .dns?), (_, .refused?), (_, .offline?): return true
    case (_, .unreachable?), (_, .timeout?), (_, .truncated?): break
    default: return false
    }
    // Repeat a request that the service may have carried out only if repeating it has no further
    // effect. Of equal headers, the last one is sent.
    let key = spec.items.last { $0.name.lowercased() == "idempotency-key" }
    return APIRequest.isIdempotent(method: spec.method)
      || key.map { $0.kind == .header && $0.value.text != "" } ?? false
  }

  /// The pause before the next attempt: what the service asks for, or else one that doubles with
  /// each attempt, as `ServiceRetry` says.
  ///
  /// - Parameter asked: What the service asks for, in seconds. Answers that ask for more than a
  ///   minute are final; in earlier recordings they were not, and it was a minute then.
  mutating func nextPause(asked: Int64?) -> Duration {
    let longest = ServiceRetry.longestPause
    let asked = asked.map { min(max($0, 0), longest / 1000) * 1000 }
    pause = min(max(asked ?? pause, 0), longest / 2) * 2
    let doublings = min(max(attempt, 1) - 1, 16)
    return .milliseconds(asked ?? min(ServiceRetry.firstPause << doublings, longest))
  }
}

extension APIItem {
  /// Whether it takes the place of an item of a kept request. Names of headers ignore case.
  ///
  /// - Parameters:
  ///   - ofAnySign: Whether a member does so whatever the signs of both are.
  ///   - inJSON: Whether members are those of a JSON body.
  fileprivate func replaces(_ old: APIItem, ofAnySign: Bool, inJSON: Bool) -> Bool {
    let headers: [Kind] = [.header, .emptyHeader]
    if headers.contains(kind), headers.contains(old.kind) {
      return name.lowercased() == old.name.lowercased()
    }
    return typedName(inJSON: inJSON) == old.typedName(inJSON: inJSON)
      && (kind == old.kind || ofAnySign && isMember && old.isMember)
  }
}
