import SwiftBoardJSON
import SwiftBoardStore

/// Sends the user's actions of a recording to a live store, and compares the actions that follow.
/// This is a regression run, not a replay.
///
/// A rotated recording is one recording, whose steps are numbered across its files. All of its
/// files are read, joined and decoded before anything is sent.
///
/// Sends only the actions of `by.user` and `by.link`, and those of `by.program` that the program
/// names. All other actions are expected from the store's own effects. With live services, two runs
/// may legitimately differ.
///
/// Actions are reduced in the order of the recording. An action of an effect waits until it is the
/// next one, so that effects that run concurrently may end in another order, and each step meets
/// the state that it met when it was recorded.
///
/// An action is compared with the recorded one that has the same cause: the effect that sent it and
/// the step that returned this effect. It is missing if no effect of that step runs. An action of a
/// program that is not sent is missing if no effect runs and `isUnderWay` returns `false`.
public struct LiveReplay<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// A recording that can be run.
  public struct Recording: Sendable {
    /// The initial state, to create a store with.
    public let initialState: R.State
    /// The files of the recording.
    public let rotatedLog: RotatedLog
    /// The seed of the recording's random numbers.
    public let seed: UInt64
    /// The warnings about the recording.
    public let warnings: [LogWarning]
    /// One grader for each file.
    let graders: [Replayer<R>.Grader]
  }

  /// The rules by which actions are sent and compared.
  struct Rules: Sendable {
    let isUnderWay: @Sendable (R.State) -> Bool
    let isCompared: @Sendable (R.Action) -> Bool
    let sentPrograms: Set<String>
    let ignored: [JSONPathPattern]

    /// Whether an action is that of a user or a link.
    func isOfUser(_ origin: StepOrigin) -> Bool {
      switch origin {
      case .user, .link: true
      case .program, .effect: false
      }
    }

    /// Whether the replay sends actions of an origin.
    func isSent(_ origin: StepOrigin) -> Bool {
      if case .program(let name) = origin { sentPrograms.contains(name) } else { isOfUser(origin) }
    }

    /// Returns the name of the program whose actions are not sent, or `nil` for another sender.
    func unsentProgram(_ origin: StepOrigin) -> String? {
      if case .program(let name) = origin, !isSent(origin) { name } else { nil }
    }

    /// Returns an action as it is compared.
    func value(_ action: R.Action) -> JSON {
      let bytes = try? CanonicalEncoder.encode(action)
      return (try? JSON(parsing: bytes ?? [])) ?? .null
    }
  }

  private let schema: LogSchema
  private let migrations: [LogMigration]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private let rules: Rules

  /// Creates a run for a program.
  ///
  /// - Parameters:
  ///   - userInfo: The `userInfo` of the decoder of states and actions.
  ///   - isUnderWay: Returns whether more actions will follow a state, even if all effects have
  ///     ended. For programs whose observers send actions.
  ///   - isCompared: Returns whether an action is compared. Other actions are neither sent nor
  ///     expected, and are reduced when they come. A task that sends one is waited for, because
  ///     what follows may read what it changes. For actions that control the recording itself.
  ///   - sentPrograms: The names of `by.program` whose actions are sent, because their senders do
  ///     not run beside the store in a live replay. Pass `[""]` for actions that were sent without
  ///     an origin.
  ///   - ignored: The members of actions that may differ between runs, such as timings, dates and
  ///     ports. Paths begin at the whole action, in the form in which differences name them.
  public init(
    schema: LogSchema, migrations: [LogMigration] = [],
    userInfo: [CodingUserInfoKey: any Sendable] = [:],
    isUnderWay: @escaping @Sendable (R.State) -> Bool = { _ in false },
    isCompared: @escaping @Sendable (R.Action) -> Bool = { _ in true },
    sending sentPrograms: Set<String> = [],
    ignoring ignored: [JSONPathPattern] = []
  ) {
    self.schema = schema
    self.migrations = migrations
    self.userInfo = userInfo
    rules = Rules(
      isUnderWay: isUnderWay, isCompared: isCompared, sentPrograms: sentPrograms, ignored: ignored)
  }

  /// Opens a recording and verifies that it can be run.
  ///
  /// Reads every file to its end, or twice if there are several. Verifies that each continues where
  /// the previous one ended, and that every line decodes. Decoding may drop values or fill in
  /// defaults, since only actions are compared, in the form in which this program writes them.
  ///
  /// - Throws: The first error, with the name of its file if there are several, and with step
  ///   numbers of the whole recording.
  public func open(_ rotatedLog: RotatedLog) throws(ReplayError) -> Recording {
    try rotatedLog.checkJoints()
    let grading = try LogNavigator<R>.Grading(rotatedLog, schema, migrations, userInfo)
    do {
      let reader = try RotatedLogReader(rotatedLog)
      guard let entry = try reader.nextInFile(), case .header(let header) = entry.line else {
        throw ReplayError.unreadable(.changed(path: rotatedLog.segments[0].path))
      }
      return Recording(
        initialState: try grading.graders[0].state(header.state, entry, step: 0).value,
        rotatedLog: rotatedLog, seed: header.seed, warnings: grading.warnings,
        graders: grading.graders)
    } catch {
      throw ReplayError(error, at: rotatedLog.firstStep)
    }
  }

  /// Opens a recording and runs it.
  ///
  /// - Throws: The errors of `open`, before anything is sent, and those of the run.
  public func run(
    _ rotatedLog: RotatedLog, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    try await run(try open(rotatedLog), on: store, patience: patience, clock: clock)
  }

  /// Opens a single file and runs it, with its own step numbers.
  public func run(
    _ file: LogFile, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    try await run(RotatedLog(file), on: store, patience: patience, clock: clock)
  }

  /// Runs a recording on a store.
  ///
  /// The store must be in the state that the recording began with, and must not receive other
  /// actions during the run.
  ///
  /// The log is read on demand; memory grows by 8 bytes a step. Actions after the recording's last
  /// step are not a difference, since a recording may be stopped while effects run.
  ///
  /// If the task is cancelled, throws `ReplayError.unreadable(.cancelled)`. The effects of sent
  /// actions continue until the store ends.
  ///
  /// - Parameters:
  ///   - store: A store in the state that the recording begins with. Actions of its subscriptions
  ///     are expected if the recording has them: with `startsSubscriptions: false`, call
  ///     `startSubscriptions()` first.
  ///   - patience: The longest time to wait for an action of an effect.
  ///   - patienceByEffect: The same for effects of these names.
  ///   - clock: The clock that measures the patience.
  ///   - folder: The folder of the run's own files. A text that contains its path equals the
  ///     recorded one with the path of another folder there.
  public func run(
    _ recording: Recording, on store: Store<R>, patience: Duration = .seconds(30),
    patienceByEffect: [String: Duration] = [:],
    clock: any Clock<Duration> = ContinuousClock(), filesIn folder: String? = nil
  ) async throws(ReplayError) -> Report {
    var run = await LiveRun(
      store, rules, patience: patience, patienceByEffect, clock: clock, filesIn: folder)
    defer { run.end() }
    var (sent, agreed) = (0, 0)
    do {
      let reader = try RotatedLogReader(recording.rotatedLog)
      while let entry = try reader.next() {
        guard case .step(let step) = entry.line else { continue }
        let action = try recording.graders[entry.segment].action(step, entry.inFile)
        guard rules.isCompared(action) else {
          try await run.passUncompared(step)
          continue
        }
        // Encoded by this program, so that a migrated action can be compared.
        let expected = ExpectedAction(
          step: step, value: try JSON(parsing: try CanonicalEncoder.encode(action)))
        let difference: Difference?
        if rules.isSent(step.origin) {
          difference = run.send(action, as: expected)
          if difference == nil, rules.isOfUser(step.origin) { sent += 1 }
        } else {
          difference = try await run.receive(expected)
        }
        if let difference { return Report(sent: sent, agreed: agreed, difference: difference) }
        agreed += 1
      }
      return Report(
        sent: sent, agreed: agreed, difference: try await run.additionalAction())
    } catch {
      throw ReplayError(error, at: recording.rotatedLog.firstStep + agreed + 1)
    }
  }
}
