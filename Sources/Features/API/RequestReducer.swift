import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The events of a request in flight. The feature's actions contain them with the job.
enum RequestAction: Sendable {
  /// The known services, whether they were just read, and the names of damaged ones.
  case resolve(
    services: [APIService]?, isFresh: Bool, damaged: [String] = [], failure: Failure? = nil)
  /// The database was read.
  case bootstrapped(known: APIKnown?, failure: Failure?)
  /// A service that was damaged was read; `nil` if it is gone.
  case mended(name: String, service: APIService?)
  /// The kept request; `nil` if there is none. `masked` says which secrets it holds the values of.
  case found(APIRequestSpec?, services: [APIService]?, masked: MaskedValues? = nil)
  /// The request is kept under its name.
  case kept
  /// An answer came.
  case answered(APIAnswer, APIAnswerView?)
  /// The test of a service succeeded.
  case tested(APIResult)
  /// The pause before the next attempt is over.
  case again
  /// There is no answer.
  case failed(Failure, cause: APIError.Kind?)
}

extension PendingRequest {
  /// Returns the action of an answer, which the command alone decides.
  fileprivate func answerAction(_ view: APIAnswerView?) -> @Sendable (APIAnswer) -> RequestAction {
    guard case .serviceTest(let name) = command else { return { .answered($0, view) } }
    return { answer in
      .tested(
        .tested(
          name: name, status: answer.status, milliseconds: answer.timing.total / 1000,
          judgesAll: true, proxy: answer.proxy))
    }
  }
}

/// A request from its line to its answer.
///
/// | from | action | to |
/// | --- | --- | --- |
/// | `resolving` | `resolve`, `found`: its service is not known | `resolving`: services are read |
/// | `resolving` | `resolve`: its service is damaged | `resolving`: it is read, for its error |
/// | `resolving` | `resolve`: a kept request is asked for | `resolving`: it is looked up |
/// | `resolving` | `resolve`, `found` | `asking`, or the end: the request cannot be sent |
/// | `resolving` | `resolve`: it is to be kept before it is sent | `keeping` |
/// | `keeping` | `kept` | `asking` |
/// | `asking` | `answered`, `failed` for the time being; it may be sent again | `waiting` |
/// | `waiting` | `again` | `asking` |
/// | `asking` | `answered`: it is kept after its answer, up to schema 5 | `keeping` |
/// | any | `answered`, `tested`, `failed` otherwise | `ended` |
///
/// The feature removes a request that has ended. Until then its command is running.
struct RequestReducer: Reducer {
  func reduce(
    _ state: inout PendingRequest, _ action: RequestAction, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    switch action {
    case .resolve(let services, let isFresh, let damaged, let failure):
      return resolve(&state, services, isFresh, damaged, failure, dependencies)
    case .found(nil, _, _): return [.send(.failed(.noSuchRequest(state.target), cause: nil))]
    case .found(_?, _, let masked?):
      let failure = Failure.holdsSecret(state.target, masked.names.first ?? "")
      return [.send(.failed(failure, cause: nil))]
    case .found(let spec?, let services, nil):
      if let refusal = state.take(spec) { return [.send(.failed(refusal, cause: nil))] }
      return resolve(&state, services, false, [], nil, dependencies)
    case .kept: return ask(&state, dependencies)
    case .answered(let answer, let view): return answered(&state, answer, view, dependencies)
    case .failed(_, let cause): return failed(&state, cause, dependencies)
    case .again: return ask(&state, dependencies)
    case .tested:
      state.stage = .ended
      return []
    // The feature knows what was read, and resolves.
    case .bootstrapped, .mended: return []
    }
  }

  // MARK: Resolving

  private func resolve(
    _ state: inout PendingRequest, _ services: [APIService]?, _ isFresh: Bool,
    _ damaged: [String], _ failure: Failure?, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    let savedName =
      if case .runSaved(let name, _, _, _, _, _) = state.command { name } else { nil as String? }
    guard services != nil || isFresh || (savedName == nil && state.serviceName == nil) else {
      return bootstrap(state, dependencies)
    }
    if let savedName { return find(savedName, state, dependencies) }
    guard let name = state.serviceName else { return ask(&state, dependencies) }
    if let service = services?.first(where: { $0.name.hasSameBytes(as: name) }) {
      state.service = service
      return ask(&state, dependencies)
    }
    // Another process may have added it.
    guard isFresh else { return bootstrap(state, dependencies) }
    if damaged.contains(where: { $0.hasSameBytes(as: name) }) {
      return readDamaged(name, state, dependencies)
    }
    var missing = failure ?? .noSuchService(name, among: services ?? [], inTarget: true)
    if state.spec?.isExplicit == false, missing.error == "noSuchService" {
      missing.code = ExitCode.usage
    }
    return [.send(.failed(missing, cause: nil))]
  }

  private func bootstrap(
    _ state: PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    .task(name: "api.bootstrap") { [store = dependencies.persistence] in
      let known = try await masking(APIKnown(reading: store), dependencies).value
      return .bootstrapped(known: known, failure: nil)
    }
    .catchFailure(dependencies) { .bootstrapped(known: nil, failure: $0) }
    .cancellable(id: state.job)
  }

  /// Reads a service that is damaged: its own error says so, unless another process has mended or
  /// removed it.
  private func readDamaged(
    _ name: String, _ state: PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    .task(name: "api.service.read") { [store = dependencies.persistence] in
      let service = try await masking(try await store.service(name), dependencies).value
      return .mended(name: name, service: service)
    }
    .catchFailure(dependencies) { .failed($0, cause: nil) }
    .cancellable(id: state.job)
  }

  private func find(
    _ name: String, _ state: PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    let key = SavedRequest.key(name)
    return .task(name: "api.saved") {
      let json = try await dependencies.persistence.preference(key)
      let spec = json.flatMap(SavedRequest.request)
      let (shown, masked) = try await masking(spec, dependencies)
      return .found(shown, services: nil, masked: masked)
    }
    .catchFailure(dependencies) { .failed($0, cause: nil) }
    .cancellable(id: state.job)
  }

  // MARK: Asking

  /// Sends the request, or fails if it cannot be sent.
  private func ask(
    _ state: inout PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    guard let spec = state.spec else { return [] }
    if let test = ServiceTest(of: state) { return self.test(test, &state, dependencies) }
    let plan: RequestPlan
    do {
      plan = try RequestPlan(
        spec, state.service, timeout: state.timeout, random: { dependencies.random.next() })
    } catch { return [.send(.failed(Failure(any: error), cause: nil))] }
    if let name = spec.save, spec.isSavedLast != true, state.stage == .resolving {
      return keep(spec, as: name, then: .kept, &state, dependencies)
    }
    state.attempt &+= 1
    state.stage = .asking
    var planned = plan.planned(attempt: state.attempt, showsProgress: !state.isBackground)
    planned.repeatedStatuses = state.repeatedStatuses
    planned.repeatedFailures = state.repeatedFailures
    planned.longestPause = plan.longestPause(within: state.timeout)
    planned.showsBody = spec.shown == .verbose
    planned.file?.takesFailures = state.wantsAnyStatus == true
    planned.file?.mayContinue = spec.mayResume
    if !state.isTest, state.attempt == 1 {
      planned.search = "\(spec.method) \(spec.target.description)"
    }
    let makeAction = state.answerAction(APIAnswerView(spec))
    let helps = plan.helps
    let attempt = state.attempt
    // A value may have become a secret since the line was checked, such as by another process.
    return .task(name: "api.request") { [planned] in
      if attempt > 1 { try await refuseRepeatedSecret(in: spec, dependencies) }
      return makeAction(try await APIExchange(dependencies).answer(to: planned))
    }
    .catch {
      let failure = Failure($0, dependencies, helps: helps, attempts: attempt)
      return .failed(failure, cause: ($0 as? APIError)?.repeatableKind)
    }
    .cancellable(id: state.job)
  }

  /// Keeps the request under a name, and goes on with an action.
  private func keep(
    _ spec: APIRequestSpec, as name: String, then next: RequestAction,
    _ state: inout PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    state.stage = .keeping
    // Relative paths stay as they were typed in the state and the actions: a replay has another
    // folder. A typed `~/` is an absolute path there already.
    let kept = spec.withAbsolutePaths(in: dependencies.files)
    return .task(name: "api.save") {
      let json = String(decoding: try CanonicalEncoder.encode(kept), as: UTF8.self)
      try await dependencies.persistence.setPreference(SavedRequest.key(name), to: json)
      return next
    }
    .catchFailure(dependencies) { .failed($0, cause: nil) }
    .cancellable(id: state.job)
  }

  /// Asks the program of a service's preset for something that needs the key.
  private func test(
    _ test: ServiceTest, _ state: inout PendingRequest, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    state.attempt &+= 1
    state.stage = .asking
    return .task(name: "api.test") {
      try await dependencies.openKeychain(for: test.service)
      let start = dependencies.clock.now
      let status = try await test.status(dependencies)
      let result = test.result(status, milliseconds: (dependencies.clock.now - start) / 1000)
      return .tested(try await masking(result, dependencies).value)
    }
    .catchFailure(dependencies) { .failed($0.forServiceTest, cause: nil) }
    .cancellable(id: state.job)
  }

  // MARK: Answers

  private func answered(
    _ state: inout PendingRequest, _ answer: APIAnswer, _ view: APIAnswerView?,
    _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    if answer.isFinal != true, state.mayRepeat(status: answer.status) {
      return pause(
        &state, asked: answer.headers.retryAfter(now: dependencies.date.now), dependencies)
    }
    if state.stage == .asking, let spec = state.spec, let name = spec.save, spec.isSavedLast == true
    {
      return keep(spec, as: name, then: .answered(answer, view), &state, dependencies)
    }
    state.stage = .ended
    return []
  }

  private func failed(
    _ state: inout PendingRequest, _ cause: APIError.Kind?, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    if state.mayRepeat(cause: cause) { return pause(&state, asked: nil, dependencies) }
    state.stage = .ended
    return []
  }

  /// Waits before the request is sent again.
  private func pause(
    _ state: inout PendingRequest, asked: Int64?, _ dependencies: Dependencies
  ) -> [Effect<RequestAction>] {
    state.stage = .waiting
    return .task(name: "api.pause") { .again }
      .delay(for: state.nextPause(asked: asked), clock: dependencies.clock.standard)
      .cancellable(id: state.job)
  }
}

extension APIError {
  /// The kind, if the request may be sent again.
  fileprivate var repeatableKind: Kind? { isFinal == true ? nil : kind }
}

extension RequestPlan {
  /// What a user can do about errors of the request, in the words of the command line.
  var helps: RequestHelps {
    var helps = RequestHelps()
    if spec.out == nil { helps.kinds[.tooLarge] = "--out FILE takes a body of any size" }
    if spec.connection?.authorityFile == nil {
      helps.tls[.unknownIssuer] = "--cacert FILE trusts an authority of your own"
    }
    if spec.connection?.certificateFile == nil {
      helps.tls[.clientCertificate] = "--cert FILE shows one, with its key or with --key FILE"
    }
    let key = spec.connection?.keyFile ?? spec.connection?.certificateFile
    helps.tls[.encryptedKey] =
      "(umask 077; openssl pkey -in \(key ?? "FILE") -out NEW) writes it decrypted to NEW, for --key"
    if spec.items.contains(where: \.hasWrongName) {
      helps.kinds[.invalidURL] =
        "a header's name has letters, digits and '-', as in X-Request-Id:text"
    }
    for item in spec.items where item.kind == .bodyFile {
      guard let path = item.value.text, let start = path.end(ofFirst: ";type=") else { continue }
      helps.missingFiles[path] =
        "';type=' is for a part, NAME@FILE;type=TYPE; here a header has it: "
        + "Content-Type:\(path[start...])"
    }
    helps.kinds[.tooLargeDecoded] = "allow more with --compressed-limit BYTES"
    helps.unconfirmed =
      "an answer is kept, but the service wants it confirmed: 'api get' shows it with --cache localFirst"
    return helps
  }
}

extension Failure {
  fileprivate static func noSuchRequest(_ name: String) -> Failure {
    Failure(
      code: ExitCode.missing, error: "noSuchRequest", message: "no request is kept as '\(name)'",
      help: "keep one with --save \(name)")
  }

  fileprivate static func holdsSecret(_ name: String, _ secret: String) -> Failure {
    Failure(
      code: ExitCode.data, error: "holdsSecret",
      message: "the request kept as '\(name)' holds the value of the secret '\(secret)'",
      help: SecretReference.text(for: secret).map { "keep it again with \($0) in its place" })
  }

  /// A service that is not known. The nearest name is offered.
  ///
  /// - Parameter inTarget: Whether the name is that of a target, which may be an address as well.
  static func noSuchService(
    _ name: String, among services: [APIService], inTarget: Bool = false
  ) -> Failure {
    let nearest = Suggestion.nearest(to: name, among: services.map(\.name))
    let advice =
      if ServiceName.isValid(name) {
        "'api service add \(name) URL' makes it known"
      } else if !inTarget {
        "'api service list' shows which there are"
      } else if name.contains(where: { ":.".contains($0) }) {
        "an address begins with http:// or https://"
      } else {
        "a target is NAME/PATH, or an address that begins with http:// or https://"
      }
    return Failure(
      code: ExitCode.missing, error: "noSuchService",
      message: name.isEmpty
        ? "no service has an empty name" : "there is no service named '\(name)'",
      help: nearest.map { "did you mean '\($0)'?" } ?? advice)
  }
}
