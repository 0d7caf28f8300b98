import SwiftBoardStore

/// A store for tests in which nothing goes unsaid.
///
/// Effects run on the test's own executor and clock. An action of an effect is reduced when the test receives it, not before,
/// so that each step can be looked at by itself. Every change of state has to be stated, every action received, every effect ended; what
/// is not is reported at the line to blame. `NonExhaustiveTestStore` is the one that asks for less.
///
/// ```swift
/// let store = TestStore(
///   initialState: Search.State(), reducer: Search(), clock: clock,
///   dependencies: SearchDependencies(clock: clock, client: client), report: report)
/// store.send(.typed("ri")) { $0.text = "ri" }
/// #expect(store.effects == [EffectDescriptor(kind: .task, name: "search", id: "search")])
/// store.advance(by: .milliseconds(300))
/// store.receive(.found(["Rick"])) { $0.results = ["Rick"] }
/// store.finish()
/// ```
///
/// It belongs to one test: it is not `Sendable`. Many run side by side, since they share nothing.
public final class TestStore<R: Reducer> where R.State: Equatable {
  public typealias State = R.State
  public typealias Action = R.Action

  private let core: TestCore<R>

  /// - Parameters:
  ///   - clock: The time that `advance(by:)` moves, and whose executor runs the effects. Give it to the dependencies as well.
  ///   - report: Hears of each failure; see `TestReporter` for the line that a test framework needs.
  public init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    dependencies: R.Dependencies, report: @escaping TestReporter, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) {
    core = TestCore(
      state: initialState, reducer: reducer, dependencies: dependencies, clock: clock,
      created: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      report: report)
  }

  deinit {
    guard !core.isFinished else { return }
    core.reportLeftovers(at: core.created)
    core.close(at: core.created)
  }

  /// The state after the last step.
  public var state: State { core.state }
  public var clock: TestClock { core.clock }
  /// What the last step returned, in order.
  public var effects: [EffectDescriptor] { core.lastStep?.effects ?? [] }
  /// Who sent the action of the last step.
  public var origin: StepOrigin? { core.lastStep?.origin }
  /// What runs, is waiting for its turn in a sequence, or was cancelled and has not ended.
  public var inFlight: [RunningEffect<Action>] { core.unended }
  /// What effects sent and the test has not received yet, oldest first.
  public var received: [Action] { core.waiting }
  /// What was reported so far.
  public var failures: [TestFailure] { core.failures }

  // MARK: Sending

  /// Reduces `action`, and then runs effects until none can go on.
  ///
  /// - Parameter change: Gets the state from before and makes of it the state from after. Without it the state must not change; with it,
  ///   it must.
  @discardableResult
  public func send(
    _ action: Action, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, change: ((inout State) throws -> Void)? = nil
  ) -> TestTask {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let core = core
    guard core.isOpen(at: location) else { return TestTask(task: .ended) { _ in } }
    core.settle(at: location)
    let waiting = core.waiting
    if !waiting.isEmpty {
      core.fail(
        .unreceivedActions,
        "\(count(waiting.count, "action")) must be received before `\(short(action))` is sent:\n"
          + list(waiting), at: location)
      _ = core.reduceAll(at: location)
    }
    let before = core.state
    let task = core.send(action, at: location)
    check(change, before, "`\(short(action))`", location)
    core.settle(at: location)
    return TestTask(task: task) { core.settle(at: $0) }
  }

  // MARK: Receiving

  /// Reduces the next action that an effect sent, if `isExpected` accepts it.
  ///
  /// - Returns: The action that was reduced, expected or not.
  @discardableResult
  public func receive(
    where isExpected: (Action) -> Bool, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, change: ((inout State) throws -> Void)? = nil
  ) -> Action? {
    receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), change,
      isExpected: isExpected, wanted: "an action that the closure accepts",
      { "Received an action that the closure does not accept: `\(short($0))`." })
  }

  /// Reduces the next action that an effect sent, if it is of this case.
  ///
  /// - Returns: What the case holds.
  @discardableResult
  public func receive<Value>(
    _ path: CasePath<Action, Value>, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, change: ((inout State) throws -> Void)? = nil
  ) -> Value? {
    receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), change,
      isExpected: { path.extract($0) != nil }, wanted: "an action of the case",
      { "Received an action of another case: `\(short($0))`." }
    ).flatMap(path.extract)
  }

  private func receive(
    _ location: TestLocation, _ change: ((inout State) throws -> Void)?,
    isExpected: (Action) -> Bool, wanted: String, _ refusal: (Action) -> String
  ) -> Action? {
    guard core.isOpen(at: location) else { return nil }
    core.settle(at: location)
    guard let action = core.waiting.first else {
      core.fail(
        .nothingReceived,
        "Expected to receive \(wanted), but no effect sent an action. \(core.whyNothing)",
        at: location)
      return nil
    }
    let before = core.state
    core.reduceNext(at: location)
    if isExpected(action) {
      check(change, before, "`\(short(action))`", location)
    } else {
      core.fail(.unexpectedAction, refusal(action), at: location)
    }
    core.settle(at: location)
    return action
  }

  // MARK: Time

  /// Moves the clock on; see `TestClock.advance(by:)`.
  public func advance(
    by duration: Duration, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    core.clock.advance(by: duration)
    core.settle(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Runs what is ready: after the test gave an effect what it waits for.
  public func run(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    core.settle(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Returns when an action is there to be received or no effect runs any more: for effects that wait for another thread. It has no
  /// time-out of its own; give the test one.
  nonisolated(nonsending)
    public func waitForAction(
      fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
      column: Int = #column
    ) async
  {
    await core.waitForAction(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  // MARK: Leaving out

  /// Reduces all received actions unseen. It is a failure where there is none.
  public func skipReceivedActions(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    if core.reduceAll(at: location).isEmpty {
      core.fail(.nothingToSkip, "There are no received actions to skip.", at: location)
    }
  }

  /// Cancels all effects; what they sent and the test did not receive is dropped. It is a failure where none runs.
  public func skipInFlightEffects(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    if !core.cancelEffects(at: location) {
      core.fail(.nothingToSkip, "There are no effects in flight to skip.", at: location)
    }
  }

  // MARK: The end

  /// Ends the test: reports actions that were not received, here, and effects that run, each at the line of the step that
  /// started it; then cancels them.
  ///
  /// A store that is dropped without it does the same, and reports unreceived actions at the line that made it.
  public func finish(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    core.reportLeftovers(at: location)
    core.close(at: location)
  }

  // MARK: State

  private func check(
    _ change: ((inout State) throws -> Void)?, _ before: State, _ after: String,
    _ location: TestLocation
  ) {
    let actual = core.state
    guard let change else {
      if actual != before {
        core.fail(
          .unexpectedChange,
          "The state was not expected to change after \(after), but it did (- before, + after):\n\n"
            + difference(before, actual), at: location)
      }
      return
    }
    var expected = before
    do {
      try change(&expected)
    } catch {
      core.fail(.closureThrew, "The closure after \(after) threw: \(error)", at: location)
      return
    }
    if expected != actual {
      core.fail(
        .stateDiffers,
        "The state after \(after) is not the expected one (- expected, + actual):\n\n"
          + difference(expected, actual), at: location)
    } else if expected == before {
      core.fail(
        .nothingChanged,
        "The state was expected to change after \(after), but nothing changed. "
          + "If that is right, leave the closure out.", at: location)
    }
  }
}

extension TestStore where R.Action: Equatable {
  /// Reduces the next action that an effect sent, which must be `action`.
  ///
  /// - Parameter change: As in `send`.
  public func receive(
    _ action: Action, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, change: ((inout State) throws -> Void)? = nil
  ) {
    _ = receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), change,
      isExpected: { $0 == action }, wanted: "`\(short(action))`",
      {
        "Received another action than expected (- expected, + received):\n\n"
          + difference(action, $0)
      })
  }
}
