import SwiftBoardStore
import Synchronization

/// The implementation of a test store: a held store, its executor and clock, the origin of each
/// step, and the receiver of failures.
final class TestCore<R: Reducer> {
  typealias State = R.State
  typealias Action = R.Action
  /// Checks a step and the state after it. Returns a message if they are wrong.
  typealias Watcher = (Step<Action>, State) -> String?

  /// The reports of the store during reductions, from any thread.
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
  let isEqual = equality(of: State.self)
  /// Whether a dropped action that the test has not received is a failure.
  var isExhaustive: Bool
  /// Receives what a non-exhaustive store does not check.
  var reportSkipped: TestReporter?
  private(set) var failures: [TestFailure] = []
  private(set) var isFinished = false
  private let store: Store<BoxedReducer<R>>
  /// Whether the reducer declares subscriptions, which run without a sent action.
  private let declares: Bool
  private let report: TestReporter
  private let reportedActions = ReportedActions()
  private var watchers: [Watcher] = []
  /// The handles of sent actions, except those that had ended at the last check.
  private var sent: [StoreTask] = []
  /// The line of the test that reduced each step.
  private var locations: [Int: TestLocation] = [:]
  /// The waiting actions that a failed `receive` has reported: how many of each text, since actions
  /// need not be `Equatable`.
  private var reported: [String: Int] = [:]
  /// The steps that were reduced before a line received their actions, because an earlier line was
  /// wrong. Later lines may receive them.
  private(set) var early: [PassedAction<State, Action>] = []

  init(
    state: State, reducer: R, dependencies: R.Dependencies, clock: TestClock,
    created: TestLocation, isExhaustive: Bool, report: @escaping TestReporter,
    reportSkipped: TestReporter?
  ) {
    let reportedActions = reportedActions
    self.isExhaustive = isExhaustive
    self.clock = clock
    self.created = created
    self.report = report
    self.reportSkipped = reportSkipped
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
  /// The state before the step whose change a closure is stating. It could otherwise state the
  /// change by the store's own state, and no test would fail.
  private(set) var stateBeforeStep: State?
  var lastStep: Step<Action>? { reportedActions.content.withLock { $0.step } }
  var waiting: [Action] { isQuiet ? [] : store.waiting.map(\.action) }
  /// The oldest waiting action.
  var next: Action? { isQuiet ? nil : store.nextWaiting?.action }
  /// The number of oldest waiting actions that belong to the current turn.
  var turnCount: Int { isQuiet ? 0 : store.waiting.prefix(while: \.isOfTurn).count }
  var unended: [RunningEffect<Action>] { isQuiet ? [] : store.unendedEffects }

  /// Whether all sent actions have ended, so that nothing runs and nothing waits. `false` may also
  /// mean that cancelled actions are still in the queue.
  ///
  /// - Complexity: Amortized O(1), much cheaper than listing the running effects.
  private var isQuiet: Bool {
    while let last = sent.last, last.isFinished { sent.removeLast() }
    return sent.isEmpty && !declares
  }

  // MARK: Steps

  /// Reduces an action of the test.
  func send(_ action: Action, at location: TestLocation) -> StoreTask {
    let task = store.sendHeld(action, origin: .program(location.description))
    sent.append(task)
    stepped(at: location)
    return task
  }

  /// Reduces the oldest waiting action and returns it.
  func reduceNext(at location: TestLocation) -> Action? {
    guard store.reduceNext() else { return nil }
    stepped(at: location)
    guard let action = lastStep?.action else { return nil }
    if !reported.isEmpty, let number = reported[text(action)] {
      reported[text(action)] = number > 1 ? number - 1 : nil
    }
    return action
  }

  /// Reduces waiting actions until none is left, including the actions that this causes.
  func reduceAll(at location: TestLocation) -> [Action] {
    var actions: [Action] = []
    finishEnded(at: location)
    while let action = reduceNext(at: location) {
      actions.append(action)
      finishEnded(at: location)
    }
    return actions
  }

  /// Reports that `action` is the next one instead of the expected one. Reduces nothing.
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
    reported = [:]
    for action in waiting.prefix((position ?? 0) + 1) { reported[text(action), default: 0] += 1 }
    fail(
      .unexpectedAction, "\(wanted.refusal(action))\n\n\(whereabouts)Nothing was reduced.",
      at: wanted.location)
  }

  /// Reduces the next action if a failed `receive` has reported it. Returns `false` otherwise.
  func reduceReported(at location: TestLocation) -> Bool {
    guard !reported.isEmpty, let next, reported[text(next)] != nil, reduceEarly(at: location)
    else { return false }
    early[early.count - 1].isReported = true
    return true
  }

  /// Reduces the next action although no line has received it. Returns whether there was one.
  func reduceEarly(at location: TestLocation) -> Bool {
    let before = state
    guard let action = reduceNext(at: location) else { return false }
    early.append(passed(action, before: before))
    finishEnded(at: location)
    return true
  }

  /// The last step, for a line that may receive it later.
  func passed(_ action: Action, before: State) -> PassedAction<State, Action> {
    PassedAction(
      step: store.stepCount, action: action, effects: lastStep?.effects ?? [], before: before,
      after: state)
  }

  /// Removes a step from `early`, for the line that receives it.
  func takeEarly(at index: Int, by location: TestLocation) -> PassedAction<State, Action> {
    let step = early.remove(at: index)
    locations[step.step] = location
    return step
  }

  /// Removes all steps from `early`, or as many of the oldest.
  func dropEarly(_ number: Int? = nil) {
    early.removeFirst(number ?? early.count)
  }

  /// Adds the steps that a `receive` has skipped, to those that later lines may receive.
  func keepEarly(_ passed: [PassedAction<State, Action>]) {
    early += passed.map { step in
      var step = step
      step.isReported = true
      return step
    }
  }

  /// Reduces the actions that failed `receive`s have reported, up to one that they have not, so
  /// that the test continues from the state after them.
  func catchUp(at location: TestLocation) {
    guard !isFinished else { return }
    while reduceReported(at: location) {}
    guard !reported.isEmpty else { return }
    // The reported actions of effects that have been cancelled do not wait any more.
    var left: [String: Int] = [:]
    for text in waiting.map(text) where left[text, default: 0] < reported[text, default: 0] {
      left[text, default: 0] += 1
    }
    reported = left
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

  /// Runs effects until none can continue, and reports the issues that occurred.
  func finishEnded(at location: TestLocation) {
    clock.executor.run()
    let issues = reportedActions.content.withLock { content in
      if content.issues.isEmpty { return [StoreIssue]() }
      defer { content.issues = [] }
      return content.issues
    }
    for issue in issues { fail(.issue, "The store reported an issue. \(issue)", at: location) }
  }

  /// Advances the clock from deadline to deadline. Before time passes, the work starts that in a
  /// running store would have started by then, although the test has not received all actions.
  func advance(by duration: Duration) {
    let end = clock.now.advanced(by: duration)
    startOverdueWork()
    while let next = clock.nextDeadline, next < end {
      clock.advance(to: next)
      startOverdueWork()
    }
    clock.advance(to: end)
  }

  private func startOverdueWork() {
    clock.executor.run()
    while !isQuiet, store.startOverdueWork() { clock.executor.run() }
  }

  /// Reduces the waiting actions that a non-exhaustive store does not check, as a running store
  /// would have done before.
  func skipWaiting(before what: String, at location: TestLocation) {
    guard !isExhaustive else { return }
    let skipped = reduceAll(at: location)
    guard !skipped.isEmpty else { return }
    skip(
      .unreceivedActions,
      "\(count(skipped.count, "action")) reduced unseen before \(what):\n\(list(skipped))",
      at: location)
  }

  /// Cancels the running effects and returns them.
  func cancelEffects(at location: TestLocation) -> [RunningEffect<Action>] {
    finishEnded(at: location)
    skipWaiting(before: "effects were cancelled", at: location)
    let effects = unended
    guard !effects.isEmpty else { return [] }
    cancel(at: location) { store.cancelEffects() }
    return effects
  }

  /// Cancels effects, and reports the actions that are dropped with them: a running store would
  /// have reduced these before, and so does a non-exhaustive one.
  func cancel(at location: TestLocation, _ cancel: () -> Void) {
    skipWaiting(before: "effects were cancelled", at: location)
    let before = waiting
    cancel()
    let after = waiting
    if after.count < before.count {
      var rest = after.map(text)[...]
      let dropped = before.filter { action in
        guard rest.first == text(action) else { return true }
        rest.removeFirst()
        return false
      }
      let them = dropped.count == 1 ? "it" : "them"
      let message =
        "\(count(dropped.count, "action")) that the test had not received "
        + "\(dropped.count == 1 ? "was" : "were") dropped with \(dropped.count == 1 ? "its" : "their") "
        + "effects:\n\(list(dropped))\nA running store reduces an action when it is sent. "
        + "Receive \(them) first, or call skipReceivedActions() first."
      if isExhaustive {
        fail(.unreceivedActions, message, at: location)
      } else {
        skip(.unreceivedActions, message, at: location)
      }
    }
    finishEnded(at: location)
  }

  /// Waits for other threads until there is an action, `isEnough` returns `true`, or no effect is
  /// left. It is a failure if that takes longer than `patience`.
  ///
  /// - Parameter isEnd: As for `wait`.
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
      .nothingReceived,
      "Waited \(patience) for an effect, and nothing came. \(whyNothing(hasWaited: true))",
      at: location)
  }

  /// Waits for other threads until `isEnough` returns `true` or no effect is left, at most for
  /// `patience`.
  ///
  /// - Parameter isEnd: Whether the test ends. Then subscriptions are not awaited, since they need
  ///   not end.
  /// - Returns: `false` if the patience ended first.
  nonisolated(nonsending) func wait(
    at location: TestLocation, patience: Duration, isEnd: Bool = false, until isEnough: () -> Bool
  ) async -> Bool {
    let alarm = Alarm()
    let executor = clock.executor
    let watch = Task {
      guard (try? await ContinuousClock().wait(for: patience)) != nil else { return }
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

  /// Ends the store. Cancels running effects and drops waiting actions.
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

  /// Reports something that a non-exhaustive store does not check.
  func skip(
    _ kind: TestFailure.Kind, _ message: @autoclosure () -> String, at position: TestLocation
  ) {
    reportSkipped?(TestFailure(kind: kind, message: message(), location: position))
  }

  /// Returns whether the store is still in use, and reports a failure if it is not.
  func isOpen(at location: TestLocation) -> Bool {
    guard isFinished else { return true }
    fail(.issue, "The test store has finished: finish() is the end of a test.", at: location)
    return false
  }

  /// Returns `state` after applying the closure, or `nil` if the closure throws, which is a
  /// failure.
  ///
  /// - Parameter before: The state before the step, or `nil` outside of a step.
  func apply(
    _ closure: (inout State) throws -> Void, to state: State, before: State?,
    _ subject: @autoclosure () -> String, at location: TestLocation
  ) -> State? {
    var changed = state
    do {
      try hidingStep(since: before) { try closure(&changed) }
      return changed
    } catch {
      fail(.closureThrew, "The closure \(subject()) threw: \(error)", at: location)
      return nil
    }
  }

  /// Calls a closure of the test, to which `SteppedStore.state` is the state before the step.
  func hidingStep(since before: State?, _ closure: () throws -> Void) rethrows {
    let outer = stateBeforeStep
    stateBeforeStep = before ?? outer
    defer { stateBeforeStep = outer }
    try closure()
  }

  /// Returns whether a closure states the change from `before` to `after`. Reports nothing.
  func holds(
    _ closure: (inout State) throws -> Void, before: State, after: State
  ) -> Bool {
    var stated = before
    let result: Void? = try? hidingStep(since: before) { try closure(&stated) }
    return result != nil && isEqual(stated, after)
  }

  /// Compares the effects of the last step with the expected ones.
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

  /// Reports waiting actions and running effects at the end of the test.
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
    // Subscriptions run as long as the state declares them. A test cannot end them and need not.
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

  /// Checks a state with a closure that receives it.
  ///
  /// - Parameter before: The state before the step, or `nil` outside of a step.
  func check(
    _ assertion: (inout State) throws -> Void, against actual: State, before: State? = nil,
    _ title: @autoclosure () -> String, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    guard
      let expected = apply(assertion, to: actual, before: before, subject(), at: location)
    else { return }
    guard !isEqual(expected, actual) else { return }
    fail(
      .stateDiffers,
      "\(title()) is not the expected one (- expected, + actual):\n\n"
        + difference(expected, actual), at: location)
  }
}

/// Records that a wait has lasted long enough.
private final class Alarm: Sendable {
  private let rung = Mutex(false)

  var hasRung: Bool { rung.withLock { $0 } }

  func ring() { rung.withLock { $0 = true } }
}

/// Returns `==` if the type is `Equatable`, and otherwise a function that compares mirrors.
///
/// The conformance is looked up at run time, so that one initializer of a test store takes every
/// state.
private func equality<Value>(of _: Value.Type) -> (Value, Value) -> Bool {
  guard let type = Value.self as? any Equatable.Type else {
    return { ValueTree($0) == ValueTree($1) }
  }
  return equality(as: type)
}

private func equality<Value, Known: Equatable>(as _: Known.Type) -> (Value, Value) -> Bool {
  { $0 as? Known == $1 as? Known }
}
