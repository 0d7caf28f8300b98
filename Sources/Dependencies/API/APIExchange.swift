import SwiftBoardSystem

/// Carries out planned requests, with the cache or the service, and writes bodies to files if
/// requested. Known secrets in responses are replaced by marks.
///
/// An exchange is one request to one service. The plan determines the request, the service, the
/// cache policy and whether the request is repeated.
public struct APIExchange: Sendable {
  private let dependencies: Dependencies

  /// Creates exchanges with the services of an environment.
  public init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// Returns the response to a request, regardless of its status.
  ///
  /// - Throws: `APIError` if there is no response, and the errors of the keychain, the terminal and
  ///   files.
  public func answer(to planned: PlannedRequest) async throws -> APIAnswer {
    // A request cannot be undone, so check the file and unlock the keychain first.
    if let file = planned.file {
      try dependencies.files.checkTarget(file.path, isRecording: false)
      try dependencies.files.checkCreatable(file.path)
    }
    try checkFiles(of: planned.request.connection)
    if planned.policy != .localFirst { dependencies.apiClient.prepare() }
    let capture = SecretCapture(dependencies)
    try await capture.prepare(planned.captures)
    await remember(planned)
    let client = ResolvingAPIClient(dependencies, showsBody: planned.showsBody)
    let download = planned.file.map { Download(client, dependencies, for: planned, $0) }
    let fetched = try await fetch(planned, client, download)
    if let error = fetched.cacheError {
      let what =
        fetched.verdict == .none
        ? "what is kept of the address could not be removed" : "an answer could not be kept"
      dependencies.logger.log("\(what): \(error.message)", level: .warning, category: "api")
    }
    // Another process may have stored a secret that the service repeats.
    await dependencies.keychainService.refresh()
    let isRepeated = planned.repeatedStatuses.contains(fetched.value.status)
    let asked = fetched.value.headers.retryAfter(now: dependencies.date.now) ?? 0
    let isFinal = !client.isRepeatable || isRepeated && asked > planned.longestPause
    let isLast = !isRepeated || isFinal
    let captured = isLast ? await capture.store(planned.captures, of: fetched.value) : []
    var answer = APIAnswer(fetched, to: planned, dependencies.logger.redactor)
    answer.sentBody = client.shownBody
    if !captured.isEmpty { answer.captured = captured }
    if isFinal { answer.isFinal = true }
    if !client.isRepeatable { answer.isReadOnce = true }
    answer.warning = await KeychainAccess(dependencies).takeWarning()
    if let download, let file = planned.file, isLast {
      let wait = PipeTimeout(limit: planned.request.timeout, clock: dependencies.clock)
      try await answer.noteFile(
        file, download.written, fetched.value.body, dependencies.files, wait)
      if answer.file == nil, !answer.hasContent, (200..<300).contains(answer.status) {
        answer.warning =
          answer.warning ?? "nothing is written to '\(file.path)': the answer has no content"
      }
      if let bytes = download.discardedBytes {
        // The target of a link, which no line names.
        let part = dependencies.logger.redactor.mask(download.file).value
        let discarded =
          "the service does not continue '\(file.path)': \(part).part with \(bytes) bytes "
          + "is discarded, and the same line gets the whole file"
        answer.warning = answer.warning.map { "\($0); \(discarded)" } ?? discarded
      }
      if answer.file == nil, answer.status >= 300, !file.takesFailures { answer.leavesFile = true }
      // The file has the body as it is.
      if answer.file != nil {
        answer.masked = APIAnswer.masked(in: fetched.value.headers, dependencies.logger.redactor)
      }
    }
    dependencies.logger.log(
      answerTo: "\(answer.method) \(answer.url)", status: answer.status, bytes: answer.bytes,
      fetched.verdict)
    return answer
  }

  /// Throws if a file of the connection cannot be read. Without TLS, the HTTP library would ignore
  /// such a file.
  private func checkFiles(of connection: APIConnection) throws(FileError) {
    let files = [connection.authorityFile, connection.certificateFile, connection.keyFile]
    for file in files.compactMap(\.self) { try dependencies.files.checkReadable(file) }
  }

  /// Adds the request to the recent searches. An error of the database does not prevent the
  /// request.
  private func remember(_ planned: PlannedRequest) async {
    guard let search = planned.search else { return }
    // The line's own words: no name of a host, which would have a value in lower case.
    let redactor = dependencies.logger.redactor
    let shown = Redactor.redactPositions(redactor.mask(search).value)
    let now = dependencies.date.now
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
  ) async throws -> Fetched<APIResponse> {
    let repository = repository(planned, download ?? client, download)
    let key = dependencies.logger.redactor.mask(address: planned.key).value
    // A request that accepts a cached response also accepts one that is being received. A download
    // does not share its exchange, because it has its own file.
    let shares = download == nil && planned.policy == .localFirst
    let now = dependencies.date.now
    let result = await dependencies.logger.noteCancellation(of: planned.line) {
      shares
        ? await repository.fetchShared(
          request: planned.request, key: key, service: planned.service, policy: planned.policy,
          now: now)
        : await repository.fetch(
          request: planned.request, key: key, service: planned.service, policy: planned.policy,
          now: now)
    }
    try Task.checkCancellation()
    do { return try result.get() } catch {
      throw explained(error, planned, client, download)
    }
  }

  private func repository(
    _ planned: PlannedRequest, _ client: any APIClient, _ download: Download?
  ) -> ResponseRepository {
    ResponseRepository(
      client: client, cache: dependencies.persistence, exchanges: dependencies.exchanges,
      unreplacedFailures: unreplacedFailures(planned),
      mayKeep: { [dependencies] response in
        // Do not cache a body that is only in a file.
        if let written = download?.written, written.bytes != response.body.count { return false }
        return await !dependencies.repeatsSecret(response)
      })
  }

  /// Returns the failures that no cached response replaces: those after which the request is
  /// repeated, and, for an existing file, all. Its content may be newer than the cached response.
  /// Without a connection, the user asked for the cached response.
  private func unreplacedFailures(_ planned: PlannedRequest) -> Set<APIError.Kind> {
    guard let file = planned.file, dependencies.files.isFile(file.path) else {
      return planned.repeatedFailures
    }
    return Set(APIError.Kind.allCases).subtracting([.offline])
  }

  /// Returns the error that caused the HTTP library's error, with what the next attempt needs.
  private func explained(
    _ error: APIError, _ planned: PlannedRequest, _ client: ResolvingAPIClient,
    _ download: Download?
  ) -> any Error {
    dependencies.logger.log(failureOf: planned.line, error)
    if error.kind == .file, let failure = download?.failure { return failure }
    if let problem = error.problem { return problem.base }
    var error = error
    if !client.isRepeatable { error.isFinal = true }
    if let file = planned.file, file.continues, let bytes = download?.keptBytes, bytes > 0 {
      let kept = dependencies.logger.redactor.mask(download?.file ?? file.path).value
      error.part = APIError.Part(file: kept, bytes: bytes)
    } else if let reason = download?.lossReason {
      error.message += "; what has come is not kept: \(reason)"
    }
    return error
  }
}

extension PlannedRequest {
  /// The method and the address, for the log.
  fileprivate var line: String { "\(request.method) \(request.url)" }
}

extension Download {
  /// Creates the download of a planned request.
  fileprivate convenience init(
    _ client: any APIClient, _ dependencies: Dependencies, for planned: PlannedRequest,
    _ file: PlannedRequest.File
  ) {
    self.init(
      client, dependencies, to: file.path, continues: file.continues,
      mayContinue: file.mayContinue, key: planned.key,
      // Keep a copy of a body from which a secret is captured, and of one that is small enough for
      // the cache.
      copyLimit: planned.captures.isEmpty ? 1 << 20 : planned.request.bodyLimit,
      showsProgress: file.showsProgress, limit: planned.request.timeout)
  }
}

extension APIAnswer {
  /// Whether a response with this status to this method can have content.
  fileprivate var hasContent: Bool { method != "HEAD" && ![204, 205, 304].contains(status) }

  /// Records the file of the body. Writes a body that came from the cache.
  ///
  /// - Parameter written: The bytes that a download has written, or `nil` if it has written none.
  fileprivate mutating func noteFile(
    _ target: PlannedRequest.File, _ written: Download.Written?, _ body: Data,
    _ files: any FileService, _ wait: PipeTimeout
  ) async throws {
    if let written {
      bytes = written.bytes
      checksum = checksum(written.checksum, of: written.bytes)
      kept = written.kept
    } else {
      // Show a response that is not part of the continued file, and one that explains a failure.
      // The file keeps its content, also if the response has none.
      guard !target.continues, hasContent, target.takesFailures || (200..<300).contains(status)
      else { return }
      let output = try await files.output(target.path, continues: false)
      do {
        // The time limit covers only the wait for a reader, not the reading.
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
  }
}
