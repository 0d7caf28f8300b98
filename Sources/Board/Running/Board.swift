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
  private let sink: @Sendable (BoardOutput) -> Void
  private let onBackgroundEnd: @Sendable (FinishedJob) -> Int32?
  private let recordings: BoardRecording
  private let shared: Mutex<Shared>
  /// Set when the board is being closed: from then on no action is sent.
  private let closing: CancelFlag

  private struct Shared {
    var renderer: BoardRenderer
    var waiting: [Int: [CheckedContinuation<Int32, Never>]] = [:]
    /// Ends that are asked for, and those of them that have come.
    var ends: [Int: CommandEnd?] = [:]
    /// How commands ended: a few bytes for each, for whatever waits later and as often as it likes.
    var ended: [Int: Int32] = [:]
    /// The work of `close()`, which every call of it waits for.
    var end: Task<Void, Never>?
    /// The store has ended: commands that have not ended never will.
    var isOver = false
    var nextJob = 0
    /// The commands of the steps that returned effects, for as long as the commands run.
    var jobs: [Int: Int] = [:]
    /// The commands that wait for the board to go on in a fork, by their jobs.
    var forking: [Int: FinishedJob] = [:]
    /// The jobs that ran after the last step.
    var running: [Int] = []

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
    let navigators = SessionNavigators(features)
    let closing = CancelFlag()
    self.features = features
    shared = Mutex(Shared(renderer: BoardRenderer(features, isReplay: false)))
    self.closing = closing
    self.dependencies = dependencies
    self.sink = sink
    self.onBackgroundEnd = onBackgroundEnd
    let recordings = BoardRecording(
      RecordingInfo(
        schema: features.schema, created: dependencies.date.now,
        environment: state.settings.environment.rawValue, seed: String(seed)),
      journal: journal, dependencies: dependencies, navigators: navigators, closing: closing,
      warn: { text in
        sink(
          BoardOutput(
            stream: .standardError, text: "warning: \(escapeControls(text))\n", job: 0))
      })
    self.recordings = recordings
    store = Store(
      initialState: state,
      reducer: BoardReducer(
        features, navigators: navigators, recording: recordings, steps: StepCounter()),

      dependencies: dependencies.intercepted(by: journal.interceptor),
      onIssue: { [logger = dependencies.logger] issue in
        logger.log(issue.description, level: .error, category: "store")
        // A line or an answer that comes while the board is being closed is too late, and no fault.
        guard !closing.isSet, !failures.take(issue) else { return }
        sink(
          BoardOutput(
            stream: .standardError,
            text: "internal error: \(issue.redacted(by: dependencies.logger))\n", job: 0))
      })
    failures.handler.withLock { $0 = { [weak self] in self?.end(failing: $0) ?? false } }
    recordings.attach(to: store) { [weak self] step, finished in
      self?.shared.withLock { $0.noteJob(of: step, finished: finished) }
    }
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
      action, origin: link.map { .link($0) } ?? .user(line: context.text, at: context.location))
    guard !work.isFinished else { return }
    Task { [weak self] in
      await work.finish()
      self?.endIfAbandoned(context.job)
    }
  }

  /// Ends the command whose effect threw an error, since no action of the effect will end it.
  ///
  /// - Returns: Whether there is such a command.
  private func end(failing issue: StoreIssue) -> Bool {
    guard let effect = issue.failedEffect, let job = shared.withLock({ $0.jobs[issue.step] })
    else { return false }
    let error = issue.redacted(by: dependencies.logger).errorText ?? ""
    fail(job, "the effect '\(effect.name)' threw an error that was not caught: \(error)")
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
  public var recording: SessionMoment? { recordings.moment }

  /// The names of the marks that were set in the running recording.
  var marks: [String] { recordings.marks }

  /// Why the recording ended by itself; `nil` while all is well.
  var recordingProblem: String? { recordings.problem }

  /// Whether a recording of this board ended by itself, be it one before the present one. Known for
  /// certain once the board is closed.
  var hasLostRecording: Bool { recordings.hasLostRecording }

  /// Records every step from here on into a new file, and into others after it where `rotation`
  /// says so. Once the board is being closed there are no steps to come, and no file is made.
  public func record(
    to path: String, rotation: RecordingOptions.Rotation? = nil
  ) throws(RecordingError) {
    try recordings.record(to: path, rotation)
  }

  /// Records every step from here on into a sink.
  ///
  /// - Parameter path: What the recording is called.
  func record(into sink: any LogSink, path: String) throws(RecordingError) {
    try recordings.record(into: sink, path: path)
  }

  /// Ends the recording; `nil` where there is none, or where another call has ended it, and its
  /// file is whole then too.
  @discardableResult
  public func stopRecording() -> (path: String, steps: Int)? {
    recordings.stop().map { ($0.path, $0.steps) }
  }

  // MARK: After each step

  private func observe(_ step: Step<BoardAction>, _ state: borrowing BoardState) {
    let state = copy state
    let time = recordings.nextStepTime()
    let outputs = shared.withLock { shared -> [BoardOutput] in
      if time.isFirst { shared.renderer.forgetBeginnings() }
      return shared.renderer.outputs(of: step.action, in: state, at: time.time)
    }
    if let finished = state.shell.finished { keepEnd(finished, outputs) }
    for output in outputs { sink(output) }
    let before = shared.withLock { shared in
      defer { shared.running = state.shell.running.map(\.job) }
      return shared.running
    }
    switch step.action {
    case .session(.succeeded(let job, .forked(let fork), _)) where fork.isContinued:
      // What waits for this command goes on when the board does.
      if let finished = state.shell.finished { shared.withLock { $0.forking[job] = finished } }
      return
    case .session(.failed(let job, let failure)):
      if let finished = shared.withLock({ $0.forking.removeValue(forKey: job) }) {
        sink(
          BoardOutput(
            stream: .standardError, text: "warning: \(escapeControls(failure.message))\n", job: 0))
        return end(finished)
      }
    case .resumed(_, _, let job):
      // Commands that began since the fork was made are in no state any more.
      for late in before { end(late, status: ExitCode.interrupted) }
      if let finished = shared.withLock({ $0.forking.removeValue(forKey: job) }) { end(finished) }
      return
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

  /// Resumes the callers that wait for a command, which has ended.
  private func end(_ finished: FinishedJob) {
    let lost = finished.context.isBackground ? onBackgroundEnd(finished) : nil
    end(finished.context.job, status: lost ?? finished.status)
  }

  private func end(_ job: Int, status: Int32) {
    let waiting = shared.withLock { shared -> [CheckedContinuation<Int32, Never>] in
      shared.ended[job] = status
      return shared.waiting.removeValue(forKey: job) ?? []
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }

  // MARK: The end

  /// Ends everything: running commands are cancelled, the recording gets its last line, the log is
  /// flushed.
  ///
  /// It is done once, and every call returns when it is done. A caller that waits for a command
  /// that has not ended gets 130.
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
  func redacted(by logger: any Logger) -> StoreIssue {
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
