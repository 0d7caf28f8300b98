import SwiftBoardJSON
import SwiftBoardStore

/// A recording whose states can be visited in any order.
///
/// Creating a navigator grades and verifies the whole log, which costs as much as a replay, and
/// keeps some states: positions of the log's own snapshots, or states as canonical JSON. Their
/// number and size are bounded, so that memory does not grow with the log. A visit replays from the
/// nearest kept state. With the default options, a visit to any of a million steps takes at most
/// about 4 000 reductions.
///
/// For the recording that a `Recorder` writes, `Recorder.navigator` costs no reading of the whole.
///
/// A rotated recording is one log, whose steps are numbered across its files. A visit opens the
/// file that has the step.
///
/// Only the reducer runs, as in a replay. A navigator must not be used by several threads at once.
public final class LogNavigator<R: Reducer> where R.State: Codable, R.Action: Codable {
  /// The limits on memory.
  public struct Options: Sendable {
    /// The maximum number of kept states and positions of snapshots.
    public var snapshots = SnapshotIndex.defaultCapacity
    /// The maximum size of the kept states, in bytes.
    public var snapshotBytes = SnapshotIndex.defaultByteLimit
    /// The maximum number of marks. Later marks cannot be found by name.
    public var marks = WrittenIndex.markLimit
    /// Whether to continue if decoding drops values or fills in defaults.
    public var acceptRisk = false

    /// Creates the default options.
    public init() {}
  }

  private struct Cursor {
    let reader: RotatedLogReader
    var state: R.State
    var step: Int
  }

  /// The recording.
  public let rotatedLog: RotatedLog
  /// The first line of the first file.
  public let header: LogHeader
  /// The first step whose state can be visited. It is 0, for the initial state of the recording,
  /// unless older files were removed.
  public var firstStep: Int { rotatedLog.firstStep }
  /// The last step whose state can be visited.
  public let stepCount: Int
  /// The first step at which the reducer differs from the recording, or `nil` if there is none.
  /// `stepCount` is the step before it.
  public let divergence: Divergence?
  /// The warnings about the log.
  public let warnings: [LogWarning]
  /// The grade of the log: whether the program can decode it without changes.
  public let grade: LogGrade
  /// The marks, in the order of the log.
  public let marks: [LogMark]

  private let replayer: Replayer<R>
  /// For each file, the grader that decodes its lines.
  private let graders: [Replayer<R>.Grader]
  let index: SnapshotIndex
  /// Whether the steps were compared with the recording when it was opened. Otherwise each visit
  /// compares the state.
  private let isVerified: Bool
  /// The last visit, from which the next one may continue.
  private var cursor: Cursor?

  /// Reads, grades and verifies all files of a recording. Verifies that each continues where the
  /// previous one ended.
  ///
  /// If the current task is cancelled, throws `ReplayError.unreadable(.cancelled)` within one step
  /// and 256 KiB; see `LogFile`.
  ///
  /// - Parameters:
  ///   - replayer: The program. Its journal must not be used elsewhere at the same time.
  ///   - progress: Called after every 256 KiB, on the calling thread.
  /// - Throws: The errors of `Replayer.replay`, except divergences.
  public init(
    _ rotatedLog: RotatedLog, replayer: Replayer<R>, options: Options = Options(),
    progress: (@Sendable (LogProgress) -> Void)? = nil
  ) throws(ReplayError) {
    self.rotatedLog = rotatedLog
    self.replayer = replayer
    let watched = progress.map { rotatedLog.reporting(passes: 2, $0) } ?? rotatedLog
    let grading = try Grading(watched, replayer.schema, replayer.migrations, replayer.userInfo)
    if case .risky = grading.grade, !options.acceptRisk { throw .risky(grading.grade) }
    (graders, grade, warnings) = (grading.graders, grading.grade, grading.warnings)

    var pass = IndexingPass(replayer, options, firstStep: rotatedLog.firstStep)
    try pass.verify(watched, graders)
    guard let header = pass.header else {
      throw .unreadable(.changed(path: rotatedLog.segments[0].path))
    }
    self.header = header
    (index, marks, stepCount, divergence) = (pass.index, pass.marks, pass.steps, pass.divergence)
    isVerified = true
  }

  /// Navigates a recording that this process writes, of which nothing was read.
  ///
  /// - Parameters:
  ///   - index: The index of the recording, of which the positions have no other segments.
  ///   - stepCount: The last step, which has been written.
  init(
    written rotatedLog: RotatedLog, _ header: LogHeader, _ index: SnapshotIndex, _ marks: [LogMark],
    stepCount: Int, replayer: Replayer<R>
  ) {
    self.rotatedLog = rotatedLog
    self.replayer = replayer
    self.header = header
    self.stepCount = stepCount
    (self.index, self.marks) = (index, marks)
    let grader = Replayer<R>.Grader(
      from: header.schema, to: replayer.schema, migrations: [], userInfo: replayer.userInfo)
    graders = Array(repeating: grader, count: rotatedLog.segments.count)
    (divergence, warnings, grade) = (nil, [], .fine)
    isVerified = false
  }

  /// Creates a navigator for a single file, with its own step numbers.
  public convenience init(
    _ file: LogFile, replayer: Replayer<R>, options: Options = Options(),
    progress: (@Sendable (LogProgress) -> Void)? = nil
  ) throws(ReplayError) {
    try self.init(RotatedLog(file), replayer: replayer, options: options, progress: progress)
  }

  /// Returns the state after step `n`. The state at `firstStep` is the one with which the
  /// recording, or its oldest remaining file, begins.
  ///
  /// Replays the steps since the nearest kept state, or since the last visit if that is nearer. If
  /// the caller keeps the state, the next visit copies the parts that it changes.
  public func state(at n: Int) throws(ReplayError) -> R.State {
    try visit(n)
    guard let cursor else { throw noStep(n) }
    return cursor.state
  }

  /// Returns the state after step `n` as canonical JSON.
  public func json(at n: Int) throws(ReplayError) -> JSON {
    do {
      return try JSON(parsing: try CanonicalEncoder.encode(try state(at: n)))
    } catch {
      throw ReplayError(error, at: n)
    }
  }

  /// Returns the recorded step `n`, from `firstStep + 1`.
  ///
  /// Reads the lines since the nearest kept state, and reduces nothing.
  public func step(_ n: Int) throws(ReplayError) -> LogStep { try entry(ofStep: n).step }

  /// Returns step `n` with its action and its effects as the program has them now, after
  /// migrations.
  func migratedStep(
    _ n: Int
  ) throws(ReplayError) -> (step: LogStep, action: [UInt8], effects: [LogEffect]) {
    let (step, entry) = try entry(ofStep: n)
    let (action, effects) = try graders[entry.segment].migrated(step, entry.inFile)
    return (step, action, effects)
  }

  private func entry(
    ofStep n: Int
  ) throws(ReplayError) -> (step: LogStep, entry: RotatedLogReader.Entry) {
    guard n > firstStep, n <= stepCount + (divergence == nil ? 0 : 1),
      let start = index.nearest(to: n - 1)
    else { throw noStep(n) }
    do throws(LogReadError) {
      let reader = try RotatedLogReader(rotatedLog, at: start.position)
      while let entry = try reader.next() {
        if case .step(let step) = entry.line, step.n == n { return (step, entry) }
      }
    } catch {
      throw .unreadable(error)
    }
    throw noStep(n)
  }

  /// Returns the last step through `n` that meets a condition, or `nil` if there is none.
  ///
  /// Reads backwards, from kept state to kept state, and reduces nothing.
  ///
  /// - Throws: `LogReadError`, and the errors of `condition`.
  public func lastStep(
    through n: Int, where condition: (LogStep) throws -> Bool
  ) throws -> LogStep? {
    var end = min(n, stepCount)
    while end > firstStep, let start = index.nearest(to: end - 1) {
      var found: LogStep?
      let reader = try RotatedLogReader(rotatedLog, at: start.position)
      while let entry = try reader.next() {
        guard case .step(let step) = entry.line else { continue }
        if try condition(step) { found = step }
        if step.n == end { break }
      }
      if let found { return found }
      end = start.step
    }
    return nil
  }

  private func noStep(_ n: Int) -> ReplayError {
    .noStep(n, first: firstStep, last: stepCount)
  }

  /// Returns the step named by the first mark with this name.
  public func step(ofMark name: String) throws(ReplayError) -> Int {
    guard let mark = marks.first(where: { $0.name == name }) else { throw .noMark(name) }
    return mark.n
  }

  /// Returns the differences between the states after steps `a` and `b`, at most `limit` of them.
  ///
  /// Costs two visits, and encoding both states as JSON.
  public func diff(
    _ a: Int, _ b: Int, limit: Int = 50
  ) throws(ReplayError) -> StateDiff.Changes {
    StateDiff.changes(try json(at: a), try json(at: b), limit: limit)
  }

  /// Calls `body` in one pass with the states after the steps of `range`, in order, until it
  /// returns `false`.
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
        _ = replayer.step.reduce(action, into: &cursor.state, serving: logged.draws)
        cursor.step = logged.n
        if !isVerified, logged.n == n { try compare(cursor.state, with: logged, entry) }
      }
    } catch {
      throw ReplayError(error, at: cursor.step)
    }
    self.cursor = cursor
  }

  /// Compares a state with the digest of its step.
  private func compare(
    _ state: R.State, with logged: LogStep, _ entry: RotatedLogReader.Entry
  ) throws {
    guard let digest = logged.digest else { return }
    let bytes = try CanonicalEncoder.encode(state)
    let found = Digest(of: bytes)
    guard found != digest else { return }
    let start = try nearestCursor(for: logged.n - 1)
    let changes = StateDiff.changedPaths(
      try JSON(parsing: try CanonicalEncoder.encode(start.state)), try JSON(parsing: bytes))
    throw ReplayError.diverged(
      Divergence(
        step: logged.n, line: entry.inFile.number, offset: entry.inFile.offset,
        origin: logged.origin, action: logged.action,
        differences: [
          .digest(expected: digest, found: found, changes: changes, since: start.step)
        ],
        file: rotatedLog.name(of: entry.segment)))
  }

  /// Returns a cursor at the last visit, or at the nearest kept state if that is nearer.
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
        let path = rotatedLog.segments[nearest.position.segment].path
        throw ReplayError.unreadable(.changed(path: path))
      }
      let state = try graders[nearest.position.segment].state(json, entry, step: nearest.step)
      return Cursor(reader: reader, state: state.value, step: nearest.step)
    } catch {
      throw ReplayError(error, at: nearest.step)
    }
  }
}

extension LogLine {
  /// The state of the line, or `nil` if it has none.
  fileprivate var state: JSON? {
    switch self {
    case .header(let header): header.state
    case .snapshot(let snapshot): snapshot.state
    case .step, .issue, .mark, .end, .unknown: nil
    }
  }
}
