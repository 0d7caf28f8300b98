import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// The recording of a board: the hooks of its store, the recorder that they call, and the times of
/// the steps.
final class BoardRecording: Sendable {
  typealias BoardRecorder = Recorder<BoardState, BoardAction>

  /// The time of a step, for its observers.
  struct StepTime {
    /// The time in microseconds from any origin, which is the same for the recorder and the
    /// transcript.
    let time: Int64
    /// Whether the step is the first one of a recording.
    let isFirst: Bool
  }

  private struct Current {
    let recorder: BoardRecorder
    let hooks: StepHooks<BoardState, BoardAction>
    let path: String
    let options: RecordingOptions
  }

  private struct Shared {
    weak var store: Store<BoardReducer>?
    var hooks: StepHooks<BoardState, BoardAction>?
    var recorder: Current?
    /// The time of the last step. `steps` contains the steps that observers have not received.
    var time: Int64 = 0
    var steps: [StepTime] = []
    /// Whether the next step is the first one of a recording.
    var begins = false
    var problem: String?
    var hasLostRecording = false
    /// Requested marks, by the jobs after whose end they are set.
    var marks: [Int: (name: String, recorder: BoardRecorder)] = [:]
    /// How forks are recorded once the board has taken their state, by the jobs that created them.
    var forks: [Int: RecordingOptions] = [:]
  }

  private let journal: DrawJournal
  private let info: RecordingInfo
  private let dependencies: Dependencies
  private let navigators: SessionNavigators
  private let closing: CancelFlag
  private let warn: @Sendable (String) -> Void
  private let shared = Mutex(Shared())
  /// Held while a recording ends, so that a caller that finds none can rely on its last line, and
  /// while one starts, since it may end another.
  private let ending = Mutex(())

  /// Creates a recording that has not started.
  ///
  /// - Parameters:
  ///   - navigators: Has the new forks.
  ///   - closing: Set when the board is being closed. No recording starts after that.
  ///   - warn: Receives the reason when a recording ends by itself.
  init(
    _ info: RecordingInfo, journal: DrawJournal, dependencies: Dependencies,
    navigators: SessionNavigators, closing: CancelFlag, warn: @escaping @Sendable (String) -> Void
  ) {
    self.info = info
    self.journal = journal
    self.dependencies = dependencies
    self.navigators = navigators
    self.closing = closing
    self.warn = warn
  }

  /// Installs the hooks of the store. Call it once, before the first step.
  ///
  /// - Parameter onStep: Called under the store's lock with each step and the job that it ended.
  func attach(
    to store: Store<BoardReducer>,
    onStep: @escaping @Sendable (_ step: Step<BoardAction>, _ finished: Int?) -> Void
  ) {
    // Weak, because the store and this object retain the hooks.
    let hooks = StepHooks<BoardState, BoardAction>(
      willReduce: { [weak self] number in self?.current?.hooks.willReduce?(number) },
      didReduce: { [weak self] step, state in
        guard let self else { return }
        let finished = state.shell.finished
        noteTime()
        onStep(step, finished?.context.job)
        if case .resumed(_, _, let job) = step.action {
          return goOn(job, step.number, copy state)
        }
        current?.hooks.didReduce?(step, state)
        if let finished { mark(finished) }
      },
      issue: { [weak self] issue in
        guard let self else { return }
        current?.hooks.issue?(issue.redacted(by: dependencies.logger))
      })
    shared.withLock {
      $0.store = store
      $0.hooks = hooks
    }
    store.setHooks { _, _ in hooks }
  }

  /// Calls `body` between two steps, under the store's lock.
  private func betweenSteps(_ body: (_ state: borrowing BoardState, _ lastStep: Int) -> Void) {
    let (store, hooks) = shared.withLock { ($0.store, $0.hooks) }
    store?.setHooks { state, lastStep in
      body(state, lastStep)
      return hooks
    }
  }

  private var current: Current? { shared.withLock { $0.recorder } }

  private var recorder: BoardRecorder? { current?.recorder }

  /// Records the time of a step before any other work on it.
  private func noteTime() {
    let now = dependencies.clock.now
    shared.withLock {
      $0.time = max($0.time, now)
      $0.steps.append(StepTime(time: $0.time, isFirst: $0.begins))
      $0.begins = false
    }
  }

  /// Returns the time of the next step that observers receive.
  func nextStepTime() -> StepTime {
    shared.withLock { shared in
      shared.steps.isEmpty
        ? StepTime(time: shared.time, isFirst: false) : shared.steps.removeFirst()
    }
  }

  /// The running recording with its last step, or `nil` if there is none.
  var moment: SessionMoment? {
    shared.withLock { shared in
      shared.recorder.map { SessionMoment(path: $0.path, step: $0.recorder.step) }
    }
  }

  /// The reason why the recording ended by itself, or `nil` if it did not.
  var problem: String? { shared.withLock { $0.problem } }

  /// Whether a recording ended by itself, the present one or an earlier one.
  var hasLostRecording: Bool { shared.withLock { $0.hasLostRecording } }

  // MARK: Starting

  /// Records into a new file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - rotation: The rotation of files, or `nil` for a single one.
  ///   - durability: The faults that recorded steps survive.
  ///   - replaces: Whether to end a running recording. It ends once the new one has started.
  /// - Throws: `RecordingError`. A running recording then continues.
  func record(
    to path: String, _ rotation: RecordingOptions.Rotation?,
    _ durability: RecordingOptions.Durability, replaces: Bool = true
  ) throws(RecordingError) {
    let options = RecordingOptions(durability: durability, rotation: rotation)
    try begin(path, options, replaces: replaces) { state, options throws(RecordingError) in
      try BoardRecorder(
        path: path, info: infoOfNow, state: state, options: options, journal: journal,
        clock: { [self] in shared.withLock { $0.time } },
        onFailure: { [self] in lose($0.message) }, onWarning: { [self] in warn($0.message) })
    }
  }

  /// Records into a sink.
  func record(into sink: any LogSink, path: String) throws(RecordingError) {
    try begin(path, RecordingOptions(), replaces: false) { state, options throws(RecordingError) in
      try BoardRecorder(
        sink: sink, info: infoOfNow, state: state, options: options, journal: journal,
        clock: { [self] in shared.withLock { $0.time } },
        onFailure: { [self] in lose($0.message) })
    }
  }

  private var infoOfNow: RecordingInfo {
    var info = info
    info.created = dependencies.date.now
    return info
  }

  /// Starts a recording between two steps. The replaced one has all steps before.
  private func begin(
    _ path: String, _ options: RecordingOptions, replaces: Bool,
    _ make: (BoardState, RecordingOptions) throws(RecordingError) -> BoardRecorder
  ) throws(RecordingError) {
    try ending.withLock { _ throws(RecordingError) in
      var result: Result<Current?, RecordingError> = .failure(.closing)
      betweenSteps { state, lastStep in
        // Check this under the store's lock. Closing the board sets the flag and then ends the
        // recording, and would miss one that starts later.
        guard !closing.isSet else { return }
        let replaced = current
        guard replaces || replaced == nil else { return result = .failure(.attached) }
        let now = dependencies.clock.now
        shared.withLock { $0.time = now }
        var options = options
        options.baseStep = lastStep
        do throws(RecordingError) {
          start(try make(copy state, options), path, options)
          result = .success(replaced)
        } catch {
          result = .failure(error)
        }
      }
      guard let replaced = try result.get() else { return }
      _ = finish(replaced)
      // The end of the replaced recording may have failed, which is no problem of the new one.
      shared.withLock { $0.problem = $0.recorder?.recorder.failure?.description }
    }
  }

  private func start(_ recorder: BoardRecorder, _ path: String, _ options: RecordingOptions) {
    shared.withLock {
      $0.recorder = Current(
        recorder: recorder, hooks: recorder.hooks, path: path, options: options)
      $0.problem = nil
      $0.begins = true
    }
    dependencies.files.protect(recording: path)
  }

  // MARK: Ending

  /// Ends the recording. Returns `nil` if there is none or if another call has ended it. The file
  /// is complete in both cases.
  func stop() -> EndedRecording? { take(where: { _ in true })?.ended }

  /// Ends the recording if it is one that `isMeant`.
  private func take(
    where isMeant: (Current) -> Bool
  ) -> (ended: EndedRecording, options: RecordingOptions)? {
    ending.withLock { _ in
      var taken: Current?
      betweenSteps { _, _ in
        taken = shared.withLock { shared in
          guard let current = shared.recorder, isMeant(current) else { return nil }
          return shared.recorder.take()
        }
      }
      guard let taken else { return nil }
      let ended = finish(taken)
      dependencies.files.protect(recording: nil)
      return (ended, taken.options)
    }
  }

  /// Writes the last line of a recording that has no more steps.
  private func finish(_ taken: Current) -> EndedRecording {
    taken.recorder.stop()
    shared.withLock { shared in
      shared.marks = shared.marks.filter { $0.value.recorder !== taken.recorder }
    }
    return EndedRecording(
      path: taken.path, steps: taken.recorder.step,
      problem: taken.recorder.failure?.description)
  }

  private func lose(_ problem: String) {
    shared.withLock {
      $0.problem = problem
      $0.hasLostRecording = true
    }
    warn(problem)
  }

  // MARK: After a step

  /// Sets the mark that an ended job requested. Nothing of the job is running at the mark.
  private func mark(_ finished: FinishedJob) {
    let mark = shared.withLock { $0.marks.removeValue(forKey: finished.context.job) }
    // The mark may belong to a recording that was replaced in the meantime.
    if let mark, finished.status == 0, mark.recorder === recorder {
      mark.recorder.mark(mark.name)
    }
  }

  /// Records into a fork, starting with the step that took its state.
  private func goOn(_ job: Int, _ lastStep: Int, _ state: BoardState) {
    let given = shared.withLock { $0.forks.removeValue(forKey: job) }
    guard !closing.isSet, var options = given, let fork = navigators.takeContinuation(of: job)
    else { return }
    options.baseStep = lastStep
    do throws(RecordingError) {
      start(
        try BoardRecorder(
          continuing: fork.log, path: fork.path, state: state, options: options, journal: journal,
          clock: { [self] in shared.withLock { $0.time } },
          onFailure: { [self] in lose($0.message) }, onWarning: { [self] in warn($0.message) }),
        fork.path, options)
    } catch {
      // Do not warn here, under the store's lock. `resumed()` does so.
      shared.withLock {
        $0.problem = error.description
        $0.hasLostRecording = true
      }
    }
  }
}

extension BoardRecording: RecordingService {
  func begin(
    _ path: String, _ rotation: SessionRotation?, _ durability: RecordingOptions.Durability?
  ) throws {
    if let current {
      current.recorder.checkFile()
      guard !current.recorder.isRecording else { throw Failure.alreadyRecording(current.path) }
      // It ended by itself, which was reported then. What is left of it ends as by `session stop`.
      _ = take(where: { $0.recorder === current.recorder })
    }
    try dependencies.files.checkTarget(path, isRecording: true)
    try dependencies.files.makeFolder(ofRecording: path)
    do throws(RecordingError) {
      try record(
        to: path, rotation.map { RecordingOptions.Rotation(size: $0.size << 20, keep: $0.keep) },
        durability ?? .flush, replaces: false)
    } catch {
      // Another command may have started a recording in the meantime.
      if case .attached = error, let path = self.path { throw Failure.alreadyRecording(path) }
      if case .closing = error { throw Failure.cancelled }
      throw error
    }
  }

  func end() throws -> EndedRecording {
    guard let ended = stop() else { throw Failure.nothingToChange }
    return ended
  }

  func status() -> RecordingStatus {
    recorder?.checkFile()
    return shared.withLock { shared in
      RecordingStatus(
        path: shared.recorder?.path, steps: shared.recorder?.recorder.step ?? 0,
        problem: shared.problem)
    }
  }

  var path: String? { shared.withLock { $0.recorder?.path } }

  func navigator(
    of path: String, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> SessionNavigators.Navigator? {
    guard let current, current.path == path, current.recorder.isRecording else { return nil }
    return try current.recorder.navigator(
      path: path, replayer: Replayer(navigators.features), isCancelled: isCancelled)
  }

  func mark(_ name: String, behindEndOf job: Int) throws {
    let recorder = recorder
    recorder?.checkFile()
    if let failure = recorder?.failure {
      throw Failure(
        code: ExitCode.io, error: "io", message: failure.description,
        help: "'session record FILE' begins another")
    }
    guard let recorder, recorder.isRecording else { throw Failure.nothingToChange }
    shared.withLock { $0.marks[job] = (name, recorder) }
    if marks.contains(name) {
      warn("the recording has a mark '\(name)' already, which '@\(name)' goes on to mean")
    }
  }

  /// The names of the marks that were set in the running recording.
  var marks: [String] { recorder?.marks.map(\.name) ?? [] }

  func checkFork(at path: String) throws {
    guard current?.options.rotation != nil, let obstacle = RotatedLog.obstacle(at: path) else {
      return
    }
    throw Failure(forking: RecordingError.exists(path: obstacle))
  }

  func resume(_ job: Int) throws -> ForkedState {
    guard let fork = navigators.takeContinuation(of: job) else { throw Failure.endedBeforeFork }
    guard let (_, options) = take(where: { $0.path == fork.source }) else {
      try fork.end()
      throw Failure.endedBeforeFork
    }
    navigators.endContinuations()
    navigators.keep(fork, of: job)
    shared.withLock { $0.forks[job] = options }
    return ForkedState(state: fork.state, path: fork.path)
  }

  func resumed() -> RecordingStatus {
    let status = status()
    if status.path == nil, let problem = status.problem { warn(problem) }
    return status
  }
}

extension Failure {
  fileprivate static var endedBeforeFork: Failure {
    Failure(
      code: ExitCode.cannotCreate, error: "ended",
      message:
        "the recording has ended in the meantime: the fork is complete, and nothing continues in it"
    )
  }

  fileprivate static func alreadyRecording(_ path: String) -> Failure {
    Failure(
      code: ExitCode.cannotCreate, error: "recording", message: "already recording to \(path)",
      help: "'session stop' ends it")
  }
}
