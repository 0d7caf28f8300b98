import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording

/// The read-only `session` commands. They block and must run on their own thread.
struct RecordingQueries {
  let navigators: SessionNavigators
  /// Has the navigator of the running recording.
  var recording: any RecordingService = NoRecording()
  /// The running recording when the line was read.
  var moment: SessionMoment?
  /// The step that the session shows.
  let position: Int?
  /// Receives read progress from time to time during a long read.
  var progress: @Sendable (LogProgress, _ path: String) -> Void = { _, _ in }
  /// The known secrets, which are in no result.
  var secrets = RecordedSecrets(Redactor())
  /// Collects the warnings about the recording.
  var warnings: SessionWarnings?
  /// The flag that is set when the result is no longer needed.
  let flag = CancelFlag()

  typealias Navigator = SessionNavigators.Navigator

  /// The recording of a command.
  struct Target {
    let path: String
    /// Its last step if it is the running recording.
    let end: Int?
    /// The step that relative targets count from.
    let here: Int?
  }

  /// Returns the path of a file, or that of the running recording.
  func path(_ file: String?) throws -> String { try location(file).path }

  func location(_ file: String?) throws -> Target {
    if let file { return Target(path: file, end: nil, here: nil) }
    guard let moment else { throw Failure.noRecording }
    return Target(path: moment.path, end: moment.step, here: position ?? moment.step)
  }

  /// Calls `body` with a recording. All of it is verified before, unless this board writes it.
  func visit<Result: Sendable>(
    _ location: Target, body: (Navigator, _ end: Int) throws -> Result
  ) throws -> Result {
    func note(_ navigator: Navigator) throws -> Result {
      warnings?.note(navigator.warnings, navigator.rotatedLog, location.path)
      return try body(navigator, location.end ?? navigator.stepCount)
    }
    return try failing(location.path) {
      if location.end != nil,
        let navigator = try recording.navigator(
          of: location.path, isCancelled: { [flag] in flag.isSet })
      {
        return try note(navigator)
      }
      return try navigators.visit(
        location.path, flag, progress: { [progress] in progress($0, location.path) }, note)
    }
  }

  /// Calls `body` and converts its errors to failures of the board.
  private func failing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      // Rotation may have removed a file.
      return try SessionReplay.lookAgain(unless: { flag.isSet }, body)
    } catch {
      throw failure(error, path)
    }
  }

  private func failure(_ error: any Error, _ path: String) -> any Error {
    if flag.isSet { return CancellationError() }
    return switch error {
    case let error as ReplayError: Failure(error.mapValues(secrets.masked), path)
    case let error as LogReadError: Failure(error.mapValues(secrets.masked), path)
    case let error as RecordingError: Failure(forking: error.mapValues(secrets.masked))
    default: error
    }
  }

  /// Opens the files of a recording for one pass from the beginning.
  private func rotatedLog(_ path: String) throws -> RotatedLog {
    try RotatedLog(opening: path) { [flag] in flag.isSet }
      .reporting { [progress] in progress($0, path) }
  }

  func step(
    _ target: SessionTarget, _ location: Target, _ navigator: Navigator, _ end: Int
  ) throws -> Int {
    let step = try target.step(from: location.here ?? end, end: end) { name in
      try navigator.step(ofMark: name)
    }
    guard (navigator.firstStep...max(navigator.firstStep, end)).contains(step) else {
      // A divergence after the last step that can be visited explains more than a range error.
      if step > end, location.end == nil { _ = try navigator.state(at: step) }
      if case .relative = target.kind {
        throw Failure(
          code: ExitCode.usage, error: "noStep",
          message: "there is no step \(target.rawValue) from step \(location.here ?? end) on; "
            + "the recording has the steps \(navigator.firstStep) to \(end)"
            + (navigator.firstStep > 0 ? ", and the files before them were removed" : ""),
          help: "'session timeline' lists them")
      }
      throw ReplayError.noStep(step, first: navigator.firstStep, last: end)
    }
    return step
  }

  private func logged(_ n: Int, _ navigator: Navigator) throws -> SessionStep {
    n == navigator.firstStep ? .beginning(n) : SessionStep(try navigator.step(n), isWhole: false)
  }

  // MARK: Navigation

  func go(to target: SessionTarget) throws -> SessionResult {
    let location = try location(nil)
    return try visit(location) { navigator, end in
      let step = try step(target, location, navigator, end)
      return .travelled(step: try logged(step, navigator), of: end)
    }
  }

  /// Moves to the state before the last line that changed something.
  func undo() throws -> SessionResult {
    let location = try location(nil)
    return try visit(location) { navigator, end in
      let here = location.here ?? end
      // The file of the step that is shown may have been removed since.
      guard here >= navigator.firstStep else {
        throw ReplayError.noStep(here, first: navigator.firstStep, last: end)
      }
      let found = try navigator.lastStep(through: here) { step in
        switch step.origin {
        case .effect, .program: return false
        case .user, .link:
          let action = try? CanonicalDecoder.decode(
            BoardAction.self, from: step.actionBytes, userInfo: navigators.features.userInfo)
          return action?.isLook != true
        }
      }
      guard let found else {
        throw Failure(
          code: ExitCode.usage, error: "nothingToUndo",
          message: "no line before step \(here) did anything",
          help: "'session timeline' shows what there is")
      }
      return .travelled(step: try logged(found.n - 1, navigator), of: end)
    }
  }

  // MARK: Inspection

  func state(_ path: String?, at target: SessionTarget?, file: String?) throws -> SessionResult {
    let location = try location(file)
    let target = target ?? location.here.map { SessionTarget(step: $0) } ?? .end
    return try visit(location) { navigator, end in
      let step = try step(target, location, navigator, end)
      return .state(value: try value(at: path, step, navigator), step: step)
    }
  }

  private func value(at path: String?, _ step: Int, _ navigator: Navigator) throws -> JSON {
    let json = try navigator.json(at: step)
    guard let path else { return json }
    guard let value = json.value(at: try JSONPath(parsing: path)) else {
      throw Failure(
        code: ExitCode.missing, error: "noSuchPath",
        message: "the state after step \(step) has nothing at '\(path)'",
        help: "'session state' without a path shows the whole")
    }
    return value
  }

  func assert(_ text: String) throws -> SessionResult {
    let location = try location(nil)
    let condition = try JSONCondition(parsing: text)
    return try visit(location) { navigator, end in
      let step = location.here ?? end
      return .asserted(
        condition: text,
        holds: condition.holds(for: try StateJSON.past(try navigator.state(at: step))),
        step: step)
    }
  }

  func action(_ target: SessionTarget, file: String?) throws -> SessionResult {
    let location = try location(file)
    return try visit(location) { navigator, end in
      let step = try step(target, location, navigator, end)
      guard step > navigator.firstStep else {
        throw Failure(
          code: ExitCode.usage, error: "noStep",
          message: "step \(step) is the beginning of the recording; it has no action")
      }
      let logged = try navigator.step(step)
      // The result is itself an action that contains this one, so limit the depth.
      guard (try? JSON(parsing: logged.actionBytes, limits: JSONLimits(depth: 500))) != nil else {
        throw Failure(
          code: ExitCode.data, error: "tooDeep",
          message: "the action of step \(step) is nested too deeply to be shown",
          help: "it is in the recording: line \"n\":\(step) of \(location.path)")
      }
      return .step(step: SessionStep(logged, isWhole: true))
    }
  }

  func diff(
    _ a: SessionTarget, _ b: SessionTarget, path: String?, limit: Int, file: String?
  ) throws -> SessionResult {
    let location = try location(file)
    return try visit(location) { navigator, end in
      .differences(
        diff: try differences(
          try step(a, location, navigator, end), try step(b, location, navigator, end), path, limit,
          navigator))
    }
  }

  private func differences(
    _ from: Int, _ to: Int, _ path: String?, _ limit: Int, _ navigator: Navigator
  ) throws -> SessionDiff {
    var (old, new): (JSON?, JSON?) = (
      try StateJSON.past(try navigator.state(at: from)),
      try StateJSON.past(try navigator.state(at: to))
    )
    if let path {
      let parsed = try JSONPath(parsing: path)
      (old, new) = (old?.value(at: parsed), new?.value(at: parsed))
      guard old != nil || new != nil else {
        throw Failure(
          code: ExitCode.missing, error: "noSuchPath",
          message:
            "neither the state after step \(from) nor that after step \(to) has anything at '\(path)'",
          help: "'session state --at \(from)' shows the whole")
      }
    }
    var diff = SessionDiff(from: from, to: to, path: path, changes: [], isTruncated: false)
    guard let old, let new else {
      if old != new {
        diff.changes = [.init(path: "$", old: old, new: new)]
      }
      return diff
    }
    let changes = StateDiff.changes(old, new, limit: limit)
    diff.isTruncated = changes.isTruncated
    diff.changes = changes.entries.map {
      SessionDiff.Change(path: $0.path, old: $0.old, new: $0.new)
    }
    return diff
  }

  func timeline(_ query: SessionTimelineQuery) throws -> SessionResult {
    let location = try location(query.file)
    let last = min(query.range?.last ?? .max, location.end ?? .max)
    let first = query.range?.first ?? 0
    guard first <= last else { return .timeline(timeline: .empty) }
    let steps = query.range == nil && location.end == nil ? nil : first...last
    return try failing(location.path) {
      let rotatedLog = try rotatedLog(location.path)
      let timeline = try LogTimeline(
        rotatedLog,
        filter: LogTimeline.Filter(
          sources: query.sources.map { Set($0.compactMap(LogTimeline.Source.init(rawValue:))) },
          action: query.action, text: query.text, steps: steps),
        effects: false)
      var result = SessionTimeline.empty
      var time: Int64 = 0
      while let entry = try timeline.next() {
        guard result.entries.count < query.limit else {
          result.isTruncated = true
          break
        }
        switch entry {
        case .step(let step, let name):
          time = step.t
          result.entries.append(
            .init(
              kind: .step, step: step.n, time: step.t, origin: .init(step.origin), text: name))
        case .mark(let mark):
          result.entries.append(.init(kind: .mark, step: mark.n, time: time, text: mark.name))
        case .issue(let issue):
          result.entries.append(
            .init(kind: .issue, step: issue.n, time: time, text: issue.message))
        case .end(let end):
          result.entries.append(.init(kind: .end, step: end.n, time: time, text: ""))
        case .effect: break
        }
      }
      warnings?.note(timeline.warnings, rotatedLog, location.path)
      let isCut = result.isTruncated || query.range.map { $0.last < .max } ?? false
      result.spans = try spans(of: result.entries, in: rotatedLog, isCut: isCut)
      return .timeline(timeline: result)
    }
  }

  /// Returns the effects that ran during the shown steps, however the steps were selected.
  ///
  /// - Parameter isCut: Whether the recording continues after the requested steps. The rest is not
  ///   read, so the ends of effects there are unknown. Otherwise the whole recording is read, and
  ///   each end that it contains is known.
  private func spans(
    of entries: [SessionTimeline.Entry], in rotatedLog: RotatedLog, isCut: Bool
  ) throws -> [SessionTimeline.Span] {
    guard let first = entries.first?.step, let last = entries.last?.step else { return [] }
    let timeline = try LogTimeline(
      rotatedLog, filter: .init(steps: first...(isCut ? last : .max)))
    var spans: [SessionTimeline.Span] = []
    while let entry = try timeline.next() {
      if case .effect(let span) = entry, span.first <= last { spans.append(.init(span)) }
    }
    return spans
  }

  // MARK: Searching and drawing

  func bisect(_ file: String?, assert text: String, linear: Bool) throws -> SessionResult {
    let condition = try JSONCondition(parsing: text)
    let location = try location(file)
    return try visit(location) { navigator, end in
      let search: LogSearch = linear ? .linear : .halving
      let flag = flag
      func holds(_ state: BoardState) throws -> Bool {
        try flag.check()
        return condition.holds(for: try StateJSON.past(state))
      }
      // No step makes an assertion fail that fails from the beginning, but one may make it hold.
      let first = navigator.firstStep
      var (failsFirst, examined) = (!(try holds(try navigator.state(at: first))), 1)
      if failsFirst, end > first {
        failsFirst = !(try holds(try navigator.state(at: first + 1)))
        examined = 2
      }
      let found = try navigator.bisect(search, through: end) { try holds($0) == failsFirst }
      // The search has examined the state after the first step again.
      if examined == 2, linear || (found.step ?? end + 1) == first + 2 { examined = 1 }
      var result = SessionBisected(
        path: location.path, assertion: text, step: nil, diff: nil, steps: end,
        evaluations: found.evaluations + examined)
      if first > 0 { result.states = end - first + 1 }
      if failsFirst { result.failsFirst = true }
      if let step = found.step {
        result.step = try logged(step, navigator)
        result.diff = try differences(step - 1, step, nil, 20, navigator)
      }
      return .bisected(bisection: result)
    }
  }

  func graph(_ file: String?, by label: String?) throws -> SessionResult {
    try visit(try location(file)) { navigator, _ in
      if let label {
        let path = try JSONPath(parsing: label)
        return .graph(
          text: try navigator.stateGraph(by: path, mapValues: secrets.masked).graphviz)
      }
      // Without a path, the states are the running commands.
      return .graph(
        text: try navigator.stateGraph { state in
          let names = state.shell.running.map(\.name)
          return names.isEmpty ? "idle" : names.joined(separator: ", ")
        }.graphviz)
    }
  }

  func causes(_ file: String?, _ range: SessionRange?) throws -> SessionResult {
    let location = try location(file)
    return try failing(location.path) {
      let rotatedLog = try rotatedLog(location.path)
      let first = max(rotatedLog.firstStep + 1, range?.first ?? 1)
      // The range bounds the memory used.
      let last = min(
        range?.last ?? .max, location.end ?? .max, first > .max - 9_999 ? .max : first + 9_999)
      // The running recording ends before the step of this command.
      guard first <= last else { return .graph(text: Graphviz("causes").text) }
      let tree = try CausalTree(rotatedLog, steps: first...last)
      warnings?.note(tree.warnings, rotatedLog, location.path)
      return .graph(text: tree.graphviz(mapValues: secrets.masked))
    }
  }

  func stats(_ file: String?) throws -> SessionResult {
    let path = try location(file).path
    return try failing(path) {
      let rotatedLog = try rotatedLog(path)
      let statistics = try LogStatistics(rotatedLog)
      warnings?.note(statistics.warnings, rotatedLog, path)
      return .stats(figures: SessionFigure.all(of: statistics))
    }
  }

  /// The maximum number of steps in a test. A longer test takes too long to compile.
  private static let testedSteps = 300

  func test(_ file: String?, until: SessionTarget?) throws -> SessionResult {
    let location = try location(file)
    return try visit(location) { navigator, end in
      let last =
        try until.map { try step($0, location, navigator, end) }
        ?? min(end, navigator.firstStep + Self.testedSteps)
      guard let source = navigators.features.source else {
        throw Failure(
          code: ExitCode.usage, error: "noSource",
          message: "this board does not say how a test names its features",
          help: "its FeatureList takes a 'source'")
      }
      let export = LogTestExport(
        .init(
          imports: ["import SwiftBoardBoard", "import SwiftBoardDependencies"] + source.imports,
          reducer: "BoardReducer(\(source.expression))",
          dependencies: "Dependencies.mock.intercepted(by: journal.interceptor)",
          userInfo: "\(source.expression).userInfo"))
      return .test(
        source: try export.text(
          of: navigator, steps: last, mapValues: secrets.maskedForASCII),
        steps: last - navigator.firstStep, of: end - navigator.firstStep)
    }
  }
}

extension SessionTimeline {
  fileprivate static let empty = SessionTimeline(entries: [], spans: [], isTruncated: false)
}

extension SessionTarget {
  static let end = SessionTarget(kind: .end, rawValue: "end")

  init(step: Int) { self.init(kind: .step(step), rawValue: String(step)) }

  private init(kind: Kind, rawValue: String) {
    self.rawValue = rawValue
    self.kind = kind
  }
}

extension Failure {
  /// The failure of a command that looks at the recording.
  static let noRecording = Failure(
    code: ExitCode.usage, error: "notRecording", message: "nothing is being recorded",
    help: "'session record FILE' begins a recording; a command of session that takes FILE or "
      + "--file looks into one: 'help session'")

  /// The failure of a command that changes the recording.
  static let nothingToChange = Failure(
    code: ExitCode.usage, error: "notRecording", message: "nothing is being recorded",
    help: "'session record FILE' begins a recording")
}
