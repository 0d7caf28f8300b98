import SwiftBoardSystem

/// Carries out requests that were planned: from the cache or from the service, into a file where
/// one is named, with known secrets replaced by marks in what comes back.
///
/// An exchange is one request to one service: what is asked, which service, which policy, and
/// whether it is sent again are in the plan, and decided by the caller.
public struct APIExchange: Sendable {
  private let dependencies: Dependencies

  /// Exchanges with the services of an environment.
  public init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// The answer to a request, of whatever status.
  ///
  /// - Throws: `APIError` if there is none; errors of the keychain, the terminal and files as they
  ///   are.
  public func answer(to planned: PlannedRequest) async throws -> APIAnswer {
    // A request cannot be undone, so the file and the keychain are asked first.
    if let file = planned.file {
      try dependencies.files.checkTarget(file.path, isRecording: false)
      try dependencies.files.checkCreatable(file.path)
    }
    try checkFiles(of: planned.request.connection)
    if planned.policy != .localFirst { dependencies.apiClient.prepare() }
    let capture = SecretCapture(dependencies)
    if !planned.captures.isEmpty { try await capture.unlock() }
    await remember(planned)
    let client = ResolvingAPIClient(dependencies)
    let download = planned.file.map { Download(client, dependencies, for: planned, $0) }
    let fetched = try await fetch(planned, client, download)
    if let error = fetched.cacheError {
      let what =
        fetched.verdict == .none
        ? "what is kept of the address could not be removed" : "an answer could not be kept"
      dependencies.logger.log("\(what): \(error.message)", level: .warning, category: "api")
    }
    // Another process may have stored what this service repeats.
    await dependencies.keychainService.refresh()
    let isLast =
      !planned.repeatedStatuses.contains(fetched.response.status) || !client.isRepeatable
    let captured = isLast ? await capture.store(planned.captures, of: fetched.response) : []
    var answer = APIAnswer(fetched, to: planned, dependencies.logger.redactor)
    if !captured.isEmpty { answer.captured = captured }
    if !client.isRepeatable { answer.isFinal = true }
    answer.warning = await KeychainAccess(dependencies).takeWarning()
    if let download, let file = planned.file, isLast {
      let wait = PipeWait(limit: planned.request.timeout, clock: dependencies.clock)
      try await answer.noteFile(
        file, download.written, fetched.response.body, dependencies.files, wait)
    }
    log(answer, fetched.verdict)
    return answer
  }

  /// Throws if a file of the connection is not there or cannot be read. Without TLS, the HTTP
  /// library would not look at it.
  private func checkFiles(of connection: APIConnection) throws(FileError) {
    let files = [connection.authorityFile, connection.certificateFile, connection.keyFile]
    for file in files.compactMap(\.self) { try dependencies.files.checkReadable(file) }
  }

  /// A database that fails keeps no request from its service.
  private func remember(_ planned: PlannedRequest) async {
    guard let search = planned.search else { return }
    let (shown, now) = (dependencies.logger.redact(search), dependencies.date.now)
    do throws(PersistenceError) {
      try await dependencies.persistence.addSearch(shown, scope: "api", at: now)
    } catch {
      dependencies.logger.log(
        "the recent searches could not be written: \(error.message)", level: .warning,
        category: "api")
    }
  }

  private func fetch(
    _ planned: PlannedRequest, _ client: ResolvingAPIClient, _ download: Download?
  ) async throws -> ResponseRepository.Fetched {
    let repository = repository(download ?? client, download)
    let key = dependencies.logger.redactor.mask(address: planned.key).value
    // A line that accepts a kept answer accepts one that is on its way; any other asks itself. The
    // body of a download goes into its own file.
    let result =
      download == nil && planned.policy == .localFirst
      ? await repository.fetchShared(
        request: planned.request, key: key, service: planned.service, policy: planned.policy,
        now: dependencies.date.now)
      : await repository.fetch(
        request: planned.request, key: key, service: planned.service, policy: planned.policy,
        now: dependencies.date.now)
    try Task.checkCancellation()
    do { return try result.get() } catch {
      throw explained(error, planned, client, download)
    }
  }

  private func repository(
    _ client: any APIClient, _ download: Download?
  ) -> ResponseRepository {
    ResponseRepository(
      client: client, cache: dependencies.persistence, exchanges: dependencies.exchanges,
      mayKeep: { [redactor = dependencies.logger.redactor] response in
        // A body that is only in a file is not kept.
        if let written = download?.written, written.bytes != response.body.count { return false }
        // An answer that repeats a secret is not kept.
        return redactor.mask([UInt8](response.body)).names.isEmpty
          && response.headers.allSatisfy { redactor.mask("\($0.name): \($0.value)").names.isEmpty }
      })
  }

  /// The error behind one of the HTTP library, with what a next attempt has to know.
  private func explained(
    _ error: APIError, _ planned: PlannedRequest, _ client: ResolvingAPIClient,
    _ download: Download?
  ) -> any Error {
    dependencies.logger.log(
      "\(planned.request.method) \(planned.request.url): \(error.message)", level: .warning,
      category: "api", fields: [LogField("error", error.kind.rawValue)])
    if error.kind == .file, let failure = download?.failure { return failure }
    if let problem = error.problem { return problem.base }
    var error = error
    if !client.isRepeatable { error.isFinal = true }
    if let file = planned.file, file.continues, let bytes = download?.keptBytes, bytes > 0 {
      error.part = APIError.Part(file: file.path, bytes: bytes)
    }
    return error
  }

  private func log(_ answer: APIAnswer, _ verdict: CacheVerdict) {
    dependencies.logger.log(
      "\(answer.method) \(answer.url)", level: .info, category: "api",
      fields: [
        LogField("status", String(answer.status)), LogField("verdict", verdict.rawValue),
        LogField("bytes", String(answer.bytes)),
      ])
  }
}

extension Download {
  /// A download of a planned request.
  fileprivate convenience init(
    _ client: any APIClient, _ dependencies: Dependencies, for planned: PlannedRequest,
    _ file: PlannedRequest.File
  ) {
    self.init(
      client, dependencies, to: file.path, continues: file.continues, key: planned.key,
      // What is captured has to be looked at; what is small is kept by the cache.
      copyLimit: planned.captures.isEmpty ? 1 << 20 : planned.request.bodyLimit,
      showsProgress: file.showsProgress, limit: planned.request.timeout)
  }
}

extension APIAnswer {
  /// Says where the body went. A body from the cache is written now.
  ///
  /// - Parameter written: What a download has written; `nil` if nothing.
  fileprivate mutating func noteFile(
    _ target: PlannedRequest.File, _ written: Download.Written?, _ body: Data,
    _ files: any FileService, _ wait: PipeWait
  ) async throws {
    if let written {
      bytes = written.bytes
      checksum = checksum(written.checksum, of: written.bytes)
      kept = written.kept
    } else {
      // An answer that is no part of a file that is continued is shown, and so is one that says
      // why there is no body: what was in the file stays.
      guard !target.continues, target.takesFailures || (200..<300).contains(status) else { return }
      let output = try await files.output(target.path, continues: false)
      do {
        // A reader that is there may take its time.
        try await wait.run([target.path]) { try await output.begin(afterKept: false, tag: nil) }
        try await output.write(body)
        try await output.finish()
      } catch {
        await output.discard()
        throw error
      }
      var sum = BodyChecksum()
      sum.add(body)
      checksum = checksum(sum.text, of: body.count)
    }
    file = target.path
    text = nil
    base64 = nil
  }
}
