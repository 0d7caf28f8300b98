import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// A board at work: the store, its recording, and what it prints. It is what `swiftboard` runs, and
/// what another tool embeds to run the same lines.
public final class Board: Sendable {
  /// The store, for looking at its state and effects. Lines go through the board, which gives them
  /// their context.
  public let store: Store<BoardReducer>
  let features: FeatureList
  private let dependencies: Dependencies
  private let journal: DrawJournal
  private let info: RecordingInfo
  private let sink: @Sendable (BoardOutput) -> Void
  private let onBackgroundEnd: @Sendable (FinishedJob) -> Int32?
  private let travels: SessionTravels
  private let shared: Mutex<Shared>
  /// Set once everything ends: what comes then is not sent any more.
  private let closing: CancelFlag
  /// Held while a recording ends, so that who finds none may rely on its last line.
  private let recordingEnd = Mutex(())

  private typealias BoardRecorder = Recorder<BoardState, BoardAction>

  private struct Shared {
    var renderer = BoardRenderer(isReplay: false)
    var recorder: (recorder: BoardRecorder, path: String)?
    /// The time of the last step, and of those whose observers have not been told yet.
    var time: Int64 = 0
    var times: [Int64] = []
    var waiting: [Int: [CheckedContinuation<Int32, Never>]] = [:]
    /// Ends that are asked for, and those of them that have come.
    var ends: [Int: CommandEnd?] = [:]
    /// How commands ended: a few bytes for each, for whatever waits later and as often as it likes.
    var ended: [Int: Int32] = [:]
    /// What `close()` does, for everybody who calls it.
    var end: Task<Void, Never>?
    /// No further step comes: commands that have not ended do not end any more.
    var isOver = false
    var nextJob = 0
    var problem: String?
    /// Whether any recording ended by itself.
    var hasLostRecording = false
    /// The commands of the steps that returned effects, for as long as the commands run.
    var jobs: [Int: Int] = [:]
    /// The command that waits for the board to go on in a fork.
    var forking: (fork: SessionForked, finished: FinishedJob)?

    /// Remembers which command a step belongs to, for what its effects throw.
    ///
    /// - Parameter finished: The command that the step ended.
    mutating func noteJob(of step: Step<BoardAction>, finished: Int?) {
      if let finished, !jobs.isEmpty { jobs = jobs.filter { $0.value != finished } }
      guard !step.effects.isEmpty else { return }
      var job = step.action.started?.job
      if job == nil, case .effect(_, _, let cause) = step.origin { job = jobs[cause] }
      if let job, job != finished { jobs[step.number] = job }
    }
  }

  /// - Parameters:
  ///   - features: Those that `state` was made with.
  ///   - seed: For the header of recordings.
  ///   - onBackgroundEnd: Called when a command with `&` has ended, after what it prints. Its code,
  ///     if any, takes the place of the command's.
  ///   - sink: Prints; called in the order of the steps, after the step's line is in the recording.
  public init(
    features: FeatureList, state: BoardState, dependencies: Dependencies, seed: UInt64,
    sink: @escaping @Sendable (BoardOutput) -> Void,
    onBackgroundEnd: @escaping @Sendable (FinishedJob) -> Int32? = { _ in nil }
  ) {
    let journal = DrawJournal()
    let failures = EffectFailures()
    let travels = SessionTravels(features)
    self.features = features
    let shared = Mutex(Shared())
    let closing = CancelFlag()
    self.closing = closing
    self.dependencies = dependencies
    self.journal = journal
    self.travels = travels
    self.sink = sink
    self.onBackgroundEnd = onBackgroundEnd
    self.shared = shared
    info = RecordingInfo(
      schema: features.schema, created: dependencies.date.now,
      environment: state.settings.environment.rawValue, seed: String(seed))
    store = Store(
      initialState: state, reducer: BoardReducer(features, travels: travels),
      dependencies: dependencies.intercepted(by: journal.interceptor),
      onIssue: { [logger = dependencies.logger] issue in
        logger.log(issue.description, level: .error, category: "store")
        // What was typed or answered while everything ends comes too late, and is nobody's mistake.
        guard !closing.isSet, !failures.take(issue) else { return }
        sink(
          BoardOutput(
            stream: .standardError,
            text: "internal error: \(issue.redacted(by: dependencies.logger))\n", job: 0))
      })
    failures.handler.withLock { $0 = { [weak self] in self?.end(failing: $0) ?? false } }
    store.setHooks { [self] _, _ in hooks(nil) }
    store.observe { [weak self] step, state in self?.observe(step, state) }
  }

  /// What the board knows of secrets.
  var redactor: Redactor { dependencies.logger.redactor }

  // MARK: Commands

  /// A number for the next command.
  public func nextJob() -> Int {
    shared.withLock { shared in
      shared.nextJob += 1
      return shared.nextJob
    }
  }

  /// Sends the action that starts a command and waits until the command has ended.
  ///
  /// - Returns: Its exit code.
  public func run(_ action: BoardAction, _ context: CommandContext) async -> Int32 {
    start(action, context)
    return await wait(for: context.job)
  }

  /// Sends the action that starts a command, and does not wait.
  ///
  /// - Parameter link: The link that the command stands for; `nil` for a line.
  public func start(_ action: BoardAction, _ context: CommandContext, link: String? = nil) {
    guard !closing.isSet else {
      return shared.withLock { $0.ended[context.job] = ExitCode.interrupted }
    }
    let work = store.send(
      action, origin: link.map { .link($0) } ?? .user(line: context.text, at: context.place))
    guard !work.isFinished else { return }
    Task { [weak self] in
      await work.finish()
      self?.endIfAbandoned(context.job)
    }
  }

  /// Ends the command whose effect threw what nobody caught; no action of that effect's will.
  ///
  /// - Returns: Whether there is such a command.
  private func end(failing issue: StoreIssue) -> Bool {
    guard let effect = issue.failedEffect, let job = shared.withLock({ $0.jobs[issue.step] })
    else { return false }
    let error = issue.redacted(by: dependencies.logger).errorText ?? ""
    fail(job, "the effect '\(effect.name)' threw an error that nobody caught: \(error)")
    return true
  }

  /// Ends a command whose effects have all ended and that has not: nothing else would.
  private func endIfAbandoned(_ job: Int) {
    guard shared.withLock({ $0.jobs.values.contains(job) }),
      let name = store.withState({ $0.shell.running.first { $0.job == job }?.name })
    else { return }
    fail(job, "the effects of '\(name)' ended without a result")
  }

  private func fail(_ job: Int, _ message: String) {
    guard !closing.isSet else { return }
    let failure = Failure(
      code: ExitCode.software, error: "internal", message: message,
      help: "this is a fault of the program: 'session record FILE' shows how it comes about")
    store.send(.shell(.failed(job: job, failure: failure)), origin: .program("board"))
  }

  /// Keeps the end of a command that is about to start, until it is taken.
  func expectEnd(of job: Int) {
    shared.withLock { _ = $0.ends.updateValue(nil, forKey: job) }
  }

  /// The end of a command that has been waited for.
  func takeEnd(of job: Int, exitCode: Int32) -> CommandEnd {
    var end =
      shared.withLock { $0.ends.removeValue(forKey: job) ?? nil } ?? CommandEnd(exitCode: exitCode)
    end.exitCode = exitCode
    return end
  }

  /// Waits until a command has ended; at once where it has, however often it was waited for before.
  ///
  /// - Returns: Its exit code; 130 where the board was closed before its end.
  public func wait(for job: Int) async -> Int32 {
    await withCheckedContinuation { continuation in
      let code = shared.withLock { shared -> Int32? in
        if let code = shared.ended[job] { return code }
        if shared.isOver { return ExitCode.interrupted }
        shared.waiting[job, default: []].append(continuation)
        return nil
      }
      if let code { continuation.resume(returning: code) }
    }
  }

  /// Puts texts without secrets in the place of those that the board remembers.
  func hideSecrets(variables: [String: String], last: String?, lastLength: Int?) {
    guard !closing.isSet else { return }
    store.send(
      .shell(.masked(variables: variables, last: last, lastLength: lastLength)),
      origin: .program("secrets"))
  }

  /// Cancels a running command: its exit code is 130.
  ///
  /// - Parameter cause: What its failure says that it was cancelled by; `nil`: nothing.
  public func cancel(_ job: Int, by cause: String? = nil) {
    guard !closing.isSet else { return }
    store.send(.shell(.cancelled(job: job, by: cause)), origin: .program("interrupt"))
  }

  /// Whether everything ends: every command ends with 130 then.
  var isClosing: Bool { closing.isSet }

  // MARK: Recording

  /// The recording that runs, with its last step.
  public var recording: SessionMoment? {
    shared.withLock { shared in
      shared.recorder.map { SessionMoment(path: $0.path, step: $0.recorder.step) }
    }
  }

  /// Why the recording ended by itself; `nil` while all is well.
  var recordingProblem: String? { shared.withLock { $0.problem } }

  /// Whether a recording of this board ended by itself, be it one before the present one. Known for
  /// certain once the board is closed.
  var hasLostRecording: Bool { shared.withLock { $0.hasLostRecording } }

  /// Records every step from here on into a new file, and into others after it where `rotation`
  /// says so. Once the board is being closed there are no steps to come, and no file is made.
  public func record(
    to path: String, rotation: RecordingOptions.Rotation? = nil
  ) throws(RecordingError) {
    try attach(path, rotation)
  }

  /// Records every step from here on into a sink.
  ///
  /// - Parameter path: What the recording is called.
  func record(into sink: any LogSink, path: String) throws(RecordingError) {
    try attach(path) { info, state, lastStep throws(RecordingError) in
      try BoardRecorder(
        sink: sink, info: info, state: state, options: RecordingOptions(baseStep: lastStep),
        journal: journal, clock: { [self] in shared.withLock { $0.time } },
        onFailure: { [self] in note($0) })
    }
  }

  @discardableResult
  private func attach(
    _ path: String, _ rotation: RecordingOptions.Rotation?
  ) throws(RecordingError) -> Bool {
    try attach(path) { info, state, lastStep throws(RecordingError) in
      try BoardRecorder(
        path: path, info: info, state: state,
        options: RecordingOptions(baseStep: lastStep, rotation: rotation), journal: journal,
        clock: { [self] in shared.withLock { $0.time } }, onFailure: { [self] in note($0) },
        onWarning: { [self] in warn($0.message) })
    }
  }

  /// - Returns: Whether it records; it does not once the board is being closed.
  @discardableResult
  private func attach(
    _ path: String,
    _ make: (RecordingInfo, BoardState, _ lastStep: Int) throws(RecordingError) -> BoardRecorder
  ) throws(RecordingError) -> Bool {
    var failure: RecordingError?
    var records = false
    store.setHooks { state, lastStep in
      // Asked in here: `close()` takes the hooks off after it has said so, and would not see this
      // recording.
      guard !closing.isSet else { return hooks(nil) }
      let now = dependencies.clock.now
      shared.withLock { $0.time = now }
      do throws(RecordingError) {
        var info = info
        info.created = dependencies.date.now
        let recorder = try make(info, copy state, lastStep)
        shared.withLock {
          $0.recorder = (recorder, path)
          $0.problem = nil
          $0.renderer.forgetBeginnings()
        }
        records = true
        return hooks(recorder.hooks)
      } catch {
        failure = error
        return hooks(nil)
      }
    }
    if let failure { throw failure }
    return records
  }

  /// Ends the recording; `nil` where there is none, or where another call has ended it, and its
  /// file is whole then too.
  @discardableResult
  public func stopRecording() -> (path: String, steps: Int)? {
    endRecording().map { ($0.path, $0.steps) }
  }

  private func endRecording() -> (path: String, steps: Int, problem: String?)? {
    recordingEnd.withLock { _ in
      store.setHooks { _, _ in hooks(nil) }
      let recording = shared.withLock { $0.recorder.take() }
      guard let recording else { return nil }
      recording.recorder.stop()
      return (
        recording.path, recording.recorder.step, recording.recorder.failure?.description
      )
    }
  }

  /// Every step is given its time before anything else is done with it: recorder and transcript
  /// have the same.
  private func hooks(_ recorder: StepHooks<BoardState, BoardAction>?) -> StepHooks<
    BoardState, BoardAction
  > {
    var issue: (@Sendable (StoreIssue) -> Void)?
    if let record = recorder?.issue {
      issue = { [logger = dependencies.logger] in record($0.redacted(by: logger)) }
    }
    return StepHooks(
      willReduce: recorder?.willReduce,
      didReduce: { [weak self] step, state in
        guard let self else { return }
        let now = dependencies.clock.now
        let finished = state.shell.finished?.context.job
        shared.withLock {
          $0.time = max($0.time, now)
          $0.times.append($0.time)
          $0.noteJob(of: step, finished: finished)
        }
        recorder?.didReduce?(step, state)
      },
      issue: issue)
  }

  // MARK: After each step

  private func observe(_ step: Step<BoardAction>, _ state: borrowing BoardState) {
    let state = copy state
    let outputs = shared.withLock { shared -> [BoardOutput] in
      let time = shared.times.isEmpty ? shared.time : shared.times.removeFirst()
      return shared.renderer.outputs(of: step.action, in: state, at: time)
    }
    if let finished = state.shell.finished { keepEnd(finished, outputs) }
    for output in outputs { sink(output) }
    switch step.action {
    case .session(.run(let context, let command, _)):
      control(command, context.job, state.session.position)
    case .session(.succeeded(_, .forked(let fork), _)) where fork.isContinued:
      // Whoever waits for this command goes on when the board does.
      guard let finished = state.shell.finished else { break }
      leave(for: fork, finished, running: state.shell.running.map(\.job))
      return
    case .session(.succeeded(_, .marked(let name), _)):
      // Behind the answer, so that at the mark nothing is under way, least of all the mark's own
      // line.
      shared.withLock { $0.recorder }?.recorder.mark(name)
    case .resumed: goOn()
    default: break
    }
    if let finished = state.shell.finished { end(finished) }
  }

  private func keepEnd(_ finished: FinishedJob, _ outputs: [BoardOutput]) {
    let job = finished.context.job
    guard shared.withLock({ $0.ends.keys.contains(job) }) else { return }
    let printed = outputs.filter { $0.job == job && $0.stream == .standardOutput }
    let end = CommandEnd(
      exitCode: finished.status, value: finished.outcome?.value ?? .null,
      output: printed.count == 1 ? printed[0].bytes : printed.flatMap(\.bytes),
      failure: finished.outcome?.failure)
    shared.withLock { _ = $0.ends.updateValue(end, forKey: job) }
  }

  /// Tells whoever waits for a command that it has ended.
  private func end(_ finished: FinishedJob) {
    let lost = finished.context.isBackground ? onBackgroundEnd(finished) : nil
    let status = lost ?? finished.status
    let waiting = shared.withLock { shared -> [CheckedContinuation<Int32, Never>] in
      shared.ended[finished.context.job] = status
      return shared.waiting.removeValue(forKey: finished.context.job) ?? []
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }

  /// Begins and ends recordings: right after the step that asks for it and before any other, so
  /// that `session stop` is its recording's last.
  private func control(_ command: SessionCommand, _ job: Int, _ position: SessionPosition?) {
    let answer: SessionAction
    switch command {
    case .record(let path, let rotation): answer = begin(path, rotation, job)
    case .stop:
      if let (path, steps, problem) = endRecording() {
        answer = .succeeded(job: job, result: .stopped(path: path, steps: steps, problem: problem))
      } else {
        answer = .failed(job: job, failure: .noRecording)
      }
    case .status:
      shared.withLock { $0.recorder }?.recorder.checkFile()
      let (recording, problem) = shared.withLock { ($0.recorder, $0.problem) }
      answer = .succeeded(
        job: job,
        result: .status(
          path: recording?.path, steps: recording?.recorder.step ?? 0, problem: problem,
          position: position))
    case .mark(let name):
      let recorder = shared.withLock { $0.recorder }?.recorder
      recorder?.checkFile()
      if let failure = recorder?.failure {
        answer = .failed(
          job: job,
          failure: Failure(
            code: ExitCode.io, error: "io", message: failure.description,
            help: "'session stop', then 'session record FILE' begins another"))
      } else {
        answer =
          recorder?.isRecording == true
          ? .succeeded(job: job, result: .marked(name: name))
          : .failed(job: job, failure: .noRecording)
      }
    default: return
    }
    store.send(.session(answer), origin: .program("session"))
  }

  private func begin(
    _ path: String, _ rotation: SessionRotation?, _ job: Int
  ) -> SessionAction {
    if let current = shared.withLock({ $0.recorder?.path }) {
      return .failed(
        job: job,
        failure: Failure(
          code: ExitCode.cannotCreate, error: "recording",
          message: "already recording to \(current)",
          help: "'session stop' ends it"))
    }
    do throws(FileError) {
      try dependencies.files.checkTarget(path, isRecording: true)
    } catch {
      return .failed(job: job, failure: Failure(error))
    }
    do throws(RecordingError) {
      let records = try attach(
        path, rotation.map { .init(size: $0.size << 20, keep: $0.keep) })
      return records
        ? .succeeded(job: job, result: .recording(path: path))
        : .failed(job: job, failure: .cancelled)
    } catch {
      return .failed(job: job, failure: Failure(error))
    }
  }

  // MARK: Forks

  /// Ends the recording and what still runs, and takes the state that a fork ends with.
  private func leave(for fork: SessionForked, _ finished: FinishedJob, running: [Int]) {
    guard let (log, state) = travels.takeContinuation(for: fork.path) else { return end(finished) }
    stopRecording()
    travels.keep(log, state, for: fork.path)
    shared.withLock { $0.forking = (fork, finished) }
    for job in running { cancel(job, by: "'session fork'") }
    store.send(.resumed(state), origin: .program("session"))
  }

  /// Goes on in a fork: right after the step that took its state and before any other.
  private func goOn() {
    guard let (fork, finished) = shared.withLock({ $0.forking.take() }) else { return }
    defer { end(finished) }
    guard let (log, state) = travels.takeContinuation(for: fork.path) else { return }
    var failure: RecordingError?
    store.setHooks { [self] now, lastStep in
      guard !closing.isSet else { return hooks(nil) }
      do throws(RecordingError) {
        let recorder = try BoardRecorder(
          continuing: log, path: fork.path, state: copy now,
          options: RecordingOptions(baseStep: lastStep), journal: journal,
          clock: { [self] in shared.withLock { $0.time } }, onFailure: { [self] in note($0) })
        shared.withLock {
          $0.recorder = (recorder, fork.path)
          $0.problem = nil
          $0.renderer.forgetBeginnings()
        }
        return hooks(recorder.hooks)
      } catch {
        failure = error
        return hooks(nil)
      }
    }
    if let failure {
      return loseRecording(failure.description)
    }
    // What ran at that step runs no more.
    for context in state.shell.running { cancel(context.job) }
    store.send(
      .session(.succeeded(job: 0, result: .recording(path: fork.path))), origin: .program("session")
    )
  }

  private func note(_ issue: StoreIssue) {
    loseRecording(issue.message)
  }

  private func loseRecording(_ problem: String) {
    shared.withLock {
      $0.problem = problem
      $0.hasLostRecording = true
    }
    warn(problem)
  }

  private func warn(_ text: String) {
    sink(
      BoardOutput(
        stream: .standardError, text: "warning: \(escapeControls(text))\n", job: 0))
  }

  // MARK: The end

  /// Ends everything: running commands are cancelled, the recording gets its last line, the log is
  /// flushed.
  ///
  /// It is done once, and every call returns when it is done. Whoever waits for a command that has
  /// not ended gets 130.
  public func close() async {
    closing.set()
    let end = shared.withLock { shared in
      if let end = shared.end { return end }
      let end = Task { await self.end() }
      shared.end = end
      return end
    }
    await end.value
  }

  private func end() async {
    await store.shutdown(deadline: .zero)
    // Observers may be about to be told of the last step, which may be a command's end.
    let last = store.withState { $0.shell.finished }
    let waiting = shared.withLock { shared in
      shared.isOver = true
      defer { shared.waiting = [:] }
      return shared.waiting
    }
    for (job, continuations) in waiting {
      let code = last?.context.job == job ? last?.status : nil
      for continuation in continuations {
        continuation.resume(returning: code ?? ExitCode.interrupted)
      }
    }
    stopRecording()
    await dependencies.shutDown()
  }
}

/// Hands what effects threw to the board, which the store is older than.
private final class EffectFailures: Sendable {
  let handler = Mutex<(@Sendable (StoreIssue) -> Bool)?>(nil)

  /// - Returns: Whether a command has ended with it.
  func take(_ issue: StoreIssue) -> Bool {
    handler.withLock { $0 }?(issue) ?? false
  }
}

extension StoreIssue {
  /// Without the secrets that the words of an error may repeat.
  fileprivate func redacted(by logger: any Logger) -> StoreIssue {
    StoreIssue(
      message: logger.redact(message), location: location, step: step, failedEffect: failedEffect,
      errorText: errorText.map(logger.redact))
  }
}

extension Failure {
  /// What was asked for is not done any more.
  static let cancelled = cancelled(by: nil)

  /// - Parameter cause: What cancelled it, in words; `nil`: the line or the person.
  static func cancelled(by cause: String?) -> Failure {
    Failure(
      code: ExitCode.interrupted, error: "cancelled",
      message: cause.map { "cancelled by \($0)" } ?? "cancelled")
  }
}
