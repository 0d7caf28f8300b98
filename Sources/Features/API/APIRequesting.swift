import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// Carries a request out: service, secrets, body, cache, tries, captures, masking. Runs inside an
/// effect, where secrets may have values; what it gives back has none.
func perform(
  _ spec: APIRequestSpec, _ context: CommandContext, _ dependencies: Dependencies,
  remembers: Bool = true
) async throws -> APIAnswer {
  if spec.cache != .localFirst { dependencies.apiClient.prepare() }
  let prepared = try await RequestPreparation(dependencies).prepare(spec, context)
  if spec.captures != nil {
    // Asked before anything is sent: an answer whose secret cannot be stored would be lost.
    let keychain = dependencies.keychainService
    _ = try await unlocking(dependencies) { () throws(KeychainError) in try await keychain.keys() }
  }
  guard remembers else { return try await ask(prepared, spec, context, dependencies) }
  let shown = dependencies.logger.redact("\(spec.method) \(spec.target.description)")
  let now = dependencies.date.now
  try? await dependencies.persistence.addSearch(shown, scope: "api", at: now)
  return try await ask(prepared, spec, context, dependencies)
}

private func ask(
  _ prepared: PreparedRequest, _ spec: APIRequestSpec, _ context: CommandContext,
  _ dependencies: Dependencies
) async throws -> APIAnswer {
  // A request cannot be undone, so the output file is checked first.
  if let file = spec.out {
    try dependencies.files.checkTarget(file, isRecording: false)
    try dependencies.files.checkCreatable(file)
  }
  let download = spec.out.map { file in
    Download(
      dependencies, to: file, continues: spec.resumes == true, key: prepared.key,
      // What is captured has to be looked at; what is small is kept by the cache.
      copyLimit: spec.captures == nil ? 1 << 20 : prepared.request.bodyLimit,
      showsProgress: !context.isBackground)
  }
  let (fetched, attempts) = try await explaining(spec, prepared, download, dependencies) {
    try await fetch(prepared, spec, download, dependencies)
  }
  if let name = spec.save {
    let json = String(decoding: try CanonicalEncoder.encode(spec), as: UTF8.self)
    try await dependencies.persistence.setPreference(savedKey(name), to: json)
  }
  // Another process may have stored what this service repeats.
  await dependencies.keychainService.refresh()
  let captured = await capture(spec.captures ?? [], of: fetched.response, dependencies)
  var answer = APIAnswer(fetched, prepared, attempts: attempts, dependencies.logger.redactor)
  if !captured.isEmpty { answer.captured = captured }
  answer.view = APIAnswerView(spec)
  answer.warning = await dependencies.keychainService.takeWarning()
  if let file = spec.out {
    if let written = download?.written {
      answer.bytes = written.bytes
      answer.checksum = answer.checksum(written.checksum, of: written.bytes)
      answer.kept = written.kept
      answer.file = file
    } else if spec.resumes != true {
      try await dependencies.files.write(fetched.response.body, to: file, mode: .replace)
      var checksum = BodyChecksum()
      checksum.add(fetched.response.body)
      answer.checksum = answer.checksum(checksum.text, of: fetched.response.body.count)
      answer.file = file
    }
    // An answer that is no part of a file that is continued is shown.
    if answer.file != nil {
      answer.text = nil
      answer.base64 = nil
    }
  }
  dependencies.logger.log(
    "\(spec.method) \(answer.url)", level: .info, category: "api",
    fields: [
      LogField("status", String(answer.status)), LogField("verdict", answer.verdict.rawValue),
      LogField("bytes", String(answer.bytes)),
    ])
  return answer
}

/// Adds what the user can do about a failure, in the words of the command line.
private func explaining<Value: Sendable>(
  _ spec: APIRequestSpec, _ prepared: PreparedRequest, _ download: Download?,
  _ dependencies: Dependencies, _ body: () async throws -> Value
) async throws -> Value {
  do {
    return try await body()
  } catch let error as APIError {
    if error.kind == .file {
      if let failure = download?.failure { throw failure }
      if let failure = prepared.body?.failure { throw failure }
    }
    var failure = Failure(error, dependencies)
    switch error.kind {
    case .tooLarge where spec.out == nil: failure.help = "--out FILE takes a body of any size"
    case .tls where spec.connection?.authorityFile == nil:
      failure.help = "--cacert FILE trusts an authority of your own"
    case .tooLargeDecoded: failure.help = "allow more with --compressed-limit BYTES"
    default:
      if let download, spec.resumes == true, download.keptBytes > 0, let file = spec.out {
        failure.help =
          "\(download.keptBytes) bytes are in \(file).part; the same line goes on from there"
      }
    }
    throw failure
  }
}

/// Stores parts of an answer as secrets. One that does not exist or cannot be stored loses none of
/// the answer.
private func capture(
  _ captures: [APICapture], of response: APIResponse, _ dependencies: Dependencies
) async -> [APICaptured] {
  guard !captures.isEmpty else { return [] }
  func nothing(_ capture: APICapture, _ reason: String) -> APICaptured {
    APICaptured(
      name: capture.name,
      failure: Failure(
        code: ExitCode.missing, error: "nothingCaptured",
        message: "\(reason); the secret '\(capture.name)' was not stored"), isShort: false)
  }
  let body = String(decoding: response.body, as: UTF8.self)
  let answer: JSON = [
    "headers": APIOutcomes.json(response.headers), "body": APIOutcomes.json(body),
  ]
  var result: [APICaptured] = []
  for capture in captures {
    guard response.status < 400 else {
      result.append(nothing(capture, "the service answered HTTP \(response.status)"))
      continue
    }
    let value: [UInt8]
    switch (try? JSONPath(parsing: capture.path)).flatMap(answer.value(at:)) {
    case .string(let text) where !text.isEmpty: value = Array(text.utf8)
    case .number(let text): value = Array(text.utf8)
    case nil:
      result.append(nothing(capture, "the answer has nothing at '\(capture.path)'"))
      continue
    case .some:
      result.append(nothing(capture, "what is at '\(capture.path)' is not text"))
      continue
    }
    if value.withUnsafeBufferPointer({ RedactionMark.first(in: $0) }) != nil {
      result.append(nothing(capture, "what is at '\(capture.path)' is a mark in place of a value"))
      continue
    }
    do {
      try await dependencies.keychainService.save(Data(value), forKey: capture.name)
      result.append(
        APICaptured(
          name: capture.name, failure: nil, isShort: value.count < Redactor.shortestValue))
    } catch {
      result.append(
        APICaptured(
          name: capture.name, failure: Failure(error, dependencies), isShort: false))
    }
  }
  await forgetKnownSecrets(dependencies)
  return result
}

/// Removes the kept answers that hold a known secret: they were kept before it was known. A cache
/// that fails keeps no answer from its line.
func forgetKnownSecrets(_ dependencies: Dependencies) async {
  let redactor = dependencies.logger.redactor
  do {
    _ = try await dependencies.persistence.removeResponses { response in
      !redactor.mask([UInt8](response.body)).names.isEmpty
        || response.headers.contains { !redactor.mask($0.value).names.isEmpty }
        || !redactor.mask(response.key).names.isEmpty
    }
  } catch {
    dependencies.logger.log(
      "kept answers were not searched for secrets: \(error)", level: .warning, category: "api")
  }
}

/// The longest pause before a request is sent again, so that a user sees progress and notices when
/// the service recovers.
private let longestPause = Duration.seconds(60)

/// Asks, and asks again as often as the line allows, with pauses that double from 200 milliseconds
/// to a minute and stay there; `Retry-After` takes the place of the next pause, up to a minute as
/// well. What the service may have carried out is sent again only if twice is as good as once.
private func fetch(
  _ prepared: PreparedRequest, _ spec: APIRequestSpec, _ download: Download?,
  _ dependencies: Dependencies
) async throws -> (ResponseRepository.Fetched, attempts: Int) {
  let repository = ResponseRepository(
    client: download ?? dependencies.apiClient, cache: dependencies.persistence,
    exchanges: dependencies.exchanges,
    mayKeep: { [redactor = dependencies.logger.redactor] response in
      // A body that is only in a file is not kept.
      if let written = download?.written, written.bytes != response.body.count { return false }
      // An answer that repeats a secret is not kept.
      return redactor.mask([UInt8](response.body)).names.isEmpty
        && response.headers.allSatisfy { redactor.mask("\($0.name): \($0.value)").names.isEmpty }
    })
  // An answer with a secret to be captured is not kept either.
  let policy =
    spec.captures == nil && prepared.isCacheable && spec.resumes != true ? spec.cache : .noCache
  var attempt = 1
  var pause = Duration.milliseconds(200)
  while true {
    let (request, now) = (prepared.request, dependencies.date.now)
    // A line that accepts a kept answer accepts one that is on its way; any other asks itself. The
    // body of a download goes into its own file.
    let result =
      download == nil && policy == .localFirst
      ? await repository.fetchShared(
        request: request, key: prepared.key, service: prepared.service, policy: policy, now: now)
      : await repository.fetch(
        request: request, key: prepared.key, service: prepared.service, policy: policy, now: now)
    try Task.checkCancellation()
    switch result {
    case .success(let fetched):
      let isTemporary = [429, 502, 503, 504].contains(fetched.response.status)
      guard isTemporary, attempt <= spec.retries, mayRepeat(prepared.request) else {
        return (fetched, attempt)
      }
      if let seconds = retryAfter(fetched.response, dependencies) {
        pause = min(.seconds(max(seconds, 0)), longestPause)
      }
    case .failure(let error):
      guard attempt <= spec.retries, error.kind.isTemporary,
        mayRepeat(prepared.request, unlessSent: error)
      else {
        dependencies.logger.log(
          "\(spec.method) \(prepared.shown): \(error.message)", level: .warning, category: "api",
          fields: [LogField("error", error.kind.rawValue)])
        throw error
      }
    }
    attempt += 1
    try await dependencies.clock.sleep(for: pause)
    pause = min(pause * 2, longestPause)
  }
}

/// Whether a request can be sent again: its body can be read again, and the service may get it
/// twice, or has not got it.
private func mayRepeat(_ request: APIRequest, unlessSent error: APIError? = nil) -> Bool {
  guard request.upload?.isRepeatable ?? true else { return false }
  switch error?.kind {
  case .dns, .refused, .offline: return true
  default: return RepeatedRequest.isSafe(request)
  }
}

/// `Retry-After`, which is a number of seconds or a date.
private func retryAfter(_ response: APIResponse, _ dependencies: Dependencies) -> Int64? {
  guard let value = response.headers.value(of: "Retry-After") else { return nil }
  if let seconds = Int64(value) { return seconds }
  return HTTPDate.seconds(value).map { $0 - dependencies.date.now / 1_000_000 }
}

extension APIError.Kind {
  /// Whether the same request may succeed a moment later.
  fileprivate var isTemporary: Bool {
    switch self {
    case .refused, .unreachable, .offline, .timeout, .truncated, .dns: true
    default: false
    }
  }
}

extension APIAnswer {
  /// - Parameter redactor: Puts marks in place of known secrets.
  fileprivate init(
    _ fetched: ResponseRepository.Fetched, _ prepared: PreparedRequest, attempts: Int,
    _ redactor: Redactor
  ) {
    let response = fetched.response
    var found: [String] = []
    method = prepared.request.method
    url = redactor.mask(response.url).value
    status = response.status
    httpVersion = response.httpVersion
    let secret = prepared.request.secretHeaders
    sent = prepared.request.headers.map { header in
      let masked = redactor.mask(header.value)
      // A value too short to be looked for is a secret nevertheless.
      let isHidden = secret.contains(header.name) && masked.names.isEmpty
      return HTTPHeader(header.name, isHidden ? RedactionMark.redacted : masked.value)
    }
    headers = response.headers.map { header in
      let name = redactor.mask(header.name)
      let masked = redactor.mask(header.value)
      found += name.names + masked.names
      return HTTPHeader(
        name.value,
        SecretNames.isHeader(header.name) && masked.names.isEmpty
          ? RedactionMark.redacted : Redactor.redactPositions(masked.value))
    }
    bytes = response.body.count
    if let valid = String(validating: response.body, as: UTF8.self) {
      let isJSON = response.headers.value(of: "Content-Type")?.lowercased().contains("json") == true
      let masked = redactor.mask(valid, isJSON: isJSON)
      found += masked.names
      let fits = masked.value.fitsIntoJSON(of: longestText)
      text = fits ? masked.value : nil
      base64 = fits ? nil : Data(masked.value.utf8).base64EncodedString()
    } else {
      let masked = redactor.mask([UInt8](response.body))
      found += masked.names
      text = nil
      base64 = Data(masked.value).base64EncodedString()
    }
    timing = response.timing
    verdict = fetched.verdict
    redirects = response.redirects
    stale = fetched.networkError.map { redactor.redact($0.message) }
    file = nil
    self.attempts = attempts
    masked = MaskedValues(found)
  }
}

/// The longest text of an answer, as JSON: a line of a recording holds 63 MiB, and beside the text
/// there is the rest of the step.
private let longestText = 48 << 20

extension String {
  /// Whether it takes at most so many bytes as JSON, where a control character takes six.
  /// O(length), or less where it does not.
  func fitsIntoJSON(of limit: Int) -> Bool {
    guard utf8.count > (limit - 2) / 6 else { return true }
    var size = 2
    for byte in utf8 {
      switch byte {
      case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): size += 2
      case 0..<0x20: size += 6
      default: size += 1
      }
      if size > limit { return false }
    }
    return true
  }
}

extension APIAnswer {
  /// The checksum of a body, where the body cannot be found out by it: none of one that holds a
  /// secret or is short.
  fileprivate func checksum(_ text: String, of bytes: Int) -> String? {
    masked == nil && bytes > 64 ? text : nil
  }
}
