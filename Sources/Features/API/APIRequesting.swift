import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Carries a request out: service, secrets, body, cache, tries, redaction. Runs inside an effect, where secrets may have values; what
/// it gives back has none.
func perform(
  _ spec: APIRequestSpec, _ context: CommandContext, _ dependencies: Dependencies,
  remembers: Bool = true
) async throws -> APIAnswer {
  let prepared = try await RequestPreparation(dependencies).prepare(spec, context)
  if remembers {
    let shown = "\(spec.method) \(spec.target.description)"
    try? await dependencies.persistence.addSearch(
      shown, scope: "api", at: dependencies.date.now)
  }
  // What is sent cannot be taken back when its answer finds no place.
  if let file = spec.out {
    try dependencies.files.checkTarget(file, isRecording: false)
    try dependencies.files.checkPlace(file)
  }
  let (fetched, attempts) = try await fetch(prepared, spec, dependencies)
  if let name = spec.save {
    let json = String(decoding: try CanonicalEncoder.encode(spec), as: UTF8.self)
    try await dependencies.persistence.setPreference(savedKey(name), to: json)
  }
  var answer = APIAnswer(fetched, prepared, attempts: attempts, dependencies.logger)
  if let file = spec.out {
    try await dependencies.files.write(fetched.response.body, to: file, mode: .replace)
    answer.file = file
    answer.text = nil
    answer.base64 = nil
  }
  dependencies.logger.log(
    "\(spec.method) \(answer.url)", level: .info, category: "api",
    fields: [
      LogField("status", String(answer.status)), LogField("verdict", answer.verdict.rawValue),
      LogField("bytes", String(answer.bytes)),
    ])
  return answer
}

/// The longest pause before a request is sent again: whoever waits sees it go on, and a service that is down is not forgotten.
private let longestPause = Duration.seconds(60)

/// Asks, and asks again as often as the line allows, with pauses that double from 200 milliseconds to a minute and stay there;
/// `Retry-After` in seconds takes the place of the next pause, up to a minute as well.
private func fetch(
  _ prepared: PreparedRequest, _ spec: APIRequestSpec, _ dependencies: Dependencies
) async throws -> (ResponseRepository.Fetched, attempts: Int) {
  let repository = ResponseRepository(
    client: dependencies.apiClient, cache: dependencies.persistence,
    mayKeep: { [logger = dependencies.logger] response in
      // An answer that repeats a secret is not kept.
      let text = String(decoding: response.body, as: UTF8.self)
      return logger.redact(text) == text
    })
  var attempt = 1
  var pause = Duration.milliseconds(200)
  while true {
    let result = await repository.fetch(
      request: prepared.request, key: prepared.key, service: prepared.service, policy: spec.cache,
      now: dependencies.date.now)
    try Task.checkCancellation()
    switch result {
    case .success(let fetched):
      let isTemporary = [429, 502, 503, 504].contains(fetched.response.status)
      guard isTemporary, attempt <= spec.retries else { return (fetched, attempt) }
      if let seconds = fetched.response.headers.value(of: "Retry-After").flatMap(Int.init) {
        pause = min(.seconds(max(seconds, 0)), longestPause)
      }
    case .failure(let error):
      guard attempt <= spec.retries, error.kind.isTemporary else {
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

extension APIError.Kind {
  /// Whether the same request may succeed a moment later.
  fileprivate var isTemporary: Bool {
    switch self {
    case .refused, .unreachable, .timeout, .truncated, .dns: true
    default: false
    }
  }
}

extension APIAnswer {
  fileprivate init(
    _ fetched: ResponseRepository.Fetched, _ prepared: PreparedRequest, attempts: Int,
    _ logger: any Logger
  ) {
    let response = fetched.response
    method = prepared.request.method
    url = logger.redact(response.url)
    status = response.status
    httpVersion = response.httpVersion
    let secret = prepared.request.secretHeaders
    sent = prepared.request.headers.map { header in
      let shown = header.redacted(by: logger)
      // A value too short to be looked for is a secret all the same.
      guard secret.contains(header.name), shown.value == header.value else { return shown }
      return HTTPHeader(header.name, RedactedMark.text)
    }
    headers = response.headers.map { $0.redacted(by: logger) }
    bytes = response.body.count
    if let valid = String(validating: response.body, as: UTF8.self) {
      let redacted = logger.redact(valid)
      let fits = redacted.fitsIntoJSON(of: longestText)
      text = fits ? redacted : nil
      base64 = fits ? nil : Data(redacted.utf8).base64EncodedString()
    } else {
      text = nil
      base64 = logger.redact(response.body.base64EncodedString())
    }
    timing = response.timing
    verdict = fetched.verdict
    redirects = response.redirects
    stale = fetched.networkError.map { logger.redact($0.message) }
    file = nil
    self.attempts = attempts
  }
}

extension HTTPHeader {
  fileprivate func redacted(by logger: any Logger) -> HTTPHeader {
    let line = logger.redact("\(name): \(value)")
    let value = line.hasPrefix(name + ": ") ? line.dropFirst(name.count + 2) : ""
    return HTTPHeader(name, String(value))
  }
}

/// The longest text of an answer, as JSON: a line of a recording holds 63 MiB, and beside the text there is the rest of the step.
private let longestText = 48 << 20

extension String {
  /// Whether it takes at most so many bytes as JSON, where a control character takes six. O(length), or less where it does not.
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
