/// Takes lines from a source and hands whole ones to a handler, one after the other.
package struct ScriptRunner: Sendable {
  /// Whether a failing line ends it.
  package enum Policy: Sendable, Hashable {
    /// A script or a pipe: the first failure ends it.
    case stopAtFailure
    /// `--keep-going`: all lines run, the first failure's code counts.
    case keepGoing
    /// A person: failures end nothing, and the end is a success unless `exit N` says otherwise.
    case interactive
  }

  private let source: any LineSource
  private let policy: Policy
  private let limit: Int

  /// A runner; nothing is read before `run`.
  package init(source: any LineSource, policy: Policy) {
    self.init(source: source, policy: policy, limit: LineBuffer.limit)
  }

  /// - Parameter limit: The largest number of bytes in a line, including its continuation lines.
  init(source: any LineSource, policy: Policy, limit: Int) {
    self.source = source
    self.policy = policy
    self.limit = limit
  }

  /// Runs to the end of the source, to a failure that ends it, or to an outcome with `stop`.
  ///
  /// A line that does not parse is handed over as well, so that every line is a step; blank lines
  /// and comments are not. The prefix is the handler's: see `LineOutcome.applying(_:)`. The next
  /// line is read after the handler has returned.
  ///
  /// - Parameters:
  ///   - onInterrupt: Ctrl-C at the prompt; whether something was typed. A half-typed continued
  ///     line is dropped.
  ///   - handler: runs a line and says how it ended.
  /// - Throws: what the source throws; 65 for a line that is not complete after 64 MiB. What
  ///   follows it would be run as lines.
  package func run(
    onInterrupt: (_ hadText: Bool) async -> Void = { _ in },
    _ handler: (ScriptLine) async -> LineOutcome
  ) async throws(LineSourceError) -> ScriptSummary {
    var summary = ScriptSummary()
    var pending = PendingLine()
    while true {
      let line: ScriptLine
      switch try await source.next(isContinuation: pending.isOpen) {
      case .interrupted(let hadText):
        await onInterrupt(hadText || pending.isOpen)
        pending = PendingLine()
        continue
      case .end:
        guard let rest = pending.takeUnfinished() else { return summary.finished(policy) }
        line = rest
      case .line(let next):
        guard pending.size + next.text.utf8.count <= limit else {
          throw .tooLong(pending.start ?? next.location, limit: limit)
        }
        guard let whole = pending.add(next) else { continue }
        line = whole
      }
      let outcome = await handler(line)
      summary.add(outcome, at: line.location)
      if outcome.stop || (outcome.exitCode != 0 && policy == .stopAtFailure) {
        return summary.finished(policy)
      }
    }
  }
}

/// Joins the physical lines of one line.
private struct PendingLine {
  private var text = ""
  private var location: LineLocation?
  private var open: IncompleteLine?

  var isOpen: Bool { location != nil }
  /// The position of its first physical line; `nil` if there is none.
  var start: LineLocation? { location }
  /// Its bytes so far.
  var size: Int { text.utf8.count }

  /// The whole line, if `next` completes one that is not blank.
  mutating func add(_ next: SourceLine) -> ScriptLine? {
    if isOpen { text += "\n" }
    text += next.text
    let start = location ?? next.location
    if var problem = next.problem {
      problem.lineOffset = next.location.line - start.line
      return take(start, .invalid(problem))
    }
    if open?.mightEnd(with: next.text) == false { return nil }
    switch LineParser.parse(text) {
    case .empty:
      self = PendingLine()
      return nil
    case .incomplete(let incomplete):
      location = start
      open = incomplete
      return nil
    case let parsed: return take(start, parsed)
    }
  }

  /// What is left when nothing more comes.
  mutating func takeUnfinished() -> ScriptLine? {
    guard let location, let open else { return nil }
    return take(location, .invalid(open.error))
  }

  private mutating func take(_ location: LineLocation, _ parsed: ParsedLine) -> ScriptLine {
    defer { self = PendingLine() }
    return ScriptLine(text: text, location: location, parsed: parsed)
  }
}

/// How a whole run ended.
package struct ScriptSummary: Sendable, Hashable {
  /// The exit status of the whole.
  package private(set) var exitCode: Int32 = 0
  /// Lines that were run.
  package private(set) var lines = 0
  /// The number of lines that failed.
  package private(set) var failures = 0
  /// The position of the first failure.
  package private(set) var firstFailure: LineLocation?
  /// The last line asked to stop.
  package private(set) var didStop = false
  private var firstCode: Int32 = 0
  private var stopCode: Int32 = 0

  /// `3 of 40 lines failed`; `nil` if none did.
  package var message: String? {
    failures == 0 ? nil : "\(failures) of \(lines) line\(lines == 1 ? "" : "s") failed"
  }

  fileprivate mutating func add(_ outcome: LineOutcome, at location: LineLocation) {
    lines += 1
    if outcome.stop {
      didStop = true
      stopCode = outcome.exitCode
    } else if outcome.exitCode != 0 {
      failures += 1
      if firstFailure == nil {
        firstFailure = location
        firstCode = outcome.exitCode
      }
    }
  }

  fileprivate func finished(_ policy: ScriptRunner.Policy) -> ScriptSummary {
    var result = self
    // `exit 3` is asked for; a plain `exit` does not hide that lines failed before it.
    result.exitCode =
      didStop && (stopCode != 0 || policy == .interactive)
      ? stopCode : policy == .interactive ? 0 : firstCode
    return result
  }
}
