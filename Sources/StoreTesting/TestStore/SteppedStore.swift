import SwiftBoardStore

/// The base class of `TestStore` and `NonExhaustiveTestStore`: a store whose steps a test performs
/// one at a time.
///
/// Effects run on the test's own executor and clock. An action of an effect is not reduced before
/// the test receives it. Dependencies may be replaced between steps. Each method reports failures
/// at the line of its call.
///
/// Until then, the effect runs on, even if the reduction of its action will cancel it. A program
/// reduces the action as it is sent. A mock may therefore be called more often in a test than the
/// service in a program, although the steps are the same. If the body of such an effect throws, the
/// test store reports an issue that a program does not have.
///
/// Steps have the same order as in a store (R2): the actions of `.send` effects belong to the turn
/// of the action that caused them, and precede the actions of other effects and of the test.
///
/// An effect under a limit keeps its permit until the test receives its last action.
///
/// An action that the test has not received does not hold up time. In a store it would have been
/// reduced before time passes, so `advance(by:)` first starts the work that follows it in a
/// `concatenate` or waits for its permit. Three things wait until the test receives the action,
/// because the order of actions depends on its reduction: the effects that the action itself
/// causes, a `.send` or a `.cancel` that follows a `.send`, and a `.cancel` that follows work.
/// Advancing the clock itself starts nothing.
///
/// A store belongs to one test and is not `Sendable`. Tests can run in parallel, since their stores
/// share nothing.
public class SteppedStore<R: Reducer> {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action
  /// A closure that describes the state after a step. Subclasses define which state it receives,
  /// and how it has to change it.
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

  /// Returns a sentence that says which earlier line skipped the expected action, or `nil` if none
  /// did.
  func whereUnseen(_ wanted: Wanted<Action>) -> String? { nil }

  /// The default of `strict`: whether it is a failure if there is nothing to skip.
  var isStrict: Bool { false }

  /// Reports remaining actions and effects at the end.
  func close(at location: TestLocation) {}

  // MARK: Looking

  /// The state after the last step. It does not include actions that were not received. In a
  /// closure that states a step's change, it is the state before the step.
  public var state: State { core.stateBeforeStep ?? core.state }
  /// The clock that `advance(by:)` advances.
  public var clock: TestClock { core.clock }
  /// The effects of the last step, in order. Empty before the first step.
  public var effects: [EffectDescriptor] { core.lastStep?.effects ?? [] }
  /// The sender of the last step's action, or `nil` before the first step. For a `send` of the
  /// test, it is `.program` with the line.
  public var origin: StepOrigin? { core.lastStep?.origin }
  /// The effects that run, wait for their turn in a sequence, or were cancelled and have not ended.
  ///
  /// - Complexity: O(maximum number of simultaneous effects so far, and number of actions that were
  ///   not received).
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
  /// a failure, and is reduced first. Later lines that receive it do not fail.
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
    guard core.isOpen(at: location) else { return TestTask(.finished, nil) }
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
  /// Issues that they cause are failures at this line. Work that follows the actions of effects in
  /// a `concatenate` starts at its time, although the test has not received the actions.
  public func advance(
    by duration: Duration, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    core.catchUp(at: location)
    core.advance(by: duration)
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
}
