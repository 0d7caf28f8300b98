import SwiftBoardJSON
import SwiftBoardStore

/// Runs the actions of a log through the reducer again, and compares every step with the recording.
///
/// Only the reducer runs. No effect is started, and the reducer draws the logged values if its
/// dependencies' generators draw through `journal`. A log is read once to decode and grade it, and
/// again to replay it, so memory does not grow with it.
///
/// A step costs decoding and encoding its action, reducing, and a digest of the state if the log
/// has one.
public struct Replayer<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// A function that is called after each matching step. `step` has its number and origin in the
  /// log, `state` is the state after it, and `t` is its time in microseconds. If the function keeps
  /// the state, the next step copies the parts that it changes.
  public typealias OnStep = (_ step: Step<R.Action>, _ state: R.State, _ t: Int64) -> Void

  @usableFromInline let step: StepReplay<R>
  let schema: LogSchema
  let migrations: [LogMigration]
  @usableFromInline let userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates a replayer for the logs of one reducer.
  ///
  /// - Parameters:
  ///   - dependencies: The dependencies. Their generators must draw through `journal`. Nothing else
  ///     is used, since no effect runs.
  ///   - schema: The schema of the program. A log of another program or action is rejected. A log
  ///     of another version is migrated or graded.
  ///   - migrations: The migrations from each version, in the order in which they are applied.
  ///   - userInfo: The `userInfo` of the decoder of states and actions.
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
  /// files are read to their end, joined and graded.
  ///
  /// If a migration changes the form of the state, or the states that follow from actions, the
  /// states in later files are not those of this program. The replay then continues with its own.
  ///
  /// - Parameters:
  ///   - acceptRisk: Whether to continue if decoding drops values or fills in defaults. If that
  ///     affects the state, digests are not compared.
  ///   - last: The last step to replay, counted across all files, or `nil` for all steps. Later
  ///     steps are graded but not run.
  ///   - onStep: Called for each step, with its number and time in the whole recording.
  /// - Throws: The first error, with the name of its file if there are several, and with step
  ///   numbers of the whole recording.
  /// - Complexity: Reads every file three times, or twice if there is only one.
  public func replay(
    _ rotatedLog: RotatedLog, acceptRisk: Bool = false, until last: Int? = nil,
    onStep: OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    let start = ContinuousClock.now
    try rotatedLog.checkJoints()
    let grading = try LogNavigator<R>.Grading(rotatedLog, schema, migrations, userInfo)
    if case .risky = grading.grade, !acceptRisk { throw .risky(grading.grade) }
    var (steps, digests, time) = (0, 0, Int64(0))
    var previous: ReplayRun<R>?
    for segment in rotatedLog.segments.indices {
      let (before, later) = (rotatedLog.segments[segment].stepsBefore, rotatedLog.times[segment])
      if let last, segment > 0, before >= last { break }
      let onStep = onStep.map { onStep in
        guard before > 0 || later > 0 else { return onStep }
        return { step, state, t in onStep(step.behind(before), state, t + later) }
      }
      var run = ReplayRun(self, grading.graders[segment], after: previous, onStep)
      previous = nil
      do throws(ReplayError) {
        try run.take(rotatedLog.files[segment], until: last.map { $0 - before })
      } catch {
        throw error.located(in: rotatedLog, segment)
      }
      steps += run.steps
      digests += run.digests
      if run.steps > 0 { time = run.time + later }
      previous = run
    }
    return ReplaySummary(
      steps: steps, recordedTime: time, elapsed: ContinuousClock.now - start, digests: digests,
      warnings: grading.warnings, grade: grading.grade)
  }

  /// Verifies the single file at `path`; see `verify(_:acceptRisk:progress:)`.
  @inlinable
  public func verify(path: String, acceptRisk: Bool = false) throws(ReplayError) -> ReplaySummary {
    try verify(LogFile(path: path), acceptRisk: acceptRisk)
  }

  /// Replays a file without reporting its steps, for checking many files. A matching log takes one
  /// pass. Any other log takes the two passes of a replay in addition.
  ///
  /// A file that was found in a rotated log is the same in every pass, even if it is renamed in
  /// between.
  ///
  /// - Parameter progress: Called after every 1 000th step with its number. Numbers begin again
  ///   with every pass.
  @inlinable
  public func verify(
    _ file: LogFile, acceptRisk: Bool = false, progress: ((_ step: Int) -> Void)? = nil
  ) throws(ReplayError) -> ReplaySummary {
    if let feed = FastLogReader.of(file, userInfo),
      let summary = verifyQuickly(feed, CodecPair(userInfo), progress)
    {
      return summary
    }
    return try replay(
      RotatedLog(file), acceptRisk: acceptRisk,
      onStep: progress.map { progress in
        { step, _, _ in if step.number.isMultiple(of: 1000) { progress(step.number) } }
      })
  }

  typealias Grader = LogGrader<R.State, R.Action>

  /// Performs the first pass: reads a file to its end and decodes every line.
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
  /// Returns the step with its number in the recording, which has `count` steps in earlier files.
  fileprivate func behind(_ count: Int) -> Step {
    var origin = origin
    if case .effect(let name, let id, let step) = origin, step > 0 {
      origin = .effect(name: name, id: id, step: step + count)
    }
    return Step(number: number + count, origin: origin, action: action, effects: effects)
  }
}

extension RotatedLog {
  /// Checks that the files, if there are several, are one recording.
  func checkJoints() throws(ReplayError) {
    guard segments.count > 1 else { return }
    do throws(LogReadError) {
      _ = try check()
    } catch {
      throw .unreadable(error)
    }
  }
}
