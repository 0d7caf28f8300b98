import SwiftBoardStore

/// What `TestStore` and `NonExhaustiveTestStore` have in common: a store whose steps a test takes
/// one at a time.
///
/// Effects run on the test's own executor and clock. An action of an effect is reduced when the
/// test receives it, not before. Dependencies may be replaced between steps. Each method reports at
/// the line that called it.
///
/// Steps have the order that they have in a store (R2): the actions of `.send` effects belong to
/// the turn of the action that caused them, and come before what other effects sent and before what
/// the test sends.
///
/// It belongs to one test: it is not `Sendable`. Many run side by side, since they share nothing.
public class SteppedStore<R: Reducer> {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action
  /// A closure about the state from after a step: what it is given, and what that has to become, is
  /// the store's own.
  public typealias StateAssertion = (_ state: inout State) throws -> Void

  let core: TestCore<R>

  init(core: TestCore<R>) {
    self.core = core
  }

  // MARK: What differs

  /// Before an action is sent.
  func prepare(for action: Action, at location: TestLocation) {}

  /// Whether the state after a step is what the test says.
  func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {}

  /// Reduces the action that is wanted, if it is there.
  ///
  /// - Parameter passed: The actions that were reduced unseen on the way; added to.
  func look(
    for wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?,
    passed: inout [PassedAction<State, Action>]
  ) -> Sight<Action> { .absent }

  /// After a `receive` that failed, with what was reduced unseen on the way.
  func noteFailure(passed: [PassedAction<State, Action>]) {}

  /// Whether it is a failure when there is nothing to skip, where the test does not say.
  var isStrict: Bool { false }

  /// Tells of what is left, at the end.
  func close(at location: TestLocation) {}

  // MARK: Looking

  /// The state after the last step. Actions that were not received are not in it. A copy, under one
  /// lock.
  public var state: State { core.state }
  /// The time that `advance(by:)` moves.
  public var clock: TestClock { core.clock }
  /// What the last step returned, in order. Empty before the first step. O(1), under one lock.
  public var effects: [EffectDescriptor] { core.lastStep?.effects ?? [] }
  /// The sender of the last step's action; `nil` before the first step. A `send` of the test is
  /// `.program` with its line.
  public var origin: StepOrigin? { core.lastStep?.origin }
  /// What runs, is waiting for its turn in a sequence, or was cancelled and has not ended.
  ///
  /// - Complexity: O(most effects that there ever were at once).
  public var inFlight: [RunningEffect<Action>] { core.unended }
  /// What effects sent and the test has not received yet, oldest first. O(n).
  public var received: [Action] { core.waiting }
  /// What was reported so far. All are kept for the life of the store.
  public var failures: [TestFailure] { core.failures }

  /// What the reducer gets from the next step on. Effects that run keep what they were made with.
  /// One lock.
  public var dependencies: R.Dependencies {
    get { core.box.dependencies }
    set { core.box.dependencies = newValue }
  }

  // MARK: Sending

  /// Reduces `action`, and then runs effects until none can continue. In a `TestStore` an action
  /// that was not received is a failure here, and is reduced first; so is a state or are effects
  /// that differ, an issue of the store, and a store that has finished. All at the line of the
  /// call.
  ///
  /// - Parameters:
  ///   - effects: What the step has to return, in order; not checked if omitted.
  ///   - assertion: Says what the state is afterwards. In a `TestStore` it makes of the state from
  ///     before the state from after, and leaving it out says that nothing changes; in a
  ///     `NonExhaustiveTestStore` it gets the state from after, and what it sets must be so
  ///     already.
  /// - Returns: A handle to what the action set going; one to nothing where the store has finished.
  /// - Complexity: The reducer's own and what the effects do; one or two comparisons of states.
  ///   Differences are made by reflection, and only of failures.
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

  /// Reduces an action that is named by its case and what that holds; as `send`. Its failures, cost
  /// and result are the same as for `send`.
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
  /// In a `TestStore` another action is a failure that reduces nothing, and says whether the
  /// expected one is further back in the queue. Later lines do not fail for the reported actions:
  /// they begin by reducing these, unless they receive them. In a `NonExhaustiveTestStore` other
  /// actions are passed over.
  ///
  /// - Parameters:
  ///   - effects: As in `send`.
  ///   - assertion: As in `send`.
  /// - Returns: The action that was reduced; `nil` if another or none came, which is a failure.
  /// - Complexity: As `send`; in a `NonExhaustiveTestStore` for each action that is passed over.
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

  /// Reduces the next action that an effect sent, if `isExpected` accepts it; waits in real time
  /// for effects that need it, such as those that wait for another thread.
  ///
  /// `waitForAction` accepts any action, whereas this waits for the expected one: a
  /// `NonExhaustiveTestStore` passes over what is there already. The wait ends with a failure when
  /// no effect runs any more, when the patience is over, and in a `TestStore` when another action
  /// is the next. An effect that sleeps on the test's clock keeps it waiting: advance that first.
  /// Cancelling the calling task ends the wait.
  ///
  /// - Parameters:
  ///   - patience: How long to wait at most, by the machine's clock.
  ///   - effects: As in `send`.
  ///   - assertion: As in `send`.
  /// - Returns: As `receive(where:)`.
  /// - Complexity: As `receive(where:)`, and one lock and one suspension each time that something
  ///   may have changed.
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

  /// Reduces the next action that an effect sent, if it is of this case; as `receive(where:)`.
  ///
  /// - Returns: What the case holds; `nil` if another action or none came, which is a failure.
  /// - Complexity: As `receive(where:)`.
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

  /// Reduces the next action that an effect sent, if it is of this case; waits in real time, as
  /// `receive(where:within:)`.
  ///
  /// - Parameter patience: How long to wait at most, by the machine's clock.
  /// - Returns: What the case holds; `nil` if another action or none came, which is a failure.
  /// - Complexity: As `receive(where:within:)`.
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

  /// Reduces the next action that an effect sent, if it is of this case and holds `value`; as
  /// `receive(where:)`. One that differs is a failure that shows the difference. Costs what that
  /// does, and one comparison.
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

  /// Reduces the next action that an effect sent, if it is of this case and holds `value`; waits in
  /// real time, as `receive(where:within:)`. Costs what that does, and a comparison for each action
  /// that is looked at.
  ///
  /// - Parameter patience: How long to wait at most, by the machine's clock.
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

  /// Actions that are not `Equatable` cannot be compared. Does not compile.
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

  /// Gives the action that was reduced, or reports that the one that is wanted was not there.
  ///
  /// - Parameter patience: How long was waited for it in vain.
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

  /// Checks the present state, outside of any step. A difference is a failure at this line, and so
  /// is a closure that throws. One comparison of states.
  ///
  /// - Parameter assertion: Gets the state; what it sets must be so already.
  public func assert(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, _ assertion: StateAssertion
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.check(
      assertion, against: core.state, "The state", "for the state", at: location)
  }

  /// Checks every step from here on against declared transitions; one that is not declared is a
  /// failure at the line that took it.
  ///
  /// - Parameter monitor: Notes what happens; several tests may share it, for coverage over all of
  ///   them.
  /// - Complexity: One comparison of two labels for each step, and a copy of the state.
  public func watch<Label, Event>(_ monitor: TransitionMonitor<State, Action, Label, Event>) {
    var walk = monitor.walk(from: core.state)
    core.add { step, state in walk.take(step, state)?.description }
  }

  // MARK: Time

  /// Moves the clock on; see `TestClock.advance(by:)`. Effects that wake run now, on the calling
  /// thread; issues that come up are failures at this line.
  public func advance(
    by duration: Duration, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.clock.advance(by: duration)
    core.finishEnded(at: location)
  }

  /// Runs what is ready: after the test gave an effect what it waits for. Issues that come up are
  /// failures at this line. Runs on the calling thread until nothing is ready.
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.finishEnded(at: location)
  }

  /// Returns when an action is there to be received or no effect runs any more: for effects that
  /// wait for another thread. An effect that sleeps on the test's clock keeps it waiting: advance
  /// that first. Cancelling the calling task ends the wait.
  ///
  /// It returns at once while any action is unreceived. To wait for a particular one, use
  /// `receive(_:within:)`.
  ///
  /// What the state declares counts as an effect that runs.
  ///
  /// - Parameter patience: How long, by the machine's clock. When it is over, that is a failure,
  ///   which names what still runs.
  /// - Complexity: One lock and one suspension each time that something may have changed.
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

  /// Reduces all received actions, including the actions that this causes, and returns them.
  ///
  /// - Parameter strict: Whether it is a failure when there is none. A `TestStore` is strict by
  ///   default, a `NonExhaustiveTestStore` is not.
  /// - Returns: In the order in which they were reduced; empty if the store has finished, which is
  ///   a failure.
  /// - Complexity: The reducer's own for each, and what the effects do.
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

  /// Cancels all effects; what they sent and the test did not receive is dropped.
  ///
  /// - Parameter strict: Whether it is a failure when none runs; as in `skipReceivedActions`.
  /// - Returns: What was running.
  /// - Complexity: O(number of effects), and what they do when they are cancelled.
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

  /// Ends the test. A `TestStore` reports actions that were not received, here, and effects that
  /// run, each at the line of the step that started it; a `NonExhaustiveTestStore` lets both go.
  /// Effects are cancelled.
  ///
  /// A store that is dropped without it does the same, and reports unreceived actions at the line
  /// that made it. A second call, and every step after it, is a failure.
  ///
  /// - Complexity: O(number of effects and of unreceived actions).
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    close(at: location)
    core.close(at: location)
  }

  /// As `finish`, after effects that wait for another thread have ended or sent an action. An
  /// effect that sleeps on the test's clock keeps it waiting: advance that first. Cancelling the
  /// calling task ends the wait.
  ///
  /// - Parameter patience: As in `waitForAction`.
  /// - Complexity: As `waitForAction` and `finish`.
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
  /// Reduces the next action that an effect sent, which must be `action`; as `receive(where:)`. A
  /// different one is a failure that shows the difference, by reflection. Costs what that does, and
  /// one comparison.
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

  /// Reduces the next action that an effect sent, which must be `action`; waits in real time, as
  /// `receive(where:within:)`. Costs what that does, and a comparison for each action that is
  /// looked at.
  ///
  /// - Parameter patience: How long to wait at most, by the machine's clock.
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

  /// Checks a state against a closure that gets it.
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
