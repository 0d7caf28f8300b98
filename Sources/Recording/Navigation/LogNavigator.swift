import SwiftBoardJSON
import SwiftBoardStore

/// A recording whose states can be visited in any order.
///
/// Opening one grades and verifies the whole log, at the cost of a replay, and keeps sparse states
/// on the way: the log's own snapshots by their position in the file, elsewhere states of its own
/// as canonical JSON. Their number and size are bounded, so that memory does not grow with the log;
/// a visit replays from the nearest one. With the default options any of a million steps is at most
/// about 8 000 reductions away.
///
/// A recording that was rotated is one log: its steps are numbered through, and a visit opens the
/// file that has the step.
///
/// Only the reducer runs, as in a replay. Not for several threads at once.
public final class LogNavigator<R: Reducer> where R.State: Codable, R.Action: Codable {
  /// Limits on what is kept in memory.
  public struct Options: Sendable {
    /// States and positions of snapshots in the log, at most.
    public var snapshots = 256
    /// Bytes of states of its own, at most.
    public var snapshotBytes = 16 << 20
    /// Marks, at most; later ones are not found by name.
    public var marks = 10_000
    /// Whether to continue where decoding drops or fills in something.
    public var acceptRisk = false

    /// The defaults.
    public init() {}
  }

  private struct Cursor {
    let reader: RotatedLogReader
    var state: R.State
    var step: Int
  }

  /// What is visited.
  public let rotatedLog: RotatedLog
  /// The first line of the first file.
  public let header: LogHeader
  /// The first step whose state can be visited: 0, the state the recording began with, unless older
  /// files were removed.
  public var firstStep: Int { rotatedLog.firstStep }
  /// The last step whose state can be visited.
  public let stepCount: Int
  /// The first step at which the reducer does not do what was recorded; `stepCount` is the one
  /// before it. Nil if all agrees.
  public let divergence: Divergence?
  /// What is odd about it.
  public let warnings: [LogWarning]
  /// Whether it fits the program.
  public let grade: LogGrade
  /// In the log's order.
  public let marks: [LogMark]

  private let replayer: Replayer<R>
  /// For each file.
  private let graders: [Replayer<R>.Grader]
  private let index: SnapshotIndex
  /// The last visit, from which the next one may continue.
  private var cursor: Cursor?

  /// Steps between kept states. For tests.
  var stride: Int { index.stride }
  /// How many states and positions are kept. For tests.
  var indexCount: Int { index.entries.count }

  /// Reads, grades and verifies all files of a recording, and that each continues where the one
  /// before it ended.
  ///
  /// Cancelling the task in which it runs ends it with `ReplayError.unreadable(.cancelled)`, within
  /// a step and 256 KiB; see `LogFile`.
  ///
  /// - Parameters:
  ///   - replayer: The program; its journal must not be used elsewhere meanwhile.
  ///   - progress: Called at every 256 KiB that were read, on this thread.
  /// - Throws: As `Replayer.replay`, except that a divergence is no error here.
  public init(
    _ rotatedLog: RotatedLog, replayer: Replayer<R>, options: Options = Options(),
    progress: (@Sendable (LogProgress) -> Void)? = nil
  ) throws(ReplayError) {
    self.rotatedLog = rotatedLog
    self.replayer = replayer
    let watched = progress.map { rotatedLog.reporting(passes: 2, $0) } ?? rotatedLog
    let grading = try Grading(
      watched, replayer.schema, replayer.migrations, replayer.userInfo)
    (graders, grade, warnings) = (grading.graders, grading.grade, grading.warnings)
    if case .risky = grade, !options.acceptRisk { throw .risky(grade) }

    var survey = Survey(replayer, graders, options)
    try survey.run(watched)
    guard let header = survey.header else {
      throw .encoding(step: rotatedLog.firstStep, "the log changed while it was read")
    }
    self.header = header
    index = survey.index
    marks = survey.marks
    stepCount = survey.steps
    divergence = survey.divergence
  }

  /// One file, by itself: its steps have the numbers that they have in it.
  public convenience init(
    _ file: LogFile, replayer: Replayer<R>, options: Options = Options(),
    progress: (@Sendable (LogProgress) -> Void)? = nil
  ) throws(ReplayError) {
    try self.init(RotatedLog(file), replayer: replayer, options: options, progress: progress)
  }

  /// The state after step `n`; `firstStep` is the state the recording, or what is left of it,
  /// begins with.
  ///
  /// Cost: a replay of the steps since the nearest kept state, or since the last visit where that
  /// is nearer. Keeping the value makes the next visit copy what it changes.
  public func state(at n: Int) throws(ReplayError) -> R.State {
    try visit(n)
    guard let cursor else { throw noStep(n) }
    return cursor.state
  }

  /// The state after step `n` as JSON, in canonical form.
  public func json(at n: Int) throws(ReplayError) -> JSON {
    do {
      return try JSON(parsing: try CanonicalEncoder.encode(try state(at: n)))
    } catch {
      throw ReplayError(error, at: n)
    }
  }

  /// The logged entries of step `n`, from `firstStep + 1`.
  ///
  /// Cost: reading the lines since the nearest kept state; nothing is reduced.
  public func step(_ n: Int) throws(ReplayError) -> LogStep {
    guard n > firstStep, n <= stepCount + (divergence == nil ? 0 : 1),
      let start = index.nearest(to: n - 1)
    else { throw noStep(n) }
    do throws(LogReadError) {
      let reader = try RotatedLogReader(rotatedLog, at: start.position)
      while let entry = try reader.next() {
        if case .step(let step) = entry.line, step.n == n { return step }
      }
    } catch {
      throw .unreadable(error)
    }
    throw noStep(n)
  }

  private func noStep(_ n: Int) -> ReplayError {
    .noStep(n, first: firstStep, last: stepCount)
  }

  /// The step that the first mark of this name follows.
  public func step(ofMark name: String) throws(ReplayError) -> Int {
    guard let mark = marks.first(where: { $0.name == name }) else { throw .noMark(name) }
    return mark.n
  }

  /// What differs between the states after steps `a` and `b`, at most `limit` positions.
  ///
  /// Cost: two visits, and the size of both states as JSON.
  public func diff(
    _ a: Int, _ b: Int, limit: Int = 50
  ) throws(ReplayError) -> StateDiff.Changes {
    StateDiff.changes(try json(at: a), try json(at: b), limit: limit)
  }

  /// Calls `body` with the states after the steps of `range`, in order, until it returns false. One
  /// pass.
  func forEachState(
    in range: ClosedRange<Int>, _ body: (Int, R.State) throws -> Bool
  ) throws {
    for n in range {
      try visit(n)
      guard let cursor, try body(n, cursor.state) else { return }
    }
  }

  /// Moves the cursor to step `n`.
  private func visit(_ n: Int) throws(ReplayError) {
    guard n >= firstStep, n <= stepCount else {
      if let divergence, n >= divergence.step { throw .unreachable(step: n, divergence) }
      throw noStep(n)
    }
    var cursor = try nearestCursor(for: n)
    self.cursor = nil
    do {
      while cursor.step < n {
        guard let entry = try cursor.reader.next() else { throw noStep(n) }
        guard case .step(let logged) = entry.line else { continue }
        let action = try graders[entry.segment].action(logged, entry.inFile)
        // Compared when the log was opened.
        _ = replayer.step.reduce(action, into: &cursor.state, serving: logged.draws)
        cursor.step = logged.n
      }
    } catch {
      throw ReplayError(error, at: cursor.step)
    }
    self.cursor = cursor
  }

  /// The last visit, or the nearest kept state where that is nearer.
  private func nearestCursor(for n: Int) throws(ReplayError) -> Cursor {
    guard let nearest = index.nearest(to: n) else { throw noStep(n) }
    if let cursor, cursor.step <= n, cursor.step >= nearest.step { return cursor }
    do {
      let reader = try RotatedLogReader(rotatedLog, at: nearest.position)
      if let bytes = nearest.state {
        return Cursor(
          reader: reader,
          state: try CanonicalDecoder.decode(
            R.State.self, from: bytes, userInfo: replayer.userInfo),
          step: nearest.step)
      }
      guard let entry = try reader.nextInFile(), let json = entry.line.state else {
        throw ReplayError.encoding(step: nearest.step, "the log changed while it was read")
      }
      let state = try graders[nearest.position.segment].state(json, entry, step: nearest.step)
      return Cursor(reader: reader, state: state.value, step: nearest.step)
    } catch {
      throw ReplayError(error, at: nearest.step)
    }
  }
}

extension LogLine {
  /// The whole state of a line that has one.
  fileprivate var state: JSON? {
    switch self {
    case .header(let header): header.state
    case .snapshot(let snapshot): snapshot.state
    case .step, .issue, .mark, .end, .unknown: nil
    }
  }
}
