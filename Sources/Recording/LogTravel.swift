import SwiftBoardJSON
import SwiftBoardStore

/// A recording whose states can be visited in any order.
///
/// Opening one grades and verifies the whole log, at the cost of a replay, and keeps sparse states on the way: the log's own snapshots
/// by their place in the file, elsewhere states of its own as canonical JSON. Their number and size are bounded, so that memory does
/// not grow with the log; a visit replays from the nearest one. With the default options any of a million steps is at most about
/// 8 000 reductions away.
///
/// Only the reducer runs, as in a replay. Not for several threads at once.
public final class LogTravel<R: Reducer> where R.State: Codable, R.Action: Codable {
  /// What a traveller may keep.
  public struct Options: Sendable {
    /// States and places of snapshots in the log, at most.
    public var snapshots = 256
    /// Bytes of states of its own, at most.
    public var snapshotBytes = 16 << 20
    /// Marks, at most; later ones are not found by name.
    public var marks = 10_000
    /// Whether to go on where decoding drops or fills in something.
    public var acceptRisk = false

    /// The defaults.
    public init() {}
  }

  private struct Cursor {
    let reader: LogReader
    var state: R.State
    var step: Int
  }

  /// What is visited.
  public let file: LogFile
  /// Its first line.
  public let header: LogHeader
  /// The last step whose state can be visited.
  public let stepCount: Int
  /// The first step at which the reducer does not do what was recorded; `stepCount` is the one before it. Nil where all agrees.
  public let divergence: Divergence?
  /// What is odd about it.
  public let warnings: [LogWarning]
  /// Whether it fits the program.
  public let grade: LogGrade
  /// In the log's order.
  public let marks: [LogMark]

  private let replayer: Replayer<R>
  private let grader: Replayer<R>.Grader
  private let index: SnapshotIndex
  /// The last visit, from which the next one may go on.
  private var cursor: Cursor?

  /// Steps between kept states. For tests.
  var stride: Int { index.stride }
  /// How many states and places are kept. For tests.
  var indexCount: Int { index.entries.count }

  /// Reads, grades and verifies a log.
  ///
  /// - Parameters:
  ///   - replayer: The program; its journal must serve nobody else meanwhile.
  ///   - progress: Called about every 10 000 steps with the step that was reached.
  /// - Throws: As `Replayer.replay`, except that a divergence is no error here.
  public init(
    _ file: LogFile, replayer: Replayer<R>, options: Options = Options(),
    progress: ((_ step: Int) -> Void)? = nil
  ) throws(ReplayError) {
    self.file = file
    self.replayer = replayer
    let graded = try replayer.graded { () throws(LogReadError) in try file.reader() }
    grader = graded.grader
    grade = graded.grader.grade
    warnings =
      graded.warnings + (graded.grader.digestsComparable ? [] : [.digestsNotCompared])
    if case .risky = grade, !options.acceptRisk { throw .risky(grade) }

    var survey = Survey(replayer, graded.grader, options)
    try survey.run(file, progress)
    guard let header = survey.header else {
      throw .encoding(step: 0, "the log changed while it was read")
    }
    self.header = header
    index = survey.index
    marks = survey.marks
    stepCount = survey.steps
    divergence = survey.divergence
  }

  /// The state after step `n`; 0 is the state the recording began with.
  ///
  /// Cost: a replay of the steps since the nearest kept state, or since the last visit where that is nearer. Keeping the value
  /// makes the next visit copy what it changes.
  public func state(at n: Int) throws(LogTravelError) -> R.State {
    try visit(n)
    guard let cursor else { throw .noStep(n, last: stepCount) }
    return cursor.state
  }

  /// The state after step `n` as JSON, in canonical form.
  public func json(at n: Int) throws(LogTravelError) -> JSON {
    do {
      return try JSON(parsing: try CanonicalEncoder.encode(try state(at: n)))
    } catch let error as LogTravelError {
      throw error
    } catch {
      throw .replay(.encoding(step: n, "\(error)"))
    }
  }

  /// What was logged of step `n`, from 1.
  ///
  /// Cost: reading the lines since the nearest kept state; nothing is reduced.
  public func step(_ n: Int) throws(LogTravelError) -> LogStep {
    guard n > 0, n <= stepCount + (divergence == nil ? 0 : 1),
      let start = index.nearest(to: n - 1)
    else { throw .noStep(n, last: stepCount) }
    do throws(LogReadError) {
      let reader = try file.reader(at: start.position)
      while let entry = try reader.next() {
        if case .step(let step) = entry.line, step.n == n { return step }
      }
    } catch {
      throw .replay(.unreadable(error))
    }
    throw .noStep(n, last: stepCount)
  }

  /// The step that the first mark of this name stands behind.
  public func step(ofMark name: String) throws(LogTravelError) -> Int {
    guard let mark = marks.first(where: { $0.name == name }) else { throw .noMark(name) }
    return mark.n
  }

  /// What differs between the states after steps `a` and `b`, at most `limit` places.
  ///
  /// Cost: two visits, and the size of both states as JSON.
  public func diff(
    _ a: Int, _ b: Int, limit: Int = 50
  ) throws(LogTravelError) -> StateDiff.Changes {
    StateDiff.changes(try json(at: a), try json(at: b), limit: limit)
  }

  /// Calls `body` with the states after the steps of `range`, in order, until it returns false. One pass.
  func forEachState(
    in range: ClosedRange<Int>, _ body: (Int, R.State) throws -> Bool
  ) throws {
    for n in range {
      try visit(n)
      guard let cursor, try body(n, cursor.state) else { return }
    }
  }

  /// Moves the cursor to step `n`.
  private func visit(_ n: Int) throws(LogTravelError) {
    guard n >= 0, n <= stepCount else {
      if let divergence, n >= divergence.step { throw .diverged(step: n, divergence) }
      throw .noStep(n, last: stepCount)
    }
    var cursor = try departure(for: n)
    self.cursor = nil
    do {
      while cursor.step < n {
        guard let entry = try cursor.reader.next() else {
          throw LogTravelError.noStep(n, last: cursor.step)
        }
        guard case .step(let logged) = entry.line else { continue }
        let action = try grader.action(logged, entry)
        replayer.journal.beginReduction(serving: logged.draws)
        _ = replayer.reducer.reduce(&cursor.state, action, replayer.dependencies)
        _ = replayer.journal.endReplayedReduction()
        cursor.step = logged.n
      }
    } catch let error as LogTravelError {
      throw error
    } catch let error as LogReadError {
      throw .replay(.unreadable(error))
    } catch let error as LogObstacle {
      throw .replay(.impossible(error))
    } catch {
      throw .replay(.encoding(step: cursor.step, "\(error)"))
    }
    self.cursor = cursor
  }

  /// The last visit, or the nearest kept state where that is nearer.
  private func departure(for n: Int) throws(LogTravelError) -> Cursor {
    guard let nearest = index.nearest(to: n) else { throw .noStep(n, last: stepCount) }
    if let cursor, cursor.step <= n, cursor.step >= nearest.step { return cursor }
    do {
      let reader = try file.reader(at: nearest.position)
      if let bytes = nearest.state {
        return Cursor(
          reader: reader, state: try CanonicalDecoder.decode(R.State.self, from: bytes),
          step: nearest.step)
      }
      guard let entry = try reader.next(), case .snapshot(let snapshot) = entry.line else {
        throw ReplayError.encoding(step: nearest.step, "the log changed while it was read")
      }
      return Cursor(
        reader: reader, state: try grader.state(snapshot.state, entry, step: snapshot.n).value,
        step: snapshot.n)
    } catch let error as ReplayError {
      throw .replay(error)
    } catch let error as LogReadError {
      throw .replay(.unreadable(error))
    } catch let error as LogObstacle {
      throw .replay(.impossible(error))
    } catch {
      throw .replay(.encoding(step: nearest.step, "\(error)"))
    }
  }
}

extension LogTravel {
  /// The first pass over a log that was graded: verifies it and keeps states.
  private struct Survey {
    private var run: ReplayRun<R>
    private let options: Options
    private(set) var index: SnapshotIndex
    private(set) var header: LogHeader?
    private(set) var marks: [LogMark] = []
    private(set) var divergence: Divergence?

    /// The last step that agreed.
    var steps: Int { min(run.steps, divergence.map { $0.step - 1 } ?? run.steps) }

    init(_ replayer: Replayer<R>, _ grader: Replayer<R>.Grader, _ options: Options) {
      run = ReplayRun(replayer, grader, nil)
      self.options = options
      index = SnapshotIndex(capacity: options.snapshots, byteLimit: options.snapshotBytes)
    }

    mutating func run(
      _ file: LogFile, _ progress: ((Int) -> Void)?
    ) throws(ReplayError) {
      do {
        let reader = try file.reader()
        var position = reader.position
        while let entry = try reader.next() {
          try keepState(before: entry, at: position)
          try run.take(entry, reader)
          switch entry.line {
          case .header(let line): header = line
          case .mark(let mark) where marks.count < options.marks: marks.append(mark)
          case .step(let step) where step.n.isMultiple(of: 10_000): progress?(step.n)
          default: break
          }
          position = reader.position
        }
        // A log without steps.
        if index.entries.isEmpty, let state = run.state {
          index.add(
            .init(step: 0, position: position, state: try CanonicalEncoder.encode(state)))
        }
      } catch ReplayError.diverged(let found) {
        divergence = found
      } catch let error as ReplayError {
        throw error
      } catch let error as LogReadError {
        throw .unreadable(error)
      } catch {
        throw .encoding(step: run.steps, "\(error)")
      }
    }

    private mutating func keepState(before entry: LogReader.Entry, at position: LogPosition) throws
    {
      switch entry.line {
      case .snapshot(let snapshot):
        guard index.wantsSnapshot(of: snapshot.n) else { return }
        index.add(.init(step: snapshot.n, position: position, state: nil))
      case .step(let step):
        guard index.wantsState(after: step.n - 1), let state = run.state else { return }
        index.add(
          .init(
            step: step.n - 1, position: position, state: try CanonicalEncoder.encode(state)))
      default: break
      }
    }
  }
}
