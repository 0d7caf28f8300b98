import SwiftBoardStore
import Synchronization

/// The implementation of a test store: a held store, its executor and clock, the origin of each
/// step, and the receiver of failures.
final class TestCore<R: Reducer> {
  typealias State = R.State
  typealias Action = R.Action
  /// Looks at a step and the state after it; says what is wrong.
  typealias Watcher = (Step<Action>, State) -> String?

  /// Reports of the store during reductions, from any thread.
  private final class ReportedActions: Sendable {
    struct Content {
      var issues: [StoreIssue] = []
      var step: Step<Action>?
    }
    let content = Mutex(Content())
  }

  let clock: TestClock
  let created: TestLocation
  let box: DependencyBox<R.Dependencies>
  let isEqual: (State, State) -> Bool
  /// Receives what a store that is not exhaustive lets pass.
  var reportSkipped: TestReporter?
  private(set) var failures: [TestFailure] = []
  private(set) var isFinished = false
  private let store: Store<BoxedReducer<R>>
  /// Things run that nothing sent set going.
  private let declares: Bool
  private let report: TestReporter
  private let reportedActions = ReportedActions()
  private var watchers: [Watcher] = []
  /// The handles of sent actions, without the ones that had ended at the last check.
  private var sent: [StoreTask] = []
  /// The line of the test that reduced each step.
  private var locations: [Int: TestLocation] = [:]
  /// What waits that a failed `receive` has reported, as text: actions need not be comparable.
  private var reported: [String] = []
  /// The steps that were reduced because a failed `receive` had reported them.
  private var reportedSteps: Set<Int> = []

  init(
    state: State, reducer: R, dependencies: R.Dependencies, clock: TestClock,
    created: TestLocation, report: @escaping TestReporter, reportSkipped: TestReporter?,
    isEqual: @escaping (State, State) -> Bool
  ) {
    let reportedActions = reportedActions
    self.clock = clock
    self.created = created
    self.report = report
    self.reportSkipped = reportSkipped
    self.isEqual = isEqual
    box = DependencyBox(dependencies)
    store = Store(
      initialState: state, reducer: BoxedReducer(base: reducer), dependencies: box,
      executor: clock.executor, isHeld: true,
      onIssue: { issue in reportedActions.content.withLock { $0.issues.append(issue) } })
    declares = reducer.declaresSubscriptions(in: CompositionPath())
    store.setHooks { _, _ in
      StepHooks(didReduce: { step, _ in reportedActions.content.withLock { $0.step = step } })
    }
  }

  var state: State { store.state }
  var lastStep: Step<Action>? { reportedActions.content.withLock { $0.step } }
  var waiting: [Action] { isQuiet ? [] : store.waiting.map(\.action) }
  /// The oldest of what waits.
  var next: Action? { isQuiet ? nil : store.nextWaiting?.action }
  /// How many of the waiting actions, the oldest, belong to the current turn.
  var turnCount: Int { isQuiet ? 0 : store.waiting.prefix(while: \.isOfTurn).count }
  var unended: [RunningEffect<Action>] { isQuiet ? [] : store.unendedEffects }

  /// Whether all that was sent has come to its end, so that nothing runs and nothing waits.
  /// Amortized O(1), and much cheaper than asking what runs; false may also mean that cancelled
  /// actions are still in the queue.
  private var isQuiet: Bool {
    while let last = sent.last, last.isFinished { sent.removeLast() }
    return sent.isEmpty && !declares
  }

  // MARK: Steps

  /// Reduces an action of the test's.
  func send(_ action: Action, at location: TestLocation) -> StoreTask {
    let task = store.sendHeld(action, origin: .program(location.description))
    sent.append(task)
    stepped(at: location)
    return task
  }

  /// Reduces the oldest received action, and gives it.
  func reduceNext(at location: TestLocation) -> Action? {
    guard store.reduceNext() else { return nil }
    stepped(at: location)
    guard let action = lastStep?.action else { return nil }
    if !reported.isEmpty, let reportedActions = reported.firstIndex(of: text(action)) {
      reported.remove(at: reportedActions)
    }
    return action
  }

  /// Reduces received actions until none is left, including the actions that this causes.
  func reduceAll(at location: TestLocation) -> [Action] {
    var actions: [Action] = []
    finishEnded(at: location)
    while let action = reduceNext(at: location) {
      actions.append(action)
      finishEnded(at: location)
    }
    return actions
  }

  /// Fails because `action` is the next one, and not the one that is wanted. Reduces nothing.
  func refuse(_ action: Action, _ wanted: Wanted<Action>) {
    let waiting = waiting
    let position = waiting.firstIndex(where: wanted.accepts)
    let others = max(0, waiting.count - 1)
    let whereabouts =
      if let position {
        "The expected action is further back in the queue, behind \(count(position, "other")):\n"
          + "\(list(Array(waiting.prefix(position))))\nReceive \(position == 1 ? "that" : "those") first. "
          + (position >= turnCount ? whyTurn.map { "\($0) " } ?? "" : "")
      } else {
        others == 0
          ? ""
          : "Of the \(count(others, "action")) behind it in the queue none is the expected one. "
      }
    reported = waiting.prefix((position ?? 0) + 1).map(text)
    fail(
      .unexpectedAction, "\(wanted.refusal(action))\n\n\(whereabouts)Nothing was reduced.",
      at: wanted.location)
  }

  /// Reduces the next action if a failed `receive` has reported it, or if a reported action has
  /// caused it. Returns false otherwise.
  func reduceReported(at location: TestLocation) -> Bool {
    guard !reported.isEmpty || !reportedSteps.isEmpty, let next = store.nextWaiting else {
      return false
    }
    guard reported.contains(text(next.action)) || isOfReportedStep(next.origin),
      reduceNext(at: location) != nil
    else { return false }
    reportedSteps.insert(store.stepCount)
    finishEnded(at: location)
    return true
  }

  /// Reduces all that failed `receive`s have reported, so that the state is the one that the test
  /// continues from.
  func catchUp(at location: TestLocation) {
    guard !isFinished else { return }
    while !reported.isEmpty {
      let waiting = Set(waiting.map(text))
      // Actions of effects that were cancelled meanwhile are removed.
      reported.removeAll { !waiting.contains($0) }
      guard !reported.isEmpty, reduceReported(at: location) else { break }
    }
    reported = []
  }

  private func isOfReportedStep(_ origin: StepOrigin) -> Bool {
    if case .effect(_, _, let step) = origin { reportedSteps.contains(step) } else { false }
  }

  private func text(_ action: Action) -> String { ValueTree(action).oneLine }

  private func stepped(at location: TestLocation) {
    locations[store.stepCount] = location
    guard !watchers.isEmpty, let step = lastStep else { return }
    for watcher in watchers {
      if let message = watcher(step, state) { fail(.impossibleTransition, message, at: location) }
    }
  }

  func add(_ watcher: @escaping Watcher) {
    watchers.append(watcher)
  }

  /// Runs effects until none can continue, and reports the issues that came up.
  func finishEnded(at location: TestLocation) {
    clock.executor.run()
    let issues = reportedActions.content.withLock { content in
      if content.issues.isEmpty { return [StoreIssue]() }
      defer { content.issues = [] }
      return content.issues
    }
    for issue in issues { fail(.issue, "The store reported an issue. \(issue)", at: location) }
  }

  /// Cancels what runs; gives it.
  func cancelEffects(at location: TestLocation) -> [RunningEffect<Action>] {
    finishEnded(at: location)
    let effects = unended
    guard !effects.isEmpty else { return [] }
    store.cancelEffects()
    finishEnded(at: location)
    return effects
  }

  /// Takes out of the queue what cancelled effects had sent, so that handles do not wait for it.
  /// What others sent stays; behind that, cancelled actions stay too.
  func forgetCancelled() {
    if !isQuiet, store.nextWaiting == nil { store.reduceNext() }
  }

  /// Waits for other threads until an action is there, `isEnough`, or no effect is left; not longer
  /// than `patience`, which is a failure.
  ///
  /// - Parameter isEnd: As in `wait`.
  nonisolated(nonsending) func waitForAction(
    at location: TestLocation, patience: Duration, isEnd: Bool = false,
    or isEnough: () -> Bool = { false }
  ) async {
    catchUp(at: location)
    let isInTime = await wait(at: location, patience: patience, isEnd: isEnd) {
      next != nil || isEnough()
    }
    guard !isInTime else { return }
    fail(
      .nothingReceived, "Waited \(patience) for an effect, and nothing came. \(whyNothing)",
      at: location)
  }

  /// Waits for other threads until `isEnough`, or no effect is left; not longer than `patience`.
  ///
  /// - Parameter isEnd: At the end of a test, subscriptions are not awaited: they need not end.
  /// - Returns: False if the patience was over first.
  nonisolated(nonsending) func wait(
    at location: TestLocation, patience: Duration, isEnd: Bool = false, until isEnough: () -> Bool
  ) async -> Bool {
    let alarm = Alarm()
    let executor = clock.executor
    let watch = Task {
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      alarm.ring()
      executor.wakeWaiters()
    }
    defer { watch.cancel() }
    finishEnded(at: location)
    while !isEnough(), unended.contains(where: { !isEnd || $0.cause != nil }), !Task.isCancelled {
      if alarm.hasRung { return false }
      await executor.waitUntilReady(unless: { alarm.hasRung })
      finishEnded(at: location)
    }
    return true
  }

  /// Ends the store: what runs is cancelled, what was received is dropped.
  func close(at location: TestLocation) {
    guard !isFinished else { return }
    isFinished = true
    store.closeHeld()
    finishEnded(at: location)
  }

  // MARK: Failures

  func fail(_ kind: TestFailure.Kind, _ message: String, at location: TestLocation) {
    let failure = TestFailure(kind: kind, message: message, location: location)
    failures.append(failure)
    report(failure)
  }

  /// Tells of something that a store that is not exhaustive lets pass.
  func skip(
    _ kind: TestFailure.Kind, _ message: @autoclosure () -> String, at position: TestLocation
  ) {
    reportSkipped?(TestFailure(kind: kind, message: message(), location: position))
  }

  /// Whether there is still a store to use; says so if there is none.
  func isOpen(at location: TestLocation) -> Bool {
    guard isFinished else { return true }
    fail(.issue, "The test store has finished: finish() is the end of a test.", at: location)
    return false
  }

  /// What the closure makes of `state`; `nil` if it throws, which is a failure.
  func apply(
    _ closure: (inout State) throws -> Void, to state: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) -> State? {
    var changed = state
    do {
      try closure(&changed)
      return changed
    } catch {
      fail(.closureThrew, "The closure \(subject()) threw: \(error)", at: location)
      return nil
    }
  }

  /// Compares what the last step returned with what was expected.
  func checkEffects(
    _ expected: [EffectDescriptor]?, of found: [EffectDescriptor]? = nil,
    _ subject: @autoclosure () -> String, at location: TestLocation
  ) {
    guard let expected, let found = found ?? lastStep?.effects, found != expected else { return }
    fail(
      .effectsDiffer,
      "The effects of \(subject()) are not the expected ones (- expected, + returned):\n\n"
        + effectDifference(expected, found), at: location)
  }

  /// Which action the current turn continues with, and why nothing else can be reduced; `nil` if no
  /// turn is under way.
  var whyTurn: String? {
    guard turnCount > 0, let next else { return nil }
    return
      "The turn is not over, and `\(short(next))` is next: all that an action causes at once, by "
      + "`.send` effects, is reduced before any other action."
  }

  /// Why no action was received.
  var whyNothing: String {
    let effects = unended
    guard !effects.isEmpty else {
      return "No effect is running: it never started, has ended, or was cancelled."
    }
    let names = effects.map { title($0.descriptor) }.joined(separator: ", ")
    var text = "Still running: \(names)."
    if let next = clock.nextDeadline {
      text +=
        " The clock shows \(clock.now), and the next sleeper wakes at \(next): advance the clock."
    }
    return text
  }

  /// Tells of received actions and running effects that the test left behind.
  func reportLeftovers(at location: TestLocation, to tell: (TestFailure) -> Void) {
    finishEnded(at: location)
    let waiting = waiting
    if !waiting.isEmpty {
      tell(
        TestFailure(
          kind: .unreceivedActions,
          message:
            "\(count(waiting.count, "action")) came from effects and the test did not receive "
            + "\(waiting.count == 1 ? "it" : "them"):\n\(list(waiting))\n"
            + "Receive \(waiting.count == 1 ? "it" : "each"), or call skipReceivedActions().",
          location: location))
    }
    // What the state declares runs for as long as it does: no test can let it end, and none need.
    for case let (effect, cause?) in unended.map({ ($0, $0.cause) }) {
      tell(
        TestFailure(
          kind: .effectRunning, message: leftover(effect, cause),
          location: locations[effect.step] ?? created))
    }
  }

  func fail(_ failure: TestFailure) {
    fail(failure.kind, failure.message, at: failure.location)
  }

  private func leftover(_ effect: RunningEffect<Action>, _ cause: Action) -> String {
    let name = title(effect.descriptor)
    let cause = "It was started by `\(short(cause))`, step \(effect.step)."
    if effect.phase == .cancelled {
      return "The effect \(name) was cancelled and has not ended. \(cause) "
        + "It waits for something that does not heed cancellation."
    }
    return "The effect \(name) is still running at the end of the test. \(cause) "
      + "Let it end (advance the clock, give it its answer), cancel it by an action, "
      + "or call skipInFlightEffects()."
  }
}

/// Records that a wait has lasted long enough.
private final class Alarm: Sendable {
  private let rung = Mutex(false)

  var hasRung: Bool { rung.withLock { $0 } }

  func ring() { rung.withLock { $0 = true } }
}
