import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// A running board: the store, its recording, and its output. The program `swiftboard` runs one,
/// and other tools embed one to run the same lines.
public final class Board: Sendable {
  /// The store, for inspecting its state and effects. Use the board to run lines, because it adds
  /// their context.
  public let store: Store<BoardReducer>
  let features: FeatureList
  let dependencies: Dependencies
  private let sink: @Sendable (BoardOutput) -> Void
  private let onBackgroundEnd: @Sendable (FinishedJob) -> Failure?
  let recordings: BoardRecording
  let navigators: SessionNavigators
  let analytics: StepAnalytics
  let shared: Mutex<Shared>
  let widths = Mutex(TerminalWidths())
  /// The flag that is set when the board is being closed. No action is sent after that.
  let closing: CancelFlag

  struct Shared {
    var renderer: BoardRenderer
    var waiting: [Int: [CheckedContinuation<Int32, Never>]] = [:]
    /// The requested ends of commands, with those that have arrived.
    var ends: [Int: CommandEnd?] = [:]
    /// The exit codes of all ended commands, for later and repeated calls of `wait(for:)`.
    var ended = EndedJobs()
    /// The task of `close()`, for which every call of it waits.
    var end: Task<Void, Never>?
    /// Whether the store has ended, so that no running command will end.
    var isOver = false
    var nextJob = 0
    /// The jobs of running commands, by the steps that returned their effects.
    var jobs: [Int: Int] = [:]
    /// The steps in `jobs`, by the jobs.
    var steps: [Int: [Int]] = [:]
    /// The finished commands that wait until the board continues in a fork, by their jobs.
    var forking: [Int: FinishedJob] = [:]
    /// The forks whose state the board has taken: the jobs that ran before, and the job of the
    /// fork. They end with `continued`, because the next line may depend on what that action
    /// removes.
    var resumed: [(before: Set<Int>, job: Int)] = []
    /// The jobs that were running after the last step.
    var running: Set<Int> = []
    /// Whether the last value is that of a list whose rows were written in parts.
    var lastIsInParts = false
    /// The last value after the last step.
    var last: StateText?
    /// What the value of the last command with one has replaced, if it went to a file.
    var replacedLast: (job: Int, value: StateText?, isInParts: Bool)?

    /// Records the command of a step, to which errors of the step's effects are assigned.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - finished: The command that the step ended.
    mutating func noteJob(of step: Step<BoardAction>, finished: Int?) {
      if let finished {
        for step in steps.removeValue(forKey: finished) ?? [] { jobs[step] = nil }
      }
      guard !step.effects.isEmpty else { return }
      var job = step.action.started?.job
      if job == nil, case .effect(_, _, let cause) = step.origin { job = jobs[cause] }
      guard let job, job != finished else { return }
      jobs[step.number] = job
      steps[job, default: []].append(step.number)
    }

    /// Notes the running commands. Only of a fork are they not those of the step before with what
    /// has begun and ended.
    ///
    /// - Returns: The jobs that were running before, if they were in another state.
    mutating func noteRunning(_ action: BoardAction, _ state: BoardState) -> Set<Int> {
      if case .resumed = action {
        let before = running
        running = Set(state.shell.running.map(\.job))
        return before
      }
      if let started = action.started { running.insert(started.job) }
      if let finished = state.shell.finished { running.remove(finished.context.job) }
      return []
    }
  }

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - features: The features with which `state` was created.
  ///   - state: The initial state.
  ///   - dependencies: The services of the features.
  ///   - seed: The seed in the header of recordings.
  ///   - sink: Prints output. Called in the order of the steps, after the step was recorded.
  ///   - onBackgroundEnd: Called when a command with `&` has ended, after its output. Returns the
  ///     failure if its output was lost, which then is its end.
  public init(
    features: FeatureList, state: BoardState, dependencies: Dependencies, seed: UInt64,
    sink: @escaping @Sendable (BoardOutput) -> Void,
    onBackgroundEnd: @escaping @Sendable (FinishedJob) -> Failure? = { _ in nil }
  ) {
    let journal = DrawJournal()
    let failures = EffectFailures()
    let navigators = SessionNavigators(features)
    self.navigators = navigators
    let closing = CancelFlag()
    self.features = features
    let redactor = dependencies.logger.redactor
    shared = Mutex(
      Shared(renderer: BoardRenderer(features, isReplay: false, redactor: redactor)))
    self.closing = closing
    self.dependencies = dependencies
    analytics = StepAnalytics(dependencies)
    self.sink = sink
    self.onBackgroundEnd = onBackgroundEnd
    let recordings = BoardRecording(
      RecordingInfo(
        schema: features.schema, created: dependencies.date.now,
        environment: state.settings.environment.rawValue, seed: seed),
      journal: journal, dependencies: dependencies, navigators: navigators, closing: closing,
      warn: { [settings = state.settings, redactor = dependencies.logger.redactor] in
        sink(.warning(redactor.mask($0).value, settings))
      })
    self.recordings = recordings
    store = Store(
      initialState: state,
      reducer: BoardReducer(
        features, navigators: navigators, recording: recordings, steps: StepCounter()),
      dependencies: dependencies.intercepted(by: journal.interceptor),
      onIssue: { [logger = dependencies.logger] issue in
        logger.log(issue.description, level: .error, category: "store")
        // A line or an action that arrives while the board is being closed is late, which is no
        // error.
        guard !closing.isSet, !failures.take(issue) else { return }
        sink(
          BoardOutput(
            stream: .standardError,
            content: "internal error: \(issue.redacted(by: dependencies.logger))\n", job: 0))
      })
    failures.handler.withLock { $0 = { [weak self] in self?.end(failing: $0) ?? false } }
    recordings.attach(to: store) { [weak self] step, finished in
      self?.shared.withLock { $0.noteJob(of: step, finished: finished) }
    }
    store.observe { [weak self] step, state in self?.observe(step, state) }
  }

  /// The redactor of the board's logger.
  var redactor: Redactor { dependencies.logger.redactor }

  // MARK: Commands

  /// Returns a unique number for a command.
  public func nextJob() -> Int {
    shared.withLock { shared in
      shared.nextJob += 1
      return shared.nextJob
    }
  }

  /// Sends the action that starts a command and waits until the command has ended.
  ///
  /// - Returns: The exit code of the command.
  public func run(_ action: BoardAction, _ context: CommandContext) async -> Int32 {
    start(action, context)
    return await wait(for: context.job)
  }

  /// Sends the action that starts a command without waiting for its end.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - context: The context of the command, with its job.
  ///   - link: The link that started the command, or `nil` for a line.
  public func start(_ action: BoardAction, _ context: CommandContext, link: String? = nil) {
    guard !closing.isSet else {
      return shared.withLock { $0.ended[context.job] = ExitCode.interrupted }
    }
    let work = store.send(
      action, origin: link.map { .link($0) } ?? .user(line: context.text, at: context.location))
    // Called at once if it has no effects, or if they have ended.
    work.onFinish { [weak self] in self?.endIfAbandoned(context.job) }
  }

  /// Sends the action that starts a command without effects of its own, and waits until the state
  /// contains the command. Another thread may still be delivering the step before it.
  func begin(_ action: BoardAction, _ context: CommandContext) async {
    guard !closing.isSet else {
      return shared.withLock { $0.ended[context.job] = ExitCode.interrupted }
    }
    await store.send(action, origin: .user(line: context.text, at: context.location)).finish()
  }

  /// Whether a command has ended. One that was not started has not.
  func hasEnded(_ job: Int) -> Bool { shared.withLock { $0.ended[job] != nil } }

  /// Ends the command whose effect threw an error, because no action of the effect will do so.
  ///
  /// - Returns: Whether there is such a command.
  private func end(failing issue: StoreIssue) -> Bool {
    guard let effect = issue.failedEffect, let job = shared.withLock({ $0.jobs[issue.step] })
    else { return false }
    let error = issue.redacted(by: dependencies.logger).errorText ?? ""
    fail(job, "the effect '\(effect.name)' threw an error that was not caught: \(error)")
    return true
  }

  /// Ends a command that still runs although it has no effects, or all of them have ended.
  private func endIfAbandoned(_ job: Int) {
    guard let name = store.withState({ $0.shell.running.first { $0.job == job }?.name }) else {
      return
    }
    fail(job, "the effects of '\(name)' ended without a result")
  }

  private func fail(_ job: Int, _ message: String) {
    guard !closing.isSet else { return }
    let failure = Failure(
      code: ExitCode.software, error: "internal", message: message,
      help: "this is a fault of the program: 'session record FILE' shows how it comes about")
    store.send(.shell(.failed(job: job, failure: failure)), origin: .program("board"))
  }

  /// Requests the end of a command that is about to start. `takeEnd(of:exitCode:)` returns it.
  func expectEnd(of job: Int) {
    shared.withLock { _ = $0.ends.updateValue(nil, forKey: job) }
  }

  /// Returns the requested end of a command and removes it.
  func takeEnd(of job: Int, exitCode: Int32) -> CommandEnd {
    var end =
      shared.withLock { $0.ends.removeValue(forKey: job) ?? nil } ?? CommandEnd(exitCode: exitCode)
    end.exitCode = exitCode
    return end
  }

  /// Waits until a command has ended. Returns immediately if it has, also for repeated calls.
  ///
  /// - Returns: The exit code of the command, or 130 if the board was closed before its end.
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

  /// Notes that a round of a `watch` has ended, and waits for the pause behind it.
  func endRound(of job: Int, status: Int32) async {
    guard !closing.isSet else { return }
    await store.send(.shell(.watched(job: job, status: status)), origin: .program("watch"))
      .finish()
  }

  /// Loads what the states of features show of services, where it is not known. One feature follows
  /// the other, so that the steps have one order in every run. Where one has waited in vain for a
  /// locked database, the others do not wait again.
  ///
  /// Cancelling the task ends the loading.
  func bootstrap(_ shown: FeaturesReadByCommand) async {
    for feature in features.features where shown.contains(feature.name) {
      guard !closing.isSet, !Task.isCancelled,
        let action = store.withState({ feature.bootstrap($0) })
      else { continue }
      let work = store.send(action, origin: .program("bootstrap"))
      await withTaskCancellationHandler {
        await work.finish()
      } onCancel: {
        work.cancel()
      }
      let isBusy = store.withState { state in
        state.shell.unloaded?.contains { $0.feature == feature.name && $0.error == "busy" }
      }
      if isBusy == true { return }
    }
  }

  /// Removes the known secrets from the state.
  ///
  /// - Returns: What to wait for, because another thread may be reducing actions. `nil` if there is
  ///   nothing to remove.
  @discardableResult
  func hideSecrets() -> StoreTask? {
    let state = store.withState { copy $0 }
    guard !closing.isSet, let removal = SecretRemoval(from: state, features, redactor) else {
      return nil
    }
    let remaining = removal.remaining(in: state, features, redactor)
    if let note = removal.note(of: state, redactor, remaining: remaining) {
      sink(.warning(note, state.settings))
    }
    return store.send(.shell(.masked(removal: removal)), origin: .program("secrets"))
  }

  /// Prints how long a command took that its steps do not tell. A replay does not print it.
  func printTime(_ milliseconds: Int64, of context: CommandContext) {
    let state = store.withState { copy $0 }
    for output in BoardRenderer.outputs(ofTime: milliseconds, of: context, in: state) {
      sink(output)
    }
  }

  /// Ends a command that cannot continue. Does nothing if it has ended.
  func end(_ job: Int, failing failure: Failure) {
    guard !closing.isSet else { return }
    store.send(.shell(.failed(job: job, failure: failure)), origin: .program("secrets"))
  }

  /// Cancels a running command. Its exit code is then 130.
  ///
  /// - Parameters:
  ///   - job: The job of the command.
  ///   - cause: The cause of the cancellation for the message, or `nil` for none.
  public func cancel(_ job: Int, by cause: String? = nil) {
    guard !closing.isSet else { return }
    store.send(.shell(.cancelled(job: job, by: cause)), origin: .program("interrupt"))
  }

  /// Whether the board is being closed. Every command then ends with 130.
  var isClosing: Bool { closing.isSet }

  // MARK: After each step

  private func observe(_ step: Step<BoardAction>, _ state: borrowing BoardState) {
    let state = copy state
    let time = recordings.nextStepTime()
    let outputs = shared.withLock { shared -> [BoardOutput] in
      if time.isFirst { shared.renderer.forgetBeginnings() }
      return shared.renderer.outputs(of: step.action, in: state, at: time.time)
    }
    analytics.track { features.events(of: step.action, in: state) }
    if let finished = state.shell.finished {
      noteLast(of: finished)
      keepEnd(finished, outputs)
    }
    for output in outputs { sink(output) }
    let before = shared.withLock {
      $0.last = state.shell.last
      return $0.noteRunning(step.action, state)
    }
    switch step.action {
    case .session(.succeeded(let job, .forked(let fork), _, _)) where fork.isContinued:
      // Callers of `wait(for:)` resume when the board continues in the fork.
      if let finished = state.shell.finished { shared.withLock { $0.forking[job] = finished } }
      return
    case .session(.failed(let job, let failure, _)):
      if var finished = shared.withLock({ $0.forking.removeValue(forKey: job) }) {
        sink(.warning(failure.message, state.settings))
        finished.status = failure.code
        return end(finished)
      }
    case .resumed(_, _, let job):
      // The state is one of before, when less was known.
      hideSecrets()
      shared.withLock { $0.resumed.append((before, job)) }
      guard !closing.isSet else { return endResumed() }
      store.send(.shell(.continued), origin: .program("fork"))
      return
    case .shell(.continued): endResumed()
    default: break
    }
    if let finished = state.shell.finished { end(finished) }
  }

  /// Ends the command of the oldest fork in `resumed`, and the commands that ran before it.
  private func endResumed() {
    let (before, finished) = shared.withLock { shared -> (Set<Int>, FinishedJob?) in
      guard !shared.resumed.isEmpty else { return ([], nil) }
      let (before, job) = shared.resumed.removeFirst()
      return (before, shared.forking.removeValue(forKey: job))
    }
    // The state of the fork does not contain the commands that started after it was created.
    for late in before where !hasEnded(late) { end(late, status: ExitCode.interrupted) }
    if let finished { end(finished) }
  }

  /// Whether the last value is that of a list whose rows were written in parts.
  var lastIsInParts: Bool { shared.withLock { $0.lastIsInParts } }

  private func noteLast(of finished: FinishedJob) {
    guard finished.outcome?.hasNewLast == true else { return }
    shared.withLock {
      $0.replacedLast =
        finished.context.redirect == nil
        ? nil : (finished.context.job, $0.last, $0.lastIsInParts)
      $0.lastIsInParts = (finished.context.parts ?? 0) > 0
    }
  }

  /// Returns the last value from before the one of a command whose output was lost, without known
  /// secrets, or `nil` if the command's is no longer the last.
  func takeReplacedLast(by job: Int) -> EarlierLast? {
    let replaced = shared.withLock { shared -> (job: Int, value: StateText?, isInParts: Bool)? in
      guard let replaced = shared.replacedLast, replaced.job == job else { return nil }
      shared.replacedLast = nil
      shared.lastIsInParts = replaced.isInParts
      return replaced
    }
    guard let replaced else { return nil }
    guard let value = replaced.value, let text = value.text else {
      return EarlierLast(value: replaced.value)
    }
    let masked = redactor.mask(text, isJSON: true)
    return EarlierLast(
      value: masked.names.isEmpty ? value : StateText(masked.value, inPlaceOf: value))
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

  /// Resumes the callers that wait for an ended command.
  private func end(_ finished: FinishedJob) {
    let context = finished.context
    guard context.isBackground, let lost = onBackgroundEnd(finished) else {
      return end(context.job, status: finished.status)
    }
    guard !closing.isSet else {
      sink(.warning("job \(context.job): \(lost.message)", store.withState { $0.settings }))
      return end(context.job, status: lost.code)
    }
    // A step, whose end is that of the command. It is announced and measured already.
    var (ended, failure) = (context, placed(lost, in: context))
    failure.message = "job \(context.job): \(failure.message)"
    (ended.isBackground, ended.prefix) = (false, nil)
    let earlier = takeReplacedLast(by: context.job)
    store.send(
      .shell(.reject(context: ended, failure: failure, earlier: earlier)),
      origin: .program("output"))
  }

  /// Returns a failure with the place of the command in its line, if it names no word. Call it
  /// before another command of the line starts.
  func placed(_ failure: Failure, in context: CommandContext) -> Failure {
    let aliases = store.withState { $0.shell.aliases }
    return shared.withLock { $0.renderer.placed(failure, in: context, aliases) }
  }

  private func end(_ job: Int, status: Int32) {
    let waiting = shared.withLock { shared -> [CheckedContinuation<Int32, Never>] in
      shared.ended[job] = status
      return shared.waiting.removeValue(forKey: job) ?? []
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}
