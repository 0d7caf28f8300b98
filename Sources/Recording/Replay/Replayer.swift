import SwiftBoardJSON
import SwiftBoardStore

/// Runs a log's actions through the reducer again and compares every step with what was recorded.
///
/// Only the reducer runs: no effect is started, and what it draws comes from the log, as long as its dependencies' generators draw
/// through `journal`. The log is read twice: once to decode and grade all of it, then to replay, so memory does not grow with
/// it. Cost a step: decoding and encoding the action, reducing, and a digest of the state where the log has one.
public struct Replayer<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// Called after a step that agreed: the step, with its number and origin in the log, the state after it, and `t` in microseconds.
  /// Keeping a copy of the state makes the next step copy what it changes.
  public typealias OnStep = (_ step: Step<R.Action>, _ state: R.State, _ t: Int64) -> Void

  @usableFromInline let step: StepReplay<R>
  let schema: LogSchema
  let migrations: [LogMigration]

  /// A replayer of the logs of one reducer.
  ///
  /// - Parameters:
  ///   - dependencies: Their generators have to draw through `journal`; nothing else of them is used while no effect runs.
  ///   - schema: What the program declares. A log of another program or action is refused, one of another version is migrated or graded.
  ///   - migrations: At most one from each version.
  public init(
    reducer: R, dependencies: R.Dependencies, journal: DrawJournal, schema: LogSchema,
    migrations: [LogMigration] = []
  ) {
    step = StepReplay(reducer, dependencies, journal)
    self.schema = schema
    self.migrations = migrations
  }

  /// Grades a log and then replays it.
  ///
  /// - Parameters:
  ///   - open: Gives a reader at the log's beginning; called twice.
  ///   - acceptRisk: Whether to go on where something was dropped or filled in while decoding. Digests are not compared where that
  ///     concerns the state itself.
  ///   - last: The last step to replay; nil: all. What follows it is graded and not run.
  public func replay(
    acceptRisk: Bool = false, until last: Int? = nil,
    from open: () throws(LogReadError) -> LogReader,
    onStep: OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    let start = ContinuousClock.now
    let (grader, warnings) = try graded(open)
    if case .risky = grader.grade, !acceptRisk { throw .risky(grader.grade) }
    var run = ReplayRun(self, grader, onStep)
    try run.take(allFrom: open, until: last)
    return ReplaySummary(
      steps: run.steps, recordedTime: run.time, elapsed: ContinuousClock.now - start,
      digests: run.digests,
      warnings: warnings + (grader.digestsComparable ? [] : [.digestsNotCompared]),
      grade: grader.grade)
  }

  /// Replays the file at `path`.
  public func replay(
    path: String, acceptRisk: Bool = false, until last: Int? = nil, onStep: OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    try replay(
      acceptRisk: acceptRisk, until: last,
      from: { () throws(LogReadError) in try LogReader(path: path) }, onStep: onStep)
  }

  /// Replays without telling anybody: for checking many files. A log in which all agrees takes one pass, every other one the two
  /// of a replay, and a third.
  @inlinable
  public func verify(path: String, acceptRisk: Bool = false) throws(ReplayError) -> ReplaySummary {
    try verify(LogFile(path: path), acceptRisk: acceptRisk)
  }

  /// Replays a file without telling anybody: one that was found in a chain is the same in every pass, whatever its name is by then.
  @inlinable
  public func verify(_ file: LogFile, acceptRisk: Bool = false) throws(ReplayError) -> ReplaySummary
  {
    try verify(
      acceptRisk: acceptRisk,
      from: { () throws(LogReadError) -> any LogSource in try file.source() })
  }

  /// Replays without telling anybody what happened at a step.
  ///
  /// - Parameters:
  ///   - open: Gives the log's bytes from their beginning; called up to three times. One that throws while it is read ends the
  ///     verification.
  ///   - progress: Hears how far the pass is, behind every 1 000th step; begins anew when another pass does.
  @inlinable
  public func verify(
    acceptRisk: Bool = false, from open: () throws(LogReadError) -> any LogSource,
    progress: ((_ step: Int) -> Void)? = nil
  ) throws(ReplayError) -> ReplaySummary {
    if let feed = quickFeed(open), let summary = verifyQuickly(feed, QuickCodes(), progress) {
      return summary
    }
    return try replay(
      acceptRisk: acceptRisk, from: { () throws(LogReadError) in LogReader(try open()) },
      onStep: progress.map { progress in
        { step, _, _ in if step.number.isMultiple(of: 1000) { progress(step.number) } }
      })
  }

  /// Reads the whole log, decodes every line, runs nothing.
  public func grade(from open: () throws(LogReadError) -> LogReader) throws(ReplayError) -> LogGrade
  {
    try graded(open).grader.grade
  }

  typealias Grader = LogGrader<R.State, R.Action>

  /// The first pass: reads all of it and decodes every line.
  func graded(
    _ open: () throws(LogReadError) -> LogReader
  ) throws(ReplayError) -> (grader: Grader, warnings: [LogWarning]) {
    try Replayer<R>.graded(open, schema, migrations)
  }

  static func graded(
    _ open: () throws(LogReadError) -> LogReader, _ schema: LogSchema, _ migrations: [LogMigration]
  ) throws(ReplayError) -> (grader: Grader, warnings: [LogWarning]) {
    do {
      let reader = try open()
      var grader = Grader(from: schema.version, to: schema.version, migrations: [])
      while let entry = try reader.next() {
        switch entry.line {
        case .header(let header):
          guard header.schema.isSameKind(as: schema) else {
            throw ReplayError.foreign(log: header.schema, program: schema)
          }
          grader = Grader(
            from: header.schema.version, to: schema.version, migrations: migrations)
          try grader.grade(header, entry)
        case .step(let step): try grader.grade(step, entry)
        case .issue, .mark, .snapshot, .end, .unknown: break
        }
      }
      return (grader, reader.warnings)
    } catch {
      throw ReplayError(error, at: 0)
    }
  }
}
