import SwiftBoardCommandLine

/// Reads lines from a source and runs complete ones with a handler, one after the other.
package struct ScriptRunner: Sendable {
  /// The effect of a failing line.
  package enum Policy: Sendable, Hashable {
    /// For a script or a pipe: the first failure ends the run.
    case stopAtFailure
    /// For `--keep-going`: all lines run, and the first failure's code is the result.
    case keepGoing
    /// For a user: failures do not end the run, and its end is a success unless `exit N` says
    /// otherwise.
    case interactive
  }

  private let source: any LineSource
  private let policy: Policy
  private let limit: Int

  /// Creates a runner. It reads nothing before `run`.
  package init(source: any LineSource, policy: Policy) {
    self.init(source: source, policy: policy, limit: LineBuffer.limit)
  }

  /// - Parameter limit: The maximum number of bytes in a line, including its continuation lines.
  init(source: any LineSource, policy: Policy, limit: Int) {
    self.source = source
    self.policy = policy
    self.limit = limit
  }

  /// Runs to the end of the source, to a failure that ends the run, or to an outcome with `stop`.
  ///
  /// A line that does not parse is passed to the handler as well, so that every line is a step.
  /// Blank lines and comments are not passed. The handler applies the prefix: see
  /// `LineOutcome.applying(_:)`. The next line is read after the handler has returned.
  ///
  /// - Parameters:
  ///   - onInterrupt: called on Ctrl-C at the prompt, with whether text had been typed. An
  ///     incomplete line is dropped.
  ///   - handler: runs a line and returns its outcome.
  /// - Throws: The source's error, or `malformedData` for a line that is not complete after
  ///   64 MiB. Its rest must not be run as lines.
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

/// Joins the physical lines of one line. An error in them does not end it, because the rest of an
/// open construct must not be run as lines.
private struct PendingLine {
  private var text = ""
  private var location: LineLocation?
  private var open: IncompleteLine?
  /// Whether lines were added that were not parsed, because they end nothing.
  private var hasUnparsedLines = false
  /// The first problem of a physical line.
  private var problem: LineSyntaxError?

  var isOpen: Bool { location != nil }
  /// The location of its first physical line, or `nil` if there is none.
  var start: LineLocation? { location }
  /// The number of bytes so far.
  var size: Int { text.utf8.count }

  /// Adds a physical line. Returns the complete line if this completes one that is not blank.
  mutating func add(_ next: SourceLine) -> ScriptLine? {
    if isOpen { text += "\n" }
    text += next.text
    let start = location ?? next.location
    if problem == nil, var found = next.problem {
      found.lineOffset = next.location.line - start.line
      problem = found
    }
    if open?.mightEnd(with: next.text) == false {
      hasUnparsedLines = true
      return nil
    }
    switch LineParser.parse(text) {
    case .empty where problem == nil:
      self = PendingLine()
      return nil
    case .incomplete(let incomplete):
      location = start
      open = incomplete
      hasUnparsedLines = false
      return nil
    case let parsed: return take(start, parsed)
    }
  }

  /// Returns the incomplete line at the end of the input, as an invalid line.
  mutating func takeUnfinished() -> ScriptLine? {
    guard let location, var open else { return nil }
    if hasUnparsedLines, case .incomplete(let parsed) = LineParser.parse(text) { open = parsed }
    return take(location, .invalid(open.error))
  }

  private mutating func take(_ location: LineLocation, _ parsed: ParsedLine) -> ScriptLine {
    defer { self = PendingLine() }
    return ScriptLine(
      text: text, location: location, parsed: problem.map(ParsedLine.invalid) ?? parsed)
  }
}

/// The result of a whole run.
package struct ScriptSummary: Sendable, Hashable {
  /// The exit code of the run.
  package private(set) var exitCode: Int32 = 0
  /// The number of lines that were run.
  package private(set) var lines = 0
  /// The number of lines that failed.
  package private(set) var failures = 0
  /// The location of the first failure.
  package private(set) var firstFailure: LineLocation?
  /// Whether the last line had an outcome with `stop`.
  package private(set) var didStop = false
  private var firstCode: Int32 = 0
  private var stopCode: Int32 = 0

  /// A message like `3 of 40 lines failed`, or `nil` if none failed.
  package var message: String? {
    failures == 0 ? nil : "\(failures) of \(lines) line\(lines == 1 ? "" : "s") failed"
  }

  fileprivate mutating func add(_ outcome: LineOutcome, at location: LineLocation) {
    lines += 1
    if outcome.stop { didStop = true }
    if outcome.stop, !outcome.hasFailedBeforeExit {
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
    // The code of `exit 3` takes precedence, but a plain `exit` does not hide earlier failures.
    result.exitCode =
      didStop && (stopCode != 0 || policy == .interactive)
      ? stopCode : policy == .interactive ? 0 : firstCode
    return result
  }
}
