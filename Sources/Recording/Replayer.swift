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

  private let reducer: R
  private let dependencies: R.Dependencies
  private let journal: DrawJournal
  private let schema: LogSchema
  private let migrations: [LogMigration]

  public init(
    reducer: R, dependencies: R.Dependencies, journal: DrawJournal, schema: LogSchema,
    migrations: [LogMigration] = []
  ) {
    self.reducer = reducer
    self.dependencies = dependencies
    self.journal = journal
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
    var run = try Run(self, grader, onStep)
    do {
      let reader = try open()
      while let entry = try reader.next() {
        if case .step(let step) = entry.line, let last, step.n > last { break }
        try run.take(entry, reader)
      }
    } catch let error as ReplayError {
      throw error
    } catch let error as LogReadError {
      throw .unreadable(error)
    } catch {
      throw .encoding(step: run.steps, "\(error)")
    }
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

  /// Replays without telling anybody: for checking many files.
  public func verify(path: String, acceptRisk: Bool = false) throws(ReplayError) -> ReplaySummary {
    try replay(path: path, acceptRisk: acceptRisk)
  }

  /// Reads the whole log, decodes every line, runs nothing.
  public func grade(from open: () throws(LogReadError) -> LogReader) throws(ReplayError) -> LogGrade
  {
    try graded(open).grader.grade
  }

  private typealias Grader = LogGrader<R.State, R.Action>

  private func graded(
    _ open: () throws(LogReadError) -> LogReader
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
    } catch let error as ReplayError {
      throw error
    } catch let error as LogReadError {
      throw .unreadable(error)
    } catch let error as LogObstacle {
      throw .impossible(error)
    } catch {
      throw .encoding(step: 0, "\(error)")
    }
  }

  /// The second pass.
  private struct Run {
    let replayer: Replayer
    let grader: Grader
    let onStep: OnStep?

    private var state: R.State?
    private(set) var steps = 0
    private(set) var time: Int64 = 0
    private(set) var digests = 0
    /// The canonical state when a digest was last compared, and the step; and room for the next.
    private var known: [UInt8] = []
    private var knownStep = 0
    private var current: [UInt8] = []

    init(_ replayer: Replayer, _ grader: Grader, _ onStep: OnStep?) throws(ReplayError) {
      self.replayer = replayer
      self.grader = grader
      self.onStep = onStep
    }

    mutating func take(_ entry: LogReader.Entry, _ reader: LogReader) throws {
      switch entry.line {
      case .header(let header):
        do throws(LogObstacle) {
          state = try grader.state(header.state, entry, step: 0).value
        } catch {
          throw ReplayError.impossible(error)
        }
        if let state { try CanonicalEncoder.encode(state, into: &known) }
      case .step(let step): try reduce(step, entry, reader)
      case .snapshot(let snapshot):
        guard knownStep != snapshot.n, grader.digestsComparable else { return }
        guard let found = try encodeState(), found != snapshot.digest else {
          return keep(snapshot.n)
        }
        throw ReplayError.diverged(
          Divergence(
            step: snapshot.n, line: entry.number, offset: entry.offset,
            origin: .program("snapshot"), action: .null,
            differences: [
              .digest(
                expected: snapshot.digest, found: found,
                changes: try changes(from: snapshot.state), since: nil)
            ]))
      case .issue, .mark, .end, .unknown: break
      }
    }

    private mutating func reduce(
      _ logged: LogStep, _ entry: LogReader.Entry, _ reader: LogReader
    ) throws {
      let action: R.Action
      do throws(LogObstacle) {
        action = try grader.action(logged, entry)
      } catch {
        throw ReplayError.impossible(error)
      }
      guard var next = state.take() else { return }
      var differences: [Divergence.Difference] = []

      replayer.journal.beginReduction(serving: logged.draws)
      let effects = replayer.reducer.reduce(&next, action, replayer.dependencies)
      if let mismatch = replayer.journal.endReplayedReduction() {
        differences.append(.draws(mismatch))
      }
      state = next

      // A closure: a key path of a generic type would be built anew at every step.
      let descriptors = effects.map { $0.descriptor }
      let found = Run.withoutNothing(descriptors.map { LogEffect($0) })
      let expected = Run.withoutNothing(logged.effects)
      if found != expected {
        differences.append(.effects(expected: expected, found: found))
      }
      if let digest = logged.digest, grader.digestsComparable {
        let found = try encodeState()
        if let found, found != digest {
          differences.append(try difference(digest, found, logged.n, reader))
        } else {
          keep(logged.n)
        }
      }
      guard differences.isEmpty else {
        throw ReplayError.diverged(
          Divergence(
            step: logged.n, line: entry.number, offset: entry.offset, origin: logged.origin,
            action: logged.action, differences: differences))
      }
      steps = logged.n
      time = logged.t
      onStep?(
        Step(number: logged.n, origin: logged.origin, action: action, effects: descriptors),
        next, logged.t)
    }

    /// An effect that does nothing may or may not be described; both sides are compared without it.
    private static func withoutNothing(_ effects: [LogEffect]) -> [LogEffect] {
      effects.isEmpty ? [] : effects.filter { $0.kind != "merge" || !$0.parts.isEmpty }
    }

    private mutating func encodeState() throws -> Digest? {
      guard let state else { return nil }
      current.removeAll(keepingCapacity: true)
      try CanonicalEncoder.encode(state, into: &current)
      return Digest(of: current)
    }

    private mutating func keep(_ step: Int) {
      swap(&known, &current)
      knownStep = step
      digests += 1
    }

    private func difference(
      _ expected: Digest, _ found: Digest, _ step: Int, _ reader: LogReader
    ) throws -> Divergence.Difference {
      // A snapshot of this step, if there is one, stands before the next step.
      search: while let entry = try? reader.next() {
        switch entry.line {
        case .snapshot(let snapshot):
          return .digest(
            expected: expected, found: found, changes: try changes(from: snapshot.state), since: nil
          )
        case .issue, .mark, .unknown: continue
        case .header, .step, .end: break search
        }
      }
      return .digest(
        expected: expected, found: found, changes: try changes(from: try JSON(parsing: known)),
        since: knownStep)
    }

    private func changes(from before: JSON) throws -> [StateDiff.Change] {
      StateDiff.changedPaths(before, try JSON(parsing: current))
    }
  }
}
