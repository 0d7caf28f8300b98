import SwiftBoardCommandLine
import SwiftBoardJSON

/// The outcomes of the `session` commands.
enum SessionOutcomes {
  static func outcome(
    of action: SessionAction, in state: BoardState, _ program: ProgramName
  ) -> Outcome? {
    switch action {
    case .run(let context, .live, _):
      Outcome(job: context.job, value: ["step": .null], notes: ["back to now"])
    case .run(let context, .present, _):
      Outcome(
        job: context.job, value: ["step": .null], notes: ["this is now: nothing to go back to"])
    case .run, .printed, .printedBytes, .progress: nil
    case .failed(let job, let failure, let warnings):
      Outcome(job: job, failure: failure).warning(warnings)
    case .succeeded(let job, let result, let masked, let warnings):
      outcome(of: result, job, OutcomeContext(state), program).warning(warnings).masked(masked)
    }
  }

  private static func outcome(
    of result: SessionResult, _ job: Int, _ context: OutcomeContext, _ program: ProgramName
  ) -> Outcome {
    switch result {
    case .recording(let path):
      return Outcome(
        job: job, value: ["recording": .string(path)],
        notes: ["recording to \(path); end it with 'session stop'"])
    case .stopped(let path, let steps, let problem): return stopped(path, steps, problem, job)
    case .status(let path, let steps, let problem, let position):
      return status(path, steps, problem, position, job)
    case .marked(let name):
      return Outcome(
        job: job, value: ["mark": .string(name)], notes: ["marked \(name)"])
    case .travelled(let step, let last): return travelled(step, of: last, job, context)
    case .state(let json, _):
      return Outcome(job: job, value: json, presentation: .json(json)).withMarks
    case .asserted(_, true, _): return Outcome(job: job, value: .bool(true))
    case .asserted(let text, false, let step):
      return Outcome(job: job, failure: .assertion(text, [], at: step))
    case .step(let step):
      let json = json(step)
      return Outcome(job: job, value: json, presentation: .json(json)).withMarks
    case .differences(let diff): return differences(diff, job).withMarks
    case .timeline(let timeline): return self.timeline(timeline, job, context).withMarks
    case .forked(let fork): return forked(fork, job)
    case .bisected(let found): return bisected(found, job, context).withMarks
    case .verified(let checks, let report): return verified(checks, report, job, context)
    case .replayed(let check): return replayed(check, job, context.settings, program)
    case .graph(let text): return graph(text, isASCII: context.settings.isASCII, job).withMarks
    case .opened(let picture?):
      return Outcome(job: job, value: .string(picture), presentation: .text(picture))
    case .opened(nil):
      return Outcome(job: job, notes: ["no picture is opened with the services of this run"])
    case .test(let text, let steps, let last):
      return Outcome(
        job: job, value: .string(text), presentation: .text(text),
        notes: steps < last
          ? ["a test of the first \(steps) of \(last) steps; --until STEP says how many"] : [])
    case .screenshot(let svg):
      return Outcome(job: job, value: .string(svg), presentation: .text(svg))
    case .stats(let figures):
      return Outcome(
        job: job,
        value: .object(
          figures.map { .init($0.name, $0.number.map { JSON($0) } ?? .string($0.text)) }),
        presentation: .fields(figures.map { ($0.name, $0.text) }))
    }
  }

  // MARK: The recording

  private static func stopped(
    _ path: String, _ steps: Int, _ problem: String?, _ job: Int
  ) -> Outcome {
    let count = Counted.text(steps, "step")
    if let problem {
      return Outcome(
        job: job,
        failure: Failure(
          code: 74, error: "io", message: "\(path): \(problem)",
          help: "'session verify \(path)' says how many of its \(count) are there"))
    }
    return Outcome(
      job: job,
      value: ["recorded": .string(path), "steps": JSON(steps)],
      notes: ["recorded \(count) to \(path); check it with 'session verify \(path)'"])
  }

  private static func status(
    _ path: String?, _ steps: Int, _ problem: String?, _ position: SessionPosition?, _ job: Int
  ) -> Outcome {
    let value: JSON = [
      "recording": JSON(path), "steps": JSON(steps), "problem": JSON(problem),
      "position": position.map { JSON($0.step) } ?? .null,
    ]
    var record =
      path.map { [("recording", $0), ("steps", String(steps))] } ?? [("recording", "no")]
    // The recording has grown since the step was shown.
    if let position {
      record.append(("position", "step \(position.step) of \(max(steps, position.last))"))
    }
    if let problem { record.append(("problem", problem)) }
    return Outcome(job: job, value: value, presentation: .fields(record))
  }

  private static func replayed(
    _ check: SessionCheck, _ job: Int, _ settings: BoardSettings, _ program: ProgramName
  ) -> Outcome {
    let notes = check.warnings.map(Outcome.Note.warning)
    if check.code == 0 {
      return Outcome(job: job, value: json(check), notes: notes + lines(check.message))
    }
    var failure = failure(check)
    if let name = check.environment?.rawValue, check.environment != settings.environment {
      failure.help =
        "it was recorded with --environment \(name); '\(program.name) --environment \(name)' "
        + "replays it with these services"
    }
    return Outcome(
      job: job, failure: failure, value: json(check), notes: notes + details(of: check))
  }

  private static func graph(_ text: String, isASCII: Bool, _ job: Int) -> Outcome {
    // The graphs in earlier recordings have symbols of their own.
    let shown =
      isASCII
      ? text.replacing(" \u{D7}", with: " x").replacing("\"\u{2026}", with: "\"...") : text
    return Outcome(job: job, value: .string(shown), presentation: .text(shown))
  }

  // MARK: Navigation

  private static func travelled(
    _ step: SessionStep, of last: Int, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let what = step.origin == nil ? ", the beginning" : ": \(step.title)"
    return Outcome(
      job: job,
      value: [
        "step": JSON(step.step), "of": JSON(last), "time": JSON(step.time),
        "by": SessionText.json(step.origin),
        "action": step.origin == nil ? .null : .string(step.name),
      ],
      presentation: .text(
        SessionText.line(
          "step \(step.step) of \(last), \(SessionText.seconds(step.time)) s\(what)",
          columns: context.columns(of: job))),
      notes: ["looking back; 'session live' returns to the present"])
  }

  private static func json(_ step: SessionStep) -> JSON {
    [
      "step": JSON(step.step), "time": JSON(step.time), "by": SessionText.json(step.origin),
      "name": .string(step.name), "action": step.action ?? .null,
      "draws": .array(step.draws.map(JSON.string)),
      "effects": .array(step.effects.map(JSON.string)),
      "digest": JSON(step.digest),
    ]
  }

  private static func differences(_ diff: SessionDiff, _ job: Int) -> Outcome {
    let locations = "\(diff.isTruncated ? "more than " : "")\(diff.changes.count)"
    let noun = diff.changes.count == 1 && !diff.isTruncated ? "place" : "places"
    let title =
      diff.changes.isEmpty
      ? "the states after steps \(diff.from) and \(diff.to) are equal"
      : "the states after steps \(diff.from) and \(diff.to) differ in \(locations) \(noun)"
    var outcome = Outcome(
      job: job, value: json(diff), presentation: table(diff),
      notes: ["\(title)\(diff.isTruncated ? "; --limit N shows more" : "")"])
    // This is no failure with a message: the differences are the requested result, and they are on
    // standard output.
    outcome.status = diff.changes.isEmpty ? 0 : ExitCode.no
    return outcome
  }

  private static func table(_ diff: SessionDiff) -> Presentation {
    guard !diff.changes.isEmpty else { return .none }
    return .table(
      columns: [
        Column("path", isIdentifier: true), Column("step \(diff.from)"), Column("step \(diff.to)"),
      ],
      rows: diff.changes.map { change in
        let (old, new) = SessionText.values(change.old, change.new)
        return [change.path, old, new]
      })
  }

  private static func json(_ diff: SessionDiff) -> JSON {
    [
      "from": JSON(diff.from), "to": JSON(diff.to), "path": JSON(diff.path),
      "equal": .bool(diff.changes.isEmpty), "truncated": .bool(diff.isTruncated),
      "changes": .array(
        diff.changes.map { change in
          var members = [JSON.Member("path", .string(change.path))]
          if let old = change.old { members.append(.init("old", old)) }
          if let new = change.new { members.append(.init("new", new)) }
          return .object(members)
        }),
    ]
  }

  private static func timeline(
    _ timeline: SessionTimeline, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let bars = EffectBars(timeline.spans, isASCII: context.isASCII(job))
      .cells(timeline.entries.map { ($0.step, $0.kind == .step) })
    let rows = zip(timeline.entries, bars).map { entry, bars in
      let text =
        switch entry.kind {
        case .step: entry.text
        case .mark: "@\(entry.text)"
        case .issue: "issue: \(entry.text)"
        case .end: "end of the recording"
        }
      return [
        String(entry.step), SessionText.seconds(entry.time), entry.origin?.text ?? "", text, bars,
      ]
    }
    // A mark is typed as it is shown.
    let marks =
      timeline.entries.filter { $0.kind == .mark }
      .map { DisplayWidth.of(escapeControls("@\($0.text)")) }.max() ?? 0
    let entries: [JSON] = timeline.entries.map { entry in
      [
        "kind": .string(entry.kind.rawValue), "step": JSON(entry.step), "time": JSON(entry.time),
        "by": SessionText.json(entry.origin), "text": .string(entry.text),
      ]
    }
    let effects: [JSON] = timeline.spans.map { span in
      var members: [JSON.Member] = [
        .init("name", .string(span.name)), .init("id", JSON(span.id)),
      ]
      if let ids = span.ids { members.append(.init("ids", .array(ids.map(JSON.string)))) }
      members += [
        .init("first", JSON(span.first)), .init("last", JSON(span.last)),
        .init("end", .string(span.end.rawValue)), .init("actions", JSON(span.actions)),
      ]
      return .object(members)
    }
    return Outcome(
      job: job,
      value: [
        "entries": .array(entries), "effects": .array(effects),
        "truncated": .bool(timeline.isTruncated),
      ],
      presentation: .table(
        columns: [
          Column("step", alignment: .right, isIdentifier: true), Column("time", alignment: .right),
          Column("by", priority: 4), Column("action", priority: 3, leastWidth: marks),
          Column("effects", priority: 2),
        ], rows: rows),
      notes: (context.draws(job) ? [density(timeline, context.settings)] : [])
        .compactMap { $0.map { Outcome.Note($0) } }
        + (timeline.isTruncated
          ? ["there are more entries; --limit N or --range A..B shows them"] : []))
  }

  /// Returns a drawing of how many steps there were when, or `nil` for fewer than three steps, and
  /// where it has no room.
  private static func density(_ timeline: SessionTimeline, _ settings: BoardSettings) -> String? {
    let times = timeline.entries.filter { $0.kind == .step }.map(\.time)
    guard times.count > 2, let first = times.first, let last = times.last, last > first else {
      return nil
    }
    let start = "\(SessionText.seconds(first)) s "
    let end = " \(SessionText.seconds(last)) s"
    let title = ", steps over time"
    let room = (settings.columns ?? 80) - start.count - end.count
    let hasTitle = room - title.count >= 16
    let columns = min(40, hasTitle ? room - title.count : room)
    guard columns >= 8 else { return nil }
    var counts = Array(repeating: 0, count: columns)
    for time in times {
      let part = max(0, Double(time) - Double(first)) / (Double(last) - Double(first))
      counts[min(columns - 1, Int(min(part, 1) * Double(columns)))] += 1
    }
    return start + Sparkline.text(counts, ascii: settings.isASCII) + end + (hasTitle ? title : "")
  }

  private static func forked(_ fork: SessionForked, _ job: Int) -> Outcome {
    let first = fork.first ?? 0
    let what =
      first == 0
      ? "\(fork.path) has the first \(Counted.text(fork.step, "step")) of \(fork.source)"
      : fork.step > first
        ? "\(fork.path) has the steps \(first &+ 1) to \(fork.step) of \(fork.source)"
        : "\(fork.path) begins with the state after step \(first) of \(fork.source)"
    return Outcome(
      job: job,
      value: [
        "fork": .string(fork.path), "step": JSON(fork.step), "source": .string(fork.source),
        "continued": .bool(fork.isContinued),
      ],
      notes: ["\(what)\(fork.isContinued ? ", and the board continues there" : "")"])
  }

  private static func bisected(
    _ found: SessionBisected, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    var value: [JSON.Member] = [
      .init("file", .string(found.path)), .init("assert", .string(found.assertion)),
      .init("steps", JSON(found.steps)), .init("evaluations", JSON(found.evaluations)),
      .init("step", found.step.map { JSON($0.step) } ?? .null),
    ]
    let failsFirst = found.failsFirst == true
    if failsFirst { value.append(.init("failsFirst", .bool(true))) }
    // The state before the first step is one of them.
    let states = found.states ?? (found.steps &+ 1)
    let asked = "\(found.evaluations) of \(states) states were examined"
    guard let step = found.step else {
      // The state in between may differ from those at both ends.
      let isWhole = found.evaluations >= states
      let none = isWhole ? "after no step" : "in none of the \(found.evaluations) examined states"
      return Outcome(
        job: job,
        failure: Failure(
          code: ExitCode.no, error: failsFirst ? "neverHolds" : "neverFails",
          message: "\(found.path): the assertion "
            + (failsFirst ? "fails from the beginning, and holds" : "fails")
            + " \(none): \(found.assertion)",
          help: isWhole
            ? asked
            : "there are \(states); --linear looks at every one, for what "
              + "comes and goes"),
        value: .object(value))
    }
    value += [
      .init("by", SessionText.json(step.origin)), .init("action", .string(step.name)),
      .init("time", JSON(step.time)),
      .init("changes", found.diff.flatMap { json($0)["changes"] } ?? .null),
    ]
    let columns = context.columns(of: job)
    var text = SessionText.line(
      "step \(step.step) of \(found.steps), \(SessionText.seconds(step.time)) s: \(step.title)",
      columns: columns)
    for change in found.diff?.changes ?? [] {
      let (old, new) = SessionText.values(change.old, change.new)
      text += SessionText.line("\(change.path): \(old) -> \(new)", indent: 2, columns: columns)
    }
    if found.diff?.isTruncated == true { text += "  ...\n" }
    return Outcome(
      job: job, value: .object(value), presentation: .text(text),
      notes: [
        failsFirst
          ? "it fails from the beginning; the first step after which this holds: \(found.assertion)"
          : "the first step after which this fails: \(found.assertion)", Outcome.Note(asked),
      ])
  }

  // MARK: Checking

  private static func verified(
    _ checks: [SessionCheck], _ report: String?, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let columns = context.columns(of: job)
    let value = JSON.array(checks.map(json))
    let failed = checks.filter { $0.code != 0 }
    let shown =
      report
      ?? checks.filter { $0.code == 0 }.map {
        SessionText.line("\(escapeControls($0.path)): \(message(of: $0))", columns: columns)
      }.joined()
    let presentation = shown.isEmpty ? Presentation.none : .text(shown)
    var notes = checks.flatMap { check in
      check.warnings.map { Outcome.Note.warning("\(check.path): \($0)") }
    }
    // The worst code is the result. Damage outranks a difference.
    guard let worst = failed.max(by: { $0.code < $1.code }),
      let location = failed.firstIndex(of: worst)
    else { return Outcome(job: job, value: value, presentation: presentation, notes: notes) }
    notes += failed.indices.filter { $0 != location }.flatMap { lines(text(failed[$0])) }
    return Outcome(
      job: job, failure: failure(worst), value: value, presentation: presentation,
      notes: notes + details(of: worst))
  }

  /// Returns the finding, prefixed with its file.
  private static func text(_ check: SessionCheck) -> String {
    let message = message(of: check)
    return check.message.names(check.path) ? message : "\(escapeControls(check.path)): \(message)"
  }

  /// Returns the finding, whose only line breaks are its own: a name of a file may have some, too.
  private static func message(of check: SessionCheck) -> String {
    let name = escapeControls(check.path)
    return name == check.path ? check.message : check.message.replacing(check.path, with: name)
  }

  /// Returns the lines of the finding after the first: paths and values.
  private static func details(of check: SessionCheck) -> [Outcome.Note] {
    Array(lines(message(of: check)).dropFirst())
  }

  private static func lines(_ text: String) -> [Outcome.Note] {
    text.split(separator: "\n").map { Outcome.Note(String($0)) }
  }

  private static func failure(_ check: SessionCheck) -> Failure {
    let name =
      switch check.code {
      case ExitCode.no: "differs"
      case ExitCode.missing: "missing"
      case ExitCode.data: "damaged"
      case ExitCode.interrupted: "cancelled"
      case ExitCode.usage: "usage"
      default: "io"
      }
    let line = text(check).split(separator: "\n").first.map(String.init) ?? ""
    return Failure(code: check.code, error: name, message: line, help: check.help)
  }

  private static func json(_ check: SessionCheck) -> JSON {
    [
      "file": .string(check.path), "ok": .bool(check.code == 0), "steps": JSON(check.steps),
      "message": .string(check.message), "warnings": .array(check.warnings.map(JSON.string)),
    ]
  }
}

extension Outcome {
  /// Returns the outcome with warnings about the recording that the command read, before its notes.
  fileprivate func warning(_ warnings: [String]?) -> Outcome {
    var outcome = self
    outcome.notes.insert(contentsOf: (warnings ?? []).map { .warning($0) }, at: 0)
    return outcome
  }
}
