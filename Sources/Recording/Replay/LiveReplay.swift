import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Sends the user's actions of a recording to a live store, and compares the actions that follow.
/// This is a regression run, not a replay.
///
/// A rotated recording is one recording, whose steps are numbered across its files. All of its
/// files are read, joined and decoded before anything is sent.
///
/// Sends only the actions of `by.user` and `by.link`, and those of `by.program` that the program
/// names, each after the previous step of the recording has been reduced. All other actions are
/// expected from the store's own effects. With live services, two runs may legitimately differ. If
/// several effects run concurrently, their order is compared, too.
///
/// An action is missing if nothing can cause it: all sent actions, their effects and the actions
/// that these sent have ended, and `isUnderWay` returns `false` for the state.
public struct LiveReplay<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// A recording that can be run.
  public struct Recording: Sendable {
    /// The initial state, to create a store with.
    public let initialState: R.State
    /// The files of the recording.
    public let rotatedLog: RotatedLog
    /// The warnings about the recording.
    public let warnings: [LogWarning]
    /// One grader for each file.
    fileprivate let graders: [Replayer<R>.Grader]
  }

  /// The first position at which the sequences of actions differ.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// Another action was reduced. `changes` are the first positions at which it differs, and `old`
    /// is the recorded value.
    case other(step: Int, expected: JSON, found: JSON, changes: StateDiff.Changes)
    /// The action was not reduced before the store became idle or the patience ended. `notSent` is
    /// the name of the program that sent it to the recorded store, if the replay sends no actions
    /// of this program. It is `nil` if an effect sent the action.
    case missing(step: Int, expected: JSON, notSent: String? = nil)

    /// The step of the recording.
    public var step: Int {
      switch self {
      case .other(let step, _, _, _), .missing(let step, _, _): step
      }
    }

    /// The step, with the recorded and the reduced value.
    public var description: String {
      switch self {
      case .other(let step, _, _, let changes):
        (["step \(step): the action is not the recorded one"]
          + changes.entries.map { change in
            let (expected, found) = StateDiff.excerpts(change.old, change.new)
            return "  \(change.path): expected \(expected), found \(found)"
          } + (changes.isTruncated ? ["  ... and more"] : [])).joined(separator: "\n")
      case .missing(let step, let expected, let notSent):
        "step \(step): expected the action \(StateDiff.text(expected)), and nothing came"
          + (notSent.map(Self.hint) ?? "")
      }
    }

    /// Says why an action of a program was not sent.
    private static func hint(_ program: String) -> String {
      let sender =
        program.isEmpty
        ? "code that passed no origin to `send`, which is recorded as the program \"\""
        : "the program \"\(program)\""
      return "\n  it was sent by \(sender); only actions of `.user` and `.link` are sent again: "
        + "pass `sending: [\"\(program)\"]`, or an origin when recording"
    }
  }

  /// The result of a run.
  public struct Report: Sendable, Hashable {
    /// The number of actions of `by.user` and `by.link` that were sent.
    public let sent: Int
    /// The number of steps that matched the recording.
    public let agreed: Int
    /// The first difference, or `nil` if all steps matched.
    public let difference: Difference?
  }

  private enum Event: Sendable {
    /// A reduced action, or `nil` if it is not compared.
    case reduced(JSON?, isUnderWay: Bool)
    /// A sent action and all of its effects have ended. The actions that they caused precede this
    /// event.
    case ended
    /// The patience for this step has ended.
    case late(Int)
  }

  private let schema: LogSchema
  private let migrations: [LogMigration]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private let isUnderWay: @Sendable (R.State) -> Bool
  private let isCompared: @Sendable (R.Action) -> Bool
  private let sentPrograms: Set<String>
  private let ignored: [JSONPathPattern]
  /// The executor on which the ends of sent actions are awaited. For tests.
  var executor: (any TaskExecutor)?

  /// Creates a run for a program.
  ///
  /// - Parameters:
  ///   - userInfo: The `userInfo` of the decoder of states and actions.
  ///   - isUnderWay: Returns whether more actions will follow a state, even if all effects of the
  ///     sent actions have ended. For programs whose observers send actions. Called after every
  ///     step, on the thread that reduced it.
  ///   - isCompared: Returns whether an action is compared. Other actions are neither sent nor
  ///     expected, and are ignored if the store reduces them. For actions that control the
  ///     recording itself. Called like `isUnderWay`.
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
    self.isUnderWay = isUnderWay
    self.isCompared = isCompared
    self.sentPrograms = sentPrograms
    self.ignored = ignored
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
        throw ReplayError.encoding(step: rotatedLog.firstStep, "the log changed while it was read")
      }
      return Recording(
        initialState: try grading.graders[0].state(header.state, entry, step: 0).value,
        rotatedLog: rotatedLog, warnings: grading.warnings, graders: grading.graders)
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
  /// The log is read on demand, so memory does not grow with it. Actions after the recording's last
  /// step are not a difference, since a recording may be stopped while effects run.
  ///
  /// If the task is cancelled, throws `ReplayError.unreadable(.cancelled)`. The effects of sent
  /// actions continue until the store ends.
  ///
  /// - Parameters:
  ///   - patience: The longest time to wait for an action of an effect.
  ///   - clock: The clock that measures the patience.
  ///   - folder: The folder of the run's own files. A text that contains its path equals the
  ///     recorded one with the path of another folder there.
  public func run(
    _ recording: Recording, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock(), filesIn folder: String? = nil
  ) async throws(ReplayError) -> Report {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observation = observe(store, continuation)
    defer {
      observation.cancel()
      continuation.finish()
    }
    // Commands that a state in the middle of a recording lists as running have no effects here, so
    // they send nothing.
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
        // Encoded by this program, so that a migrated action can be compared.
        let expected = try JSON(parsing: try CanonicalEncoder.encode(action))
        if isSent(step.origin) {
          send(action, step.origin, to: store, continuation)
          if case .program = step.origin {} else { sent += 1 }
          life.running += 1
        }
        let found = await next(&life, continuation, step.n, patience, clock)
        if Task.isCancelled { throw LogReadError.cancelled }
        guard let found else {
          return Report(
            sent: sent, agreed: agreed,
            difference: .missing(
              step: step.n, expected: expected, notSent: unsentProgram(step.origin)))
        }
        let changes = changes(expected, found, filesIn: folder)
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

  /// Reports each step of the store as an event.
  private func observe(
    _ store: Store<R>, _ continuation: AsyncStream<Event>.Continuation
  ) -> ObservationToken {
    store.observe { [isUnderWay, isCompared] step, state in
      var action: JSON?
      if isCompared(step.action) {
        let bytes = try? CanonicalEncoder.encode(step.action)
        action = (try? JSON(parsing: bytes ?? [])) ?? .null
      }
      continuation.yield(.reduced(action, isUnderWay: isUnderWay(copy state)))
    }
  }

  /// Sends an action, and reports the end of its effects as an event.
  private func send(
    _ action: R.Action, _ origin: StepOrigin, to store: Store<R>,
    _ continuation: AsyncStream<Event>.Continuation
  ) {
    let task = store.send(action, origin: origin)
    Task(executorPreference: executor) {
      await task.finish()
      continuation.yield(.ended)
    }
  }

  /// Returns the first positions at which a reduced action differs from the recorded one.
  private func changes(
    _ expected: JSON, _ found: JSON, filesIn folder: String?
  ) -> StateDiff.Changes {
    let changes = StateDiff.changes(expected, found, limit: 5, ignoring: ignored)
    guard !changes.isEmpty, let folder else { return changes }
    return StateDiff.changes(
      expected, found.naming(folder, as: expected), limit: 5, ignoring: ignored)
  }

  /// Returns the name of the program whose actions are not sent, or `nil` for another sender.
  private func unsentProgram(_ origin: StepOrigin) -> String? {
    if case .program(let name) = origin, !isSent(origin) { name } else { nil }
  }

  private func isSent(_ origin: StepOrigin) -> Bool {
    switch origin {
    case .user, .link: true
    case .program(let name): sentPrograms.contains(name)
    case .effect: false
    }
  }

  /// The progress of the store.
  private struct Life {
    var events: AsyncStream<Event>.Iterator
    /// The number of sent actions that have not ended.
    var running = 0
    /// The result of `isUnderWay` for the last state.
    var isUnderWay: Bool
  }

  /// Returns the next reduced action, or `nil` if none can follow or the patience ends first.
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

extension JSON {
  /// Returns the value with the recorded text in place of each text that differs from it only in
  /// the path of a folder.
  ///
  /// Cost: O(size).
  fileprivate func naming(_ folder: String, as recorded: JSON?) -> JSON {
    switch (self, recorded) {
    case (.string(let text), .string(let other)?):
      return text.isSame(as: other, besides: folder) ? .string(other) : self
    case (.array(let elements), .array(let others)?):
      return .array(
        elements.enumerated().map { index, element in
          element.naming(folder, as: index < others.count ? others[index] : nil)
        })
    case (.object(let members), .object?):
      return .object(
        members.map { .init($0.key, $0.value.naming(folder, as: recorded?[$0.key])) })
    default: return self
    }
  }
}

extension String {
  /// Whether `recorded` is this text with another path in each place of `folder`.
  fileprivate func isSame(as recorded: String, besides folder: String) -> Bool {
    let parts = split(separator: folder, omittingEmptySubsequences: false)
    let places = parts.count - 1
    guard places > 0, recorded.hasPrefix(parts[0]) else { return false }
    let kept = parts.reduce(0) { $0 + $1.utf8.count }
    let (length, rest) = (recorded.utf8.count - kept).quotientAndRemainder(dividingBy: places)
    guard length > 0, rest == 0 else { return false }
    let bytes = recorded.utf8.dropFirst(parts[0].utf8.count).prefix(length)
    let path = String(decoding: bytes, as: UTF8.self)
    guard path.hasPrefix("/"), !path.contains(where: \.isNewline) else { return false }
    return parts.joined(separator: path) == recorded
  }
}
