import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum APIOutcomes {
  static func outcome(of action: APIAction, _ context: OutcomeContext) -> Outcome? {
    switch action {
    case .run, .bootstrap, .bootstrapped, .found, .kept, .again, .looked, .mended, .read, .unsaved:
      nil
    case .failed(let job, let failure, _): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result, let masked):
      outcome(of: result, job, context).withMarks.masked(masked)
    case .answered(let job, let answer, let view): outcome(of: answer, view, job, context)
    }
  }

  // MARK: Answers

  private static func outcome(
    of answer: APIAnswer, _ view: APIAnswerView?, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let settings = context.settings(of: job)
    let isEarlier = settings.followsEarlierRules
    let body = isEarlier ? earlierJSON(answer) : json(answer)
    let value = value(of: answer, body, settings, view?.added ?? [])
    let notes = notes(of: answer, body, isRecorded: context.isRecording)
    let (presentation, missing) = shown(
      answer, view, body, isPretty: isPretty(view, job, context),
      isExact: settings.isExact(redirect: context.command(of: job)?.redirect),
      // CSV has a table of it.
      compactsRawParts: settings.compactsRawParts == true
        && (context.command(of: job)?.output ?? settings.output) != .csv)
    var outcome = Outcome(job: job, value: value, presentation: presentation, notes: notes)
    if !isEarlier, let select = view?.select, let path = try? JSONPath(parsing: select) {
      outcome.selectedValue = body.value(at: path)
    }
    let isWhole = answer.status == 416 && answer.kept != nil
    let checksStatus = settings.checksStatus || answer.leavesFile == true
    if checksStatus, !isWhole, let failure = refusal(answer) {
      outcome = Outcome(
        job: job, failure: failure, value: value, presentation: presentation, notes: notes)
    } else if let missing {
      // For an error response, ignore the selection and show the error.
      outcome = Outcome(job: job, failure: missing, value: value, notes: notes)
    } else if let failure = answer.captured?.lazy.compactMap(Failure.init).first {
      outcome = Outcome(
        job: job, failure: failure, value: value, presentation: presentation, notes: notes)
    }
    if context.settings(of: job).isVerbose { outcome.details = heads(of: answer) }
    outcome.marks =
      [.headers, .verbose].contains(view?.shown) ? .all : .these(marks(in: answer))
    return outcome
  }

  private static func value(
    of answer: APIAnswer, _ body: JSON, _ settings: BoardSettings, _ added: [APIAnswerMember]
  ) -> JSON {
    let isEarlier = settings.followsEarlierRules
    let headers =
      isEarlier
      ? .object(answer.headers.map { .init($0.name.lowercased(), .string($0.value)) })
      : AnswerJSON.headers(answer.headers)
    var value: JSON = .object([
      .init("status", .number(String(answer.status))), .init("headers", headers),
      .init("body", body), .init("verdict", .string(answer.verdict.rawValue)),
    ])
    if !isEarlier, answer.text == nil, answer.base64 != nil {
      value[EncodedBody.member] = .string(EncodedBody.base64)
    }
    let isMeasured = settings.measuresAnswers == true
    if isMeasured {
      value["ms"] = JSON(answer.timing.total / 1000)
      value["bytes"] = JSON(answer.bytes)
    }
    if let file = answer.file {
      value["file"] = .string(file)
      // Earlier recordings have none, and a value that says nothing of it.
      if let checksum = answer.checksum {
        if !isMeasured { value["bytes"] = JSON(answer.bytes) }
        value["checksum"] = .string(checksum)
      }
    }
    for member in added { value[member.rawValue] = self.value(of: member, answer) }
    return value
  }

  /// Returns what an option asks to be added to the value.
  private static func value(of member: APIAnswerMember, _ answer: APIAnswer) -> JSON {
    switch member {
    case .request:
      // Names stay, and values at the positions of credentials do not.
      let sent = (answer.sent ?? []).map { header in
        HTTPHeader(header.name, String(line(header).dropFirst(header.name.count + 2)))
      }
      let body = answer.sentBody.map { body -> [JSON.Member] in
        [
          .init("body", body.text.map(AnswerJSON.body) ?? .null),
          .init("bytes", body.bytes.map { JSON($0) } ?? .null),
        ]
      }
      return .object(
        [
          .init("method", .string(answer.method)), .init("url", .string(address(answer))),
          .init("headers", AnswerJSON.headers(sent)),
        ] + (body ?? []))
    case .timing:
      return .object(
        stages(of: answer.timing).map { .init($0.member, .number(tenths(of: $0.time))) })
    case .attempts: return JSON(answer.attempts)
    case .redirects: return JSON(answer.redirects)
    }
  }

  /// Returns the stages of an exchange, with their names for people and in values.
  private static func stages(
    of timing: APITiming
  ) -> [(name: String, member: String, time: Int64)] {
    [
      ("lookup", "lookup", timing.lookup), ("connect", "connect", timing.connect),
      ("tls", "tls", timing.tls), ("first byte", "firstByte", timing.firstByte),
      ("total", "total", timing.total),
    ]
  }

  private static func notes(
    of answer: APIAnswer, _ body: JSON, isRecorded: Bool
  ) -> [Outcome.Note] {
    var notes: [Outcome.Note] = []
    if let warning = answer.warning { notes.append(.warning(warning)) }
    notes.append(Outcome.Note(note(answer)))
    if let reason = answer.staleReason {
      notes.append(.warning("the service did not answer: \(reason)"))
    }
    if let masked = answer.masked { notes.append(.warning(masked.note)) }
    notes += captures(answer.captured ?? []).map { Outcome.Note($0) }
    if isRecorded, let name = credential(in: body) {
      notes.append(
        .warning(
          "the recording holds '\(name)' of this answer; --capture NAME=body.\(name) "
            + "stores it as a secret"))
    }
    return notes
  }

  /// Whether a body is formatted for reading instead of printed as bytes: at a terminal and as CSV,
  /// unless the line specifies it.
  private static func isPretty(_ view: APIAnswerView?, _ job: Int, _ context: OutcomeContext)
    -> Bool
  {
    if let isPretty = view?.isPretty { return isPretty }
    let command = context.command(of: job)
    return !context.settings.isExact(redirect: command?.redirect)
      || (command?.output ?? context.settings.output) == .csv
  }

  /// The marks that masking put into an answer.
  private static func marks(in answer: APIAnswer) -> [String] {
    let hasRedacted = answer.headers.contains {
      RedactionMark.first(in: $0.value) == .redacted
    }
    return (answer.masked?.names ?? []).map(RedactionMark.named)
      + (hasRedacted ? [RedactionMark.redacted] : [])
  }

  private static func captures(_ captured: [CapturedSecret]) -> [String] {
    captured.filter { $0.problem == nil }.map { capture in
      (capture.isReplacement == true ? "replaced the value of" : "stored")
        + " the secret '\(capture.name)'"
        + (capture.isShort ? "; \(Redactor.noteOnShortValue)" : "")
    }
  }

  /// Returns the path of a member whose name is typical of a credential and whose value is not
  /// masked.
  private static func credential(in json: JSON) -> String? {
    switch json {
    case .object(let members):
      for member in members {
        if SecretNames.isCredential(member.key), case .string(let text) = member.value,
          !text.isEmpty, RedactionMark.first(in: text) == nil
        {
          return member.key
        }
        if let inner = credential(in: member.value) { return "\(member.key).\(inner)" }
      }
      return nil
    default: return nil
    }
  }

  /// Returns the heads of the request, with the prefix `>`, and of the response, with `<`.
  private static func heads(of answer: APIAnswer) -> [String] {
    ["> \(answer.method) \(address(answer))"]
      + (answer.sent ?? []).map { "> \(line($0))" }
      + ["< HTTP/\(answer.httpVersion) \(answer.status)"]
      + answer.headers.map { "< \(line($0))" }
  }

  /// Returns the address, safe to display.
  private static func address(_ answer: APIAnswer) -> String {
    Redactor.redactPositions(answer.url)
  }

  /// Returns a header, safe to display.
  private static func line(_ header: HTTPHeader) -> String {
    Redactor.redactPositions("\(header.name): \(header.value)")
  }

  /// The line on standard error: status, time, size, cache verdict.
  private static func note(_ answer: APIAnswer) -> StyledText {
    let total = answer.timing.total
    let time = (1..<1000).contains(total) ? milliseconds(total) : "\(total / 1000) ms"
    var parts = [time, ByteCount.text(Int64(answer.bytes))]
    switch answer.verdict {
    case .revalidated: parts.append("REVALIDATED 304")
    case .none: break
    default: parts.append(answer.verdict.rawValue)
    }
    if answer.attempts > 1 { parts.append("\(answer.attempts) tries") }
    if answer.redirects > 0 {
      parts.append(answer.redirects == 1 ? "1 redirect" : "\(answer.redirects) redirects")
    }
    if let file = answer.file {
      parts.append("-> \(file)")
      if let kept = answer.kept { parts.append("\(ByteCount.text(kept)) were there") }
    }
    let style: StyledText.Style =
      switch answer.status {
      case ..<300: .success
      case ..<400: .notice
      case ..<500: .warning
      default: .error
      }
    var note = StyledText("HTTP \(answer.status)", style)
    note.append("  " + parts.joined(separator: "  "))
    return note
  }

  /// The body as a value: JSON where it is, text where it is text.
  static func json(_ answer: APIAnswer) -> JSON {
    guard let text = answer.text else { return answer.base64.map(JSON.string) ?? .null }
    return AnswerJSON.body(text)
  }

  private static func earlierJSON(_ answer: APIAnswer) -> JSON {
    guard let text = answer.text, !text.isEmpty else { return json(answer) }
    return (try? JSON(parsing: text)) ?? .string(text)
  }

  private static func shown(
    _ answer: APIAnswer, _ view: APIAnswerView?, _ body: JSON, isPretty: Bool, isExact: Bool,
    compactsRawParts: Bool
  ) -> (Presentation, Failure?) {
    if let select = view?.select {
      guard let path = try? JSONPath(parsing: select), let part = body.value(at: path) else {
        return (.none, nothing(at: select, of: answer))
      }
      let text: String
      switch part {
      case .string(let string): text = string
      case _ where compactsRawParts && view?.isPretty == false:
        // A description has the escapes of JSON for what controls a terminal.
        text = isExact ? part.text : part.description
      default: return (.json(part), nil)
      }
      return (isExact ? .bytes(Array((text + "\n").utf8)) : .text(text + "\n"), nil)
    }
    let headers =
      "HTTP/\(answer.httpVersion) \(answer.status)\n"
      + answer.headers.map { line($0) + "\n" }.joined()
    switch view?.shown ?? .body {
    case .headers: return (.text(headers), nil)
    case .timing:
      return (.fields(stages(of: answer.timing).map { ($0.name, milliseconds($0.time)) }), nil)
    case .verbose:
      let sent = (answer.sent ?? []).map { line($0) + "\n" }.joined()
      let heads =
        "\(answer.method) \(address(answer))\n\(sent)\n\(sentBody(of: answer))\(headers)\n"
      // Behind the heads, JSON is indented unless the line says otherwise.
      guard showsBytes(body, view?.isPretty != false, isExact) else {
        return (.text(heads + readable(answer, body)), nil)
      }
      let visible = escapeControls(heads, keepsNewlines: true, keepsTabs: true)
      return (.bytes(Array(visible.utf8) + bytes(of: answer)), nil)
    case .body:
      if answer.file != nil { return (.none, nil) }
      if showsBytes(body, isPretty, isExact) { return (.bytes(bytes(of: answer)), nil) }
      switch body {
      case .object, .array: return (.json(body), nil)
      case .null: return (.none, nil)
      default: return (.text(readable(answer, body)), nil)
      }
    }
  }

  /// Returns the body of the request with an empty line behind it, or nothing.
  private static func sentBody(of answer: APIAnswer) -> String {
    guard let body = answer.sentBody else { return "" }
    guard let text = body.text else {
      let size = body.bytes.map { Counted.text(Int($0), "byte") } ?? "a body of unknown size"
      return "(\(size), not shown)\n\n"
    }
    // Scalars: CR LF is one character, which is not "\n".
    return text.isEmpty ? "" : text.utf8.last == 0x0A ? text + "\n" : text + "\n\n"
  }

  /// Returns the failure of `--select` for a path that the body does not have.
  private static func nothing(at path: String, of answer: APIAnswer) -> Failure {
    let nothing = "the answer has nothing at '\(path)'"
    let problem =
      answer.text == nil && answer.base64 != nil
      ? "the body is not UTF-8" : AnswerJSON.problem(ofBody: answer.text ?? "", answer.headers)
    // The same code for all, which earlier recordings have.
    return Failure(
      code: ExitCode.missing, error: "noSuchPath",
      message: problem.map { "\(nothing): \($0)" } ?? nothing,
      help: "without --select the whole body is shown")
  }

  /// Whether a body has its bytes: a program gets what it can read, and no format changes or
  /// replaces any body but JSON.
  private static func showsBytes(_ body: JSON, _ isPretty: Bool, _ isExact: Bool) -> Bool {
    switch body {
    case .object, .array: !isPretty
    default: isExact || !isPretty
    }
  }

  private static func bytes(of answer: APIAnswer) -> [UInt8] {
    answer.text.map { Array($0.utf8) }
      ?? answer.base64.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? []
  }

  private static func readable(_ answer: APIAnswer, _ body: JSON) -> String {
    switch body {
    case .object, .array: return body.pretty + "\n"
    default:
      guard let text = answer.text else {
        return answer.bytes == 0
          ? ""
          : "(\(Counted.text(answer.bytes, "byte that is", plural: "bytes that are")) no text; "
            + "--out FILE keeps \(answer.bytes == 1 ? "it" : "them"))\n"
      }
      return text.hasSuffix("\n") || text.isEmpty ? text : text + "\n"
    }
  }

  private static func milliseconds(_ microseconds: Int64) -> String {
    "\(tenths(of: microseconds)) ms"
  }

  /// Returns milliseconds with one digit behind the point.
  private static func tenths(of microseconds: Int64) -> String {
    "\(microseconds / 1000).\((microseconds % 1000) / 100)"
  }

  /// Returns how to get the whole answer in place of one with status 304.
  ///
  /// - Parameter conditions: The request's conditions, or `nil` in earlier recordings.
  private static func adviceOnCondition(_ conditions: [String]?) -> String {
    guard let conditions else {
      return "no answer to this request is kept; --cache noCache asks for a whole one"
    }
    return conditions.isEmpty
      ? "the request did not ask whether something has changed: check the service"
      : "leave out \(conditions.joined(separator: " and ")) to get the whole answer"
  }

  /// Returns what to do about a redirect that was not followed. One that can be followed comes
  /// behind as many redirects as `--follow` allowed.
  private static func adviceOnRedirect(_ answer: APIAnswer) -> String {
    let limit = APICommands.highestCount
    guard let location = answer.headers.value(of: "Location"), !location.isEmpty else {
      return "it has no Location to follow: check the service"
    }
    guard answer.canBeFollowed else {
      // Scalars, since the first one of the value may be a part of the space before it.
      let shown = line(HTTPHeader("Location", location)).unicodeScalars
        .dropFirst("Location: ".count)
      let start = String(String.UnicodeScalarView(shown.prefix(64)))
      let end = shown.dropFirst(64).isEmpty ? "" : "..."
      return "--follow does not follow a \(answer.status) to \(start)\(end)"
    }
    guard answer.redirects < limit else {
      return "--follow goes on for \(limit) redirects at most: check the service"
    }
    return "follow it with --follow \(min(answer.redirects + 5, limit))"
  }

  private static func refusal(_ answer: APIAnswer) -> Failure? {
    guard answer.status >= 300 else { return nil }
    let place = address(answer) + (answer.proxy.map { " through the proxy \($0)" } ?? "")
    // --retry refuses a wait of more than a minute; a date counts as one.
    let seconds = answer.headers.retryAfter(now: 0) ?? 0
    let asked = seconds > 0 ? answer.headers.value(of: "Retry-After") : nil
    let wait = asked.map { asked in
      let isNumber = asked.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return "the service asks to wait: \(asked)" + (isNumber ? " s" : "")
    }
    let isTooLong =
      seconds > ServiceRetry.longestPause / 1000 || answer.isFinal == true && seconds > 0
    let reason = reasonAgainstRetry(answer, hasWait: wait != nil)
    switch answer.status {
    case 304:
      return Failure(
        code: 3, error: "redirect",
        message: "HTTP 304 from \(place): the service says that nothing has changed",
        help: adviceOnCondition(answer.conditions))
    case 300..<400:
      return Failure(
        code: 3, error: "redirect",
        message: "HTTP \(answer.status) from \(place): a redirect that was not followed",
        help: adviceOnRedirect(answer))
    case 429:
      return Failure(
        code: 4, error: "httpStatus", message: "HTTP 429 from \(place)",
        help: reason.map { $0 + (wait.map { "; \($0)" } ?? "; try later") }
          ?? (wait ?? "the service takes no more for now")
          + (answer.attempts > 1 || isTooLong ? "; try later" : "; --retry 3 tries again"))
    case 400..<500:
      let help: String? =
        switch answer.status {
        case 408, 425: "try later (\(noRetry(answer.status)))"
        case 401, 403:
          answer.hasNoService == true
            ? "give a key with --auth, or check the one that was sent"
            : "check the key: 'api service show NAME' says which secret is sent, unless the line has its own"
        default: nil
        }
      return Failure(
        code: 4, error: "httpStatus", message: "HTTP \(answer.status) from \(place)",
        help: help
      ).advisingOnProxy(answer.proxy)
    default:
      return Failure(
        code: 5, error: "httpStatus", message: "HTTP \(answer.status) from \(place)",
        help: helpForServiceFailure(answer, reason, wait, isTooLong: isTooLong))
    }
  }

  /// Returns why `--retry` does not send the request again, however long the service asks to wait,
  /// or `nil` if it may.
  private static func reasonAgainstRetry(_ answer: APIAnswer, hasWait: Bool) -> String? {
    guard answer.attempts == 1 else { return nil }
    guard APIRequest.isIdempotent(method: answer.method) else {
      // One that is refused with 429 was not.
      return "a \(answer.method) is not sent again by itself"
        + (answer.status == 429 ? "" : ", for it may have been carried out")
    }
    // Earlier recordings only have `isFinal`.
    guard answer.isReadOnce == true || answer.isFinal == true && !hasWait else { return nil }
    return "the body comes from a pipe and cannot be sent again: name a file with it for --retry"
  }

  /// Returns the advice for a status of 5xx. Advises `--retry` only if it repeats the request.
  ///
  /// - Parameters:
  ///   - reason: Why the request is not repeated, or `nil` if it may be.
  ///   - wait: What the service asks for, if it asks to wait.
  ///   - isTooLong: Whether `--retry` does not wait for so long.
  private static func helpForServiceFailure(
    _ answer: APIAnswer, _ reason: String?, _ wait: String?, isTooLong: Bool
  ) -> String {
    let isTemporary = PendingRequest.temporaryStatuses.contains(answer.status)
    if isTemporary, let reason {
      return "the service failed; \(reason)" + (wait.map { "; \($0)" } ?? "")
    }
    if isTooLong, let wait { return "\(wait); try later" }
    if answer.attempts > 1 { return "the service failed \(answer.attempts) times; try later" }
    guard isTemporary else {
      return "the service failed; try later (\(noRetry(answer.status)))"
    }
    return "the service failed; --retry 3 tries again"
  }

  private static func noRetry(_ status: Int) -> String { "--retry does not repeat a \(status)" }
}

extension Failure {
  /// Why a secret was not stored; `nil` where it was.
  fileprivate init?(_ captured: CapturedSecret) {
    if let error = captured.keychain {
      self.init(error)
    } else if let problem = captured.problem {
      guard let kind = KeychainError.Kind(rawValue: problem.error) else {
        self.init(
          code: problem.error == CapturedSecret.Problem.notJSON ? ExitCode.data : ExitCode.missing,
          error: problem.error, message: problem.message)
        return
      }
      self.init(KeychainError(kind, message: problem.message))
    } else {
      return nil
    }
  }
}
