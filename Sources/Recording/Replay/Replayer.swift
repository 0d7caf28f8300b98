import SwiftBoardJSON
import SwiftBoardStore

/// Runs a log's actions through the reducer again and compares every step with what was recorded.
///
/// Only the reducer runs: no effect is started, and what it draws comes from the log, as long as
/// its dependencies' generators draw through `journal`. A log is read once to decode and grade all
/// of it, then to replay, so memory does not grow with it. A single file is a recording of one.
/// Cost a step: decoding and encoding the action, reducing, and a digest of the state where the log
/// has one.
public struct Replayer<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// Called after a step that agreed: the step, with its number and origin in the log, the state
  /// after it, and `t` in microseconds. Keeping a copy of the state makes the next step copy what
  /// it changes.
  public typealias OnStep = (_ step: Step<R.Action>, _ state: R.State, _ t: Int64) -> Void

  @usableFromInline let step: StepReplay<R>
  let schema: LogSchema
  let migrations: [LogMigration]
  @usableFromInline let userInfo: [CodingUserInfoKey: any Sendable]

  /// A replayer of the logs of one reducer.
  ///
  /// - Parameters:
  ///   - dependencies: Their generators have to draw through `journal`; nothing else of them is
  ///     used while no effect runs.
  ///   - schema: What the program declares. A log of another program or action is refused, one of
  ///     another version is migrated or graded.
  ///   - migrations: Those from each version, in the order in which they are applied.
  ///   - userInfo: What the `init(from:)` of states and actions finds as its decoder's `userInfo`.
  public init(
    reducer: R, dependencies: R.Dependencies, journal: DrawJournal, schema: LogSchema,
    migrations: [LogMigration] = [], userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    step = StepReplay(reducer, dependencies, journal)
    self.schema = schema
    self.migrations = migrations
    self.userInfo = userInfo
  }

  /// Replays a recording, each of its files from its own header. Before the first step runs, all
  /// files were read to their end, joined and graded.
  ///
  /// - Parameters:
  ///   - acceptRisk: Whether to continue where something was dropped or filled in while decoding.
  ///     Digests are not compared where that concerns the state itself.
  ///   - last: The last step to replay, counted through all files; nil: all. What follows it is
  ///     graded and not run.
  ///   - onStep: Called with each step, which has its number and time in the whole recording.
  /// - Throws: What is wrong, with the name of the file where there are several, and step numbers
  ///   of the whole recording.
  /// - Complexity: Reads every file three times, twice if there is one.
  public func replay(
    _ rotatedLog: RotatedLog, acceptRisk: Bool = false, until last: Int? = nil,
    onStep: OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    let start = ContinuousClock.now
    try rotatedLog.checkJoints()
    let grading = try LogNavigator<R>.Grading(rotatedLog, schema, migrations, userInfo)
    if case .risky = grading.grade, !acceptRisk { throw .risky(grading.grade) }
    var (steps, digests, time) = (0, 0, Int64(0))
    for segment in rotatedLog.segments.indices {
      let (before, later) = (rotatedLog.segments[segment].stepsBefore, rotatedLog.times[segment])
      if let last, segment > 0, before >= last { break }
      var run = ReplayRun(
        self, grading.graders[segment],
        onStep.map { onStep in
          guard before > 0 || later > 0 else { return onStep }
          return { step, state, t in onStep(step.behind(before), state, t + later) }
        })
      do throws(ReplayError) {
        try run.take(rotatedLog.files[segment], until: last.map { $0 - before })
      } catch {
        throw error.located(in: rotatedLog, segment)
      }
      steps += run.steps
      digests += run.digests
      if run.steps > 0 { time = run.time + later }
    }
    return ReplaySummary(
      steps: steps, recordedTime: time, elapsed: ContinuousClock.now - start, digests: digests,
      warnings: grading.warnings, grade: grading.grade)
  }

  /// Verifies the file at `path` by itself; see `verify(_:acceptRisk:progress:)`.
  @inlinable
  public func verify(path: String, acceptRisk: Bool = false) throws(ReplayError) -> ReplaySummary {
    try verify(LogFile(path: path), acceptRisk: acceptRisk)
  }

  /// Replays a file without reporting its steps: for checking many files. A log in which all agrees
  /// takes one pass, every other one the two of a replay, and a third.
  ///
  /// A file that was found in a rotated log is the same in every pass, whatever its name is by
  /// then.
  ///
  /// - Parameter progress: Called after every 1 000th step with its number; begins anew when
  ///   another pass does.
  @inlinable
  public func verify(
    _ file: LogFile, acceptRisk: Bool = false, progress: ((_ step: Int) -> Void)? = nil
  ) throws(ReplayError) -> ReplaySummary {
    if let feed = FastLogReader.of(file, userInfo),
      let summary = verifyQuickly(feed, QuickCodes(userInfo), progress)
    {
      return summary
    }
    return try replay(
      RotatedLog(file), acceptRisk: acceptRisk,
      onStep: progress.map { progress in
        { step, _, _ in if step.number.isMultiple(of: 1000) { progress(step.number) } }
      })
  }

  /// Verifies the files of a rotated recording, each from its own header, and that they are one
  /// recording.
  ///
  /// - Returns: A summary for each file, oldest first.
  public func verify(
    _ rotatedLog: RotatedLog, acceptRisk: Bool = false
  ) throws(ReplayError) -> [ReplaySummary] {
    try rotatedLog.checkJoints()
    var summaries: [ReplaySummary] = []
    for (segment, file) in rotatedLog.files.enumerated() {
      do throws(ReplayError) {
        summaries.append(try verify(file, acceptRisk: acceptRisk))
      } catch {
        throw error.located(in: rotatedLog, segment)
      }
    }
    return summaries
  }

  typealias Grader = LogGrader<R.State, R.Action>

  /// The first pass: reads all of a file and decodes every line.
  static func graded(
    _ open: () throws(LogReadError) -> LogReader, _ schema: LogSchema, _ migrations: [LogMigration],
    _ userInfo: [CodingUserInfoKey: any Sendable]
  ) throws(ReplayError) -> (grader: Grader, warnings: [LogWarning]) {
    do {
      let reader = try open()
      var grader = Grader(
        from: schema, to: schema, migrations: [], userInfo: userInfo)
      while let entry = try reader.next() {
        switch entry.line {
        case .header(let header):
          guard header.schema.isSameKind(as: schema) else {
            throw ReplayError.foreign(log: header.schema, program: schema)
          }
          grader = Grader(
            from: header.schema, to: schema, migrations: migrations,
            userInfo: userInfo)
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

extension Step {
  /// The step of a file as one of the recording, of which `count` steps are in earlier files.
  fileprivate func behind(_ count: Int) -> Step {
    var origin = origin
    if case .effect(let name, let id, let step) = origin, step > 0 {
      origin = .effect(name: name, id: id, step: step + count)
    }
    return Step(number: number + count, origin: origin, action: action, effects: effects)
  }
}

extension RotatedLog {
  /// Checks that the files are one recording, where there are several.
  func checkJoints() throws(ReplayError) {
    guard segments.count > 1 else { return }
    do throws(LogReadError) {
      _ = try check()
    } catch {
      throw .unreadable(error)
    }
  }
}
