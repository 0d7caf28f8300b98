import SwiftBoardStore

/// The base class of `TestStore` and `NonExhaustiveTestStore`: a store whose steps a test performs
/// one at a time.
///
/// Effects run on the test's own executor and clock. An action of an effect is not reduced before
/// the test receives it. Dependencies may be replaced between steps. Each method reports failures
/// at the line of its call.
///
/// Steps have the same order as in a store (R2): the actions of `.send` effects belong to the turn
/// of the action that caused them, and precede the actions of other effects and of the test.
///
/// A store belongs to one test and is not `Sendable`. Tests can run in parallel, since their stores
/// share nothing.
public class SteppedStore<R: Reducer> {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action
  /// A closure that states the state after a step. Subclasses define which state it receives, and
  /// what it must make of it.
  public typealias StateAssertion = (_ state: inout State) throws -> Void

  let core: TestCore<R>

  init(core: TestCore<R>) {
    self.core = core
  }

  // MARK: What differs

  /// Called before an action is sent.
  func prepare(for action: Action, at location: TestLocation) {}

  /// Checks that the state after a step is as the test states.
  func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {}

  /// Reduces the expected action, if it was sent.
  ///
  /// - Parameter passed: The skipped actions, to which this method appends.
  func look(
    for wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?,
    passed: inout [PassedAction<State, Action>]
  ) -> Sight<Action> { .absent }

  /// Called after a failed `receive`, with the actions that it skipped.
  func noteFailure(passed: [PassedAction<State, Action>]) {}

  /// The default of `strict`: whether it is a failure if there is nothing to skip.
  var isStrict: Bool { false }

  /// Reports remaining actions and effects at the end.
  func close(at location: TestLocation) {}

  // MARK: Looking

  /// The state after the last step. It does not include actions that were not received.
  public var state: State { core.state }
  /// The clock that `advance(by:)` advances.
  public var clock: TestClock { core.clock }
  /// The effects of the last step, in order. Empty before the first step.
  public var effects: [EffectDescriptor] { core.lastStep?.effects ?? [] }
  /// The sender of the last step's action, or `nil` before the first step. For a `send` of the
  /// test, it is `.program` with the line.
  public var origin: StepOrigin? { core.lastStep?.origin }
  /// The effects that run, wait for their turn in a sequence, or were cancelled and have not ended.
  ///
  /// - Complexity: O(maximum number of simultaneous effects so far).
  public var inFlight: [RunningEffect<Action>] { core.unended }
  /// The actions of effects that the test has not received, oldest first.
  ///
  /// - Complexity: O(number of actions).
  public var received: [Action] { core.waiting }
  /// The failures reported so far. The store keeps all of them.
  public var failures: [TestFailure] { core.failures }

  /// The dependencies of the reducer from the next step on. Running effects keep those they were
  /// created with.
  public var dependencies: R.Dependencies {
    get { core.box.dependencies }
    set { core.box.dependencies = newValue }
  }

  // MARK: Sending

  /// Reduces `action`, and then runs effects until none can continue.
  ///
  /// Reports failures at the line of the call: for a state or effects that differ, an issue of the
  /// store, or a store that has finished. In a `TestStore`, an action that was not received is also
  /// a failure, and is reduced first.
  ///
  /// - Parameters:
  ///   - effects: The expected effects of the step, in order. If omitted, effects are not checked.
  ///   - assertion: States the state after the step. In a `TestStore`, it changes the state before
  ///     the step into the state after it; if omitted, the state must not change. In a
  ///     `NonExhaustiveTestStore`, it receives the state after the step, which must already have
  ///     the values that it sets.
  /// - Returns: A handle to the effects of the action, or a handle without effects if the store has
  ///   finished.
  /// - Complexity: That of the reducer and the effects, and one or two comparisons of states.
  ///   Differences are computed by reflection, only for failures.
  @discardableResult
  public func send(
    _ action: Action, effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    assert assertion: StateAssertion? = nil
  ) -> TestTask {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let core = core
    guard core.isOpen(at: location) else { return TestTask(.ended, nil) }
    core.finishEnded(at: location)
    core.catchUp(at: location)
    prepare(for: action, at: location)
    let before = core.state
    let task = core.send(action, at: location)
    check(assertion, before: before, "`\(short(action))`", at: location)
    core.checkEffects(effects, "`\(short(action))`", at: location)
    core.finishEnded(at: location)
    return TestTask(task, core.taskHooks)
  }

  /// Reduces an action, given by its case and payload. Failures, cost and result are those of
  /// `send`.
  @discardableResult
  public func send<Value>(
    _ path: CasePath<Action, Value>, _ value: Value, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) -> TestTask {
    send(
      path.embed(value), effects: effects, fileID: fileID, filePath: filePath, line: line,
      column: column, assert: assertion)
  }

  // MARK: Receiving

  /// Reduces the next action that an effect sent, if `isExpected` accepts it.
  ///
  /// In a `TestStore`, another action is a failure that reduces nothing, and its message says
  /// whether the expected one is later in the queue. Later lines do not fail for the reported
  /// actions: they reduce these first, unless they receive them. In a `NonExhaustiveTestStore`,
  /// other actions are skipped.
  ///
  /// - Parameters:
  ///   - effects: As for `send`.
  ///   - assertion: As for `send`.
  /// - Returns: The reduced action, or `nil` after a failure, if there was another action or none.
  /// - Complexity: That of `send`. In a `NonExhaustiveTestStore`, also for each skipped action.
  @discardableResult
  public func receive(
    where isExpected: (Action) -> Bool, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) -> Action? {
    withoutActuallyEscaping(isExpected) { isExpected in
      take(
        .accepted(
          by: isExpected,
          at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
        effects, assertion)
    }
  }

  /// Reduces the next action that an effect sent, if `isExpected` accepts it. Waits in real time
  /// for effects that require it, such as those that wait for another thread.
  ///
  /// Unlike `waitForAction`, which accepts any action, this waits for the expected one. A
  /// `NonExhaustiveTestStore` skips earlier actions. The wait ends with a failure if no effect is
  /// running, if the patience ends, or, in a `TestStore`, if the next action is another one. An
  /// effect that sleeps on the test's clock prolongs the wait, so advance the clock first.
  /// Cancelling the calling task ends the wait.
  ///
  /// - Parameters:
  ///   - patience: The maximum real time to wait.
  ///   - effects: As for `send`.
  ///   - assertion: As for `send`.
  /// - Returns: As for `receive(where:)`.
  /// - Complexity: That of `receive(where:)`, and one suspension for each possible change.
  @discardableResult
  nonisolated(nonsending)
    public func receive(
      where isExpected: @escaping (Action) -> Bool, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async -> Action?
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return await take(.accepted(by: isExpected, at: location), patience, effects, assertion)
  }

  /// Reduces the next action that an effect sent, if it has this case, like `receive(where:)`.
  ///
  /// - Returns: The payload of the case, or `nil` after a failure, if there was another action or
  ///   none.
  /// - Complexity: That of `receive(where:)`.
  @discardableResult
  public func receive<Value>(
    _ path: CasePath<Action, Value>, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) -> Value? {
    take(
      .of(path, at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion
    ).flatMap(path.extract)
  }

  /// Reduces the next action that an effect sent, if it has this case. Waits in real time, like
  /// `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  /// - Returns: The payload of the case, or `nil` after a failure, if there was another action or
  ///   none.
  /// - Complexity: That of `receive(where:within:)`.
  @discardableResult
  nonisolated(nonsending)
    public func receive<Value>(
      _ path: CasePath<Action, Value>, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async -> Value?
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return await take(.of(path, at: location), patience, effects, assertion).flatMap(path.extract)
  }

  /// Reduces the next action that an effect sent, if it has this case and the payload `value`, like
  /// `receive(where:)`. The failure for a different payload shows the difference.
  public func receive<Value: Equatable>(
    _ path: CasePath<Action, Value>, _ value: Value, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) {
    _ = take(
      .value(
        of: path, value,
        at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion)
  }

  /// Reduces the next action that an effect sent, if it has this case and the payload `value`.
  /// Waits in real time, like `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  nonisolated(nonsending)
    public func receive<Value: Equatable>(
      _ path: CasePath<Action, Value>, _ value: Value, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await take(.value(of: path, value, at: location), patience, effects, assertion)
  }

  /// Unavailable, since actions that are not `Equatable` cannot be compared.
  @available(
    *, unavailable,
    message: "This action is not Equatable: receive it by its case path, or with receive(where:)."
  )
  public func receive(
    _ action: Action, effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    assert assertion: StateAssertion? = nil
  ) {}

  private func take(
    _ wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?
  ) -> Action? {
    guard core.isOpen(at: wanted.location) else { return nil }
    core.finishEnded(at: wanted.location)
    var passed: [PassedAction<State, Action>] = []
    let sight = look(for: wanted, effects, assertion, passed: &passed)
    return conclude(sight, wanted, passed)
  }

  nonisolated(nonsending)
    private func take(
      _ wanted: Wanted<Action>, _ patience: Duration, _ effects: [EffectDescriptor]?,
      _ assertion: StateAssertion?
    ) async -> Action?
  {
    guard core.isOpen(at: wanted.location) else { return nil }
    var passed: [PassedAction<State, Action>] = []
    var sight = Sight<Action>.absent
    let isInTime = await core.wait(at: wanted.location, patience: patience) {
      sight = look(for: wanted, effects, assertion, passed: &passed)
      if case .absent = sight { return false }
      return true
    }
    return conclude(sight, wanted, passed, after: isInTime ? nil : patience)
  }

  /// Returns the reduced action, or reports that the expected one was not sent.
  ///
  /// - Parameter patience: The time spent waiting for the action.
  private func conclude(
    _ sight: Sight<Action>, _ wanted: Wanted<Action>, _ passed: [PassedAction<State, Action>],
    after patience: Duration? = nil
  ) -> Action? {
    switch sight {
    case .received(let action):
      return action
    case .refused(let next):
      core.refuse(next, wanted)
    case .absent:
      let others =
        passed.isEmpty
        ? "no effect sent an action. "
        : "only \(passed.count == 1 ? "this" : "these") came:\n\(list(passed.map(\.action)))\n"
      let time = patience.map { " within \($0)" } ?? ""
      core.fail(
        .nothingReceived,
        "Expected to receive \(wanted.name())\(time), but \(others)\(core.whyNothing)",
        at: wanted.location)
    }
    noteFailure(passed: passed)
    return nil
  }

  // MARK: Asserting

  /// Checks the current state outside of any step. A difference is a failure at this line, and so
  /// is a closure that throws.
  ///
  /// - Parameter assertion: Receives the state, which must already have the values that it sets.
  public func assert(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ assertion: StateAssertion
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.check(
      assertion, against: core.state, "The state", "for the state", at: location)
  }

  /// Checks every step from here on against declared transitions. A step with an undeclared
  /// transition is a failure at its line.
  ///
  /// - Parameter monitor: Records the transitions. Several tests may share it, for their common
  ///   coverage.
  /// - Complexity: One comparison of two labels for each step, and a copy of the state.
  public func watch<Label, Event>(_ monitor: TransitionMonitor<State, Action, Label, Event>) {
    var walk = monitor.walk(from: core.state)
    core.add { step, state in walk.take(step, state)?.description }
  }

  // MARK: Time

  /// Advances the clock; see `TestClock.advance(by:)`. Effects that wake run on the calling thread.
  /// Issues that they cause are failures at this line.
  public func advance(
    by duration: Duration, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.clock.advance(by: duration)
    core.finishEnded(at: location)
  }

  /// Runs ready tasks on the calling thread until none is left. Call this after the test has
  /// provided what an effect waits for. Issues that occur are failures at this line.
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.finishEnded(at: location)
  }

  /// Waits until there is an action to receive or no effect is running, for effects that wait for
  /// another thread. An effect that sleeps on the test's clock prolongs the wait, so advance the
  /// clock first. Cancelling the calling task ends the wait.
  ///
  /// It returns immediately if there is any action that was not received. To wait for a particular
  /// action, use `receive(_:within:)`.
  ///
  /// Subscriptions that the state declares count as running effects.
  ///
  /// - Parameter patience: The maximum real time to wait. When it ends, that is a failure that
  ///   names the running effects.
  /// - Complexity: One suspension for each possible change.
  nonisolated(nonsending)
    public func waitForAction(
      patience: Duration = .seconds(10), fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column
    ) async
  {
    await core.waitForAction(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      patience: patience)
  }

  // MARK: Leaving out

  /// Reduces all actions that were sent but not received, including those that this causes, and
  /// returns them.
  ///
  /// - Parameter strict: Whether it is a failure if there is no action. A `TestStore` is strict by
  ///   default, a `NonExhaustiveTestStore` is not.
  /// - Returns: The actions in the order in which they were reduced, or an empty array if the store
  ///   has finished, which is a failure.
  /// - Complexity: That of the reducer for each action, and that of the effects.
  @discardableResult
  public func skipReceivedActions(
    strict: Bool? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) -> [Action] {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return [] }
    core.catchUp(at: location)
    let actions = core.reduceAll(at: location)
    if actions.isEmpty, strict ?? isStrict {
      core.fail(.nothingToSkip, "There are no received actions to skip.", at: location)
    }
    return actions
  }

  /// Cancels all effects, and drops those of their actions that the test has not received.
  ///
  /// - Parameter strict: Whether it is a failure if no effect is running, as for
  ///   `skipReceivedActions`.
  /// - Returns: The effects that were running.
  /// - Complexity: O(number of effects), and the cost of their cancellation.
  @discardableResult
  public func skipInFlightEffects(
    strict: Bool? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) -> [EffectDescriptor] {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return [] }
    core.catchUp(at: location)
    let effects = core.cancelEffects(at: location)
    if effects.isEmpty, strict ?? isStrict {
      core.fail(.nothingToSkip, "There are no effects in flight to skip.", at: location)
    }
    return effects.map(\.descriptor)
  }

  // MARK: The end

  /// Ends the test, and cancels all effects. A `TestStore` reports actions that were not received
  /// at this line, and each running effect at the line of the step that started it. A
  /// `NonExhaustiveTestStore` reports neither.
  ///
  /// If `finish` is not called, deinitialization does the same, and reports actions at the line
  /// that created the store. A second call, and every later step, is a failure.
  ///
  /// - Complexity: O(number of effects and unreceived actions).
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    close(at: location)
    core.close(at: location)
  }

  /// Ends the test like `finish`, after waiting until effects that wait for another thread have
  /// ended or sent an action. An effect that sleeps on the test's clock prolongs the wait, so
  /// advance the clock first. Cancelling the calling task ends the wait.
  ///
  /// - Parameter patience: As for `waitForAction`.
  /// - Complexity: That of `waitForAction` and `finish`.
  nonisolated(nonsending)
    public func finishWhenReady(
      patience: Duration = .seconds(10), fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column
    ) async
  {
    await core.waitForAction(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      patience: patience, isEnd: true)
    finish(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension SteppedStore where R.Action: Equatable {
  /// Reduces the next action that an effect sent, which must be `action`, like `receive(where:)`.
  /// The failure for a different action shows the difference, by reflection.
  public func receive(
    _ action: Action, effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    assert assertion: StateAssertion? = nil
  ) {
    _ = take(
      .equal(
        to: action,
        at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion)
  }

  /// Reduces the next action that an effect sent, which must be `action`. Waits in real time, like
  /// `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  nonisolated(nonsending)
    public func receive(
      _ action: Action, within patience: Duration, effects: [EffectDescriptor]? = nil,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column, assert assertion: StateAssertion? = nil
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await take(.equal(to: action, at: location), patience, effects, assertion)
  }
}

extension TestCore {
  var taskHooks: TestTask.Hooks {
    TestTask.Hooks(
      finishEnded: {
        self.catchUp(at: $0)
        self.finishEnded(at: $0)
      }, forgetCancelled: { self.forgetCancelled() },
      fail: { self.fail(.effectRunning, $0, at: $1) },
      wait: { location, patience, isEnough in
        await self.waitForAction(at: location, patience: patience, isEnd: true, or: isEnough)
      },
      whatIsLeft: {
        let waiting = self.waiting
        guard !waiting.isEmpty else { return self.whyNothing }
        return
          "\(count(waiting.count, "action")) of effects \(waiting.count == 1 ? "waits" : "wait") "
          + "to be received:\n\(list(waiting))"
      })
  }

  /// Checks a state with a closure that receives it.
  func check(
    _ assertion: (inout State) throws -> Void, against actual: State,
    _ title: @autoclosure () -> String, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    guard let expected = apply(assertion, to: actual, subject(), at: location) else { return }
    guard !isEqual(expected, actual) else { return }
    fail(
      .stateDiffers,
      "\(title()) is not the expected one (- expected, + actual):\n\n"
        + difference(expected, actual), at: location)
  }
}
