import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Sends what people did in a recording to a real store, and compares the actions that follow: a
/// regression run, not a replay.
///
/// A recording that was rotated is one, whose steps are numbered through. All of its files are
/// read, joined and decoded before anything is sent.
///
/// Only actions of `by.user` and `by.link` are sent, each when the step before it in the recording
/// has been reduced; all others are expected to come from the store's own effects. What the store's
/// services answer is up to them, so with live services two runs may rightly differ, and where
/// several effects run at once their order is compared as well.
///
/// An action is known to be missing as soon as nothing is running: all sent actions have ended,
/// with their effects and what they caused, and the state agrees, if the program can decide that
/// from the state (`isUnderWay`).
public struct LiveReplay<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// A recording that can be run.
  public struct Recording: Sendable {
    /// The state that it begins with, to make a store with.
    public let initialState: R.State
    /// Its files.
    public let rotatedLog: RotatedLog
    /// For each file.
    fileprivate let graders: [Replayer<R>.Grader]
  }

  /// The first position at which the sequences of actions differ.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// Another action was reduced; `changes` are the first positions at which it differs, `old`
    /// what was recorded.
    case other(step: Int, expected: JSON, found: JSON, changes: StateDiff.Changes)
    /// The store came to rest, or took longer than the patience, without the action.
    case missing(step: Int, expected: JSON)

    /// The step of the recording.
    public var step: Int {
      switch self {
      case .other(let step, _, _, _), .missing(let step, _): step
      }
    }

    public var description: String {
      switch self {
      case .other(let step, _, _, let changes):
        (["step \(step): the action is not the recorded one"]
          + changes.entries.map { change in
            let (expected, found) = StateDiff.excerpts(change.old, change.new)
            return "  \(change.path): expected \(expected), found \(found)"
          } + (changes.isTruncated ? ["  … and more"] : [])).joined(separator: "\n")
      case .missing(let step, let expected):
        "step \(step): expected the action \(StateDiff.text(expected)), and nothing came"
      }
    }
  }

  /// How far a recording and a store agreed.
  public struct Report: Sendable, Hashable {
    /// Actions that were sent.
    public let sent: Int
    /// Steps that agreed.
    public let agreed: Int
    /// Nil if all did.
    public let difference: Difference?
  }

  private enum Event: Sendable {
    /// Nil if the action is not compared.
    case reduced(JSON?, isUnderWay: Bool)
    /// All that an action that was sent set going has ended; what it led to is in front of this.
    case ended
    /// The patience of the wait for this step is over.
    case late(Int)
  }

  private let schema: LogSchema
  private let migrations: [LogMigration]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private let isUnderWay: @Sendable (R.State) -> Bool
  private let isCompared: @Sendable (R.Action) -> Bool
  private let ignored: [JSONPathPattern]
  /// Where the ends of what was sent are awaited. For tests.
  var executor: (any TaskExecutor)?

  /// The program's schema, and how older actions become its own.
  ///
  /// - Parameters:
  ///   - userInfo: What the `init(from:)` of states and actions finds as its decoder's `userInfo`.
  ///   - isUnderWay: Whether a state says that more will come, whatever has become of the effects
  ///     of what was sent: for programs whose observers send as well. Called after every step, on
  ///     the thread that reduced it.
  ///   - isCompared: Whether an action takes part. What does not is neither sent nor expected, and
  ///     passed over where the store reduces it: for what is about the recording itself. Called as
  ///     `isUnderWay` is.
  ///   - ignoring: Members of actions that may differ from run to run: timings, dates, ports. Paths
  ///     begin at the whole action, and are written as a difference names them.
  public init(
    schema: LogSchema, migrations: [LogMigration] = [],
    userInfo: [CodingUserInfoKey: any Sendable] = [:],
    isUnderWay: @escaping @Sendable (R.State) -> Bool = { _ in false },
    isCompared: @escaping @Sendable (R.Action) -> Bool = { _ in true },
    ignoring ignored: [JSONPathPattern] = []
  ) {
    self.schema = schema
    self.migrations = migrations
    self.userInfo = userInfo
    self.isUnderWay = isUnderWay
    self.isCompared = isCompared
    self.ignored = ignored
  }

  /// Makes sure that a recording can be run: reads every file to its end, twice where there are
  /// several, and sees that each continues where the one before it ended and that every line
  /// decodes. What decoding drops or fills in is no obstacle here: only actions are compared, as
  /// this program writes them.
  ///
  /// - Throws: What is wrong, with the name of the file where there are several, and step numbers
  ///   of the whole recording.
  public func open(_ rotatedLog: RotatedLog) throws(ReplayError) -> Recording {
    try rotatedLog.checkJoints()
    let graders = try LogNavigator<R>.Grading(rotatedLog, schema, migrations, userInfo).graders
    do {
      let reader = try RotatedLogReader(rotatedLog)
      guard let entry = try reader.nextInFile(), case .header(let header) = entry.line else {
        throw ReplayError.encoding(step: rotatedLog.firstStep, "the log changed while it was read")
      }
      return Recording(
        initialState: try graders[0].state(header.state, entry, step: 0).value,
        rotatedLog: rotatedLog,
        graders: graders)
    } catch {
      throw ReplayError(error, at: rotatedLog.firstStep)
    }
  }

  /// Opens a recording, one file or several, and runs it: as for what `open` gives.
  ///
  /// - Throws: As `open` before anything is sent, and as the run.
  public func run(
    _ rotatedLog: RotatedLog, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    try await run(try open(rotatedLog), on: store, patience: patience, clock: clock)
  }

  /// Opens one file by itself and runs it: its steps have the numbers that they have in it.
  public func run(
    _ file: LogFile, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    try await run(RotatedLog(file), on: store, patience: patience, clock: clock)
  }

  /// Runs a recording against a store in the state that the recording began with. The store must
  /// not receive other actions meanwhile.
  ///
  /// The log is read as it is needed: memory does not grow with it. Actions that come after the
  /// recording's last step are no difference, since a recording may be stopped while effects run.
  ///
  /// Cancelling the task ends it with `ReplayError.unreadable(.cancelled)`; what was sent runs on
  /// until the store ends.
  ///
  /// - Parameters:
  ///   - patience: How long an effect's action may take.
  ///   - clock: Measures it.
  public func run(
    _ recording: Recording, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observation = store.observe { [isUnderWay, isCompared] step, state in
      var action: JSON?
      if isCompared(step.action) {
        let bytes = try? CanonicalEncoder.encode(step.action)
        action = (try? JSON(parsing: bytes ?? [])) ?? .null
      }
      continuation.yield(.reduced(action, isUnderWay: isUnderWay(copy state)))
    }
    defer {
      observation.cancel()
      continuation.finish()
    }
    // Commands that a state in the middle of a recording lists as running have no effects here, and
    // cause nothing.
    var life = Life(
      events: events.makeAsyncIterator(),
      isUnderWay: !store.effects.isEmpty && isUnderWay(store.state))
    var (sent, agreed) = (0, 0)
    do {
      let reader = try RotatedLogReader(recording.rotatedLog)
      while let entry = try reader.next() {
        guard case .step(let step) = entry.line else { continue }
        let action = try recording.graders[entry.segment].action(step, entry.inFile)
        guard isCompared(action) else { continue }
        // As this program writes it, so that a migrated action can be compared.
        let expected = try JSON(parsing: try CanonicalEncoder.encode(action))
        switch step.origin {
        case .user, .link:
          let task = store.send(action, origin: step.origin)
          Task(executorPreference: executor) {
            await task.finish()
            continuation.yield(.ended)
          }
          sent += 1
          life.running += 1
        case .effect, .program: break
        }
        let found = await next(&life, continuation, step.n, patience, clock)
        if Task.isCancelled { throw LogReadError.cancelled }
        guard let found else {
          return Report(
            sent: sent, agreed: agreed, difference: .missing(step: step.n, expected: expected))
        }
        let changes = StateDiff.changes(expected, found, limit: 5, ignoring: ignored)
        guard changes.isEmpty else {
          return Report(
            sent: sent, agreed: agreed,
            difference: .other(
              step: step.n, expected: expected, found: found, changes: changes))
        }
        agreed += 1
      }
    } catch {
      throw ReplayError(error, at: recording.rotatedLog.firstStep + agreed + 1)
    }
    return Report(sent: sent, agreed: agreed, difference: nil)
  }

  /// What is known of the store.
  private struct Life {
    var events: AsyncStream<Event>.Iterator
    /// Of what was sent, how much has not ended.
    var running = 0
    /// What the last state says.
    var isUnderWay: Bool
  }

  /// The next action that is reduced; nil if none can come, or none does in time.
  private func next(
    _ life: inout Life, _ continuation: AsyncStream<Event>.Continuation, _ number: Int,
    _ patience: Duration, _ clock: any Clock<Duration>
  ) async -> JSON? {
    let watch = Task {
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      continuation.yield(.late(number))
    }
    defer { watch.cancel() }
    while life.running > 0 || life.isUnderWay, let event = await life.events.next(isolation: nil) {
      switch event {
      case .reduced(let action, let isUnderWay):
        life.isUnderWay = isUnderWay
        if let action { return action }
      case .ended: life.running -= 1
      case .late(number): return nil
      case .late: continue
      }
    }
    return nil
  }
}
