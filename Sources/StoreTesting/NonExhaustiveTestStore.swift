import SwiftBoardStore

/// A store for tests that look at some things and leave the rest: long flows, and features made of features.
///
/// As with `TestStore`, effects run on the test's own executor and clock, and their actions are reduced when the test gets to
/// them. Otherwise it asks for less: a closure states some of the state from after and may leave out the rest; what was received before
/// the action that is asked for is reduced unseen; what is left at the end is dropped. Issues of the store are failures all the same.
public final class NonExhaustiveTestStore<R: Reducer> where R.State: Equatable {
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
    core.close(at: core.created)
  }

  /// The state after the last step. Received actions that nobody asked for are not in it.
  public var state: State { core.state }
  public var clock: TestClock { core.clock }
  /// What the last step returned, in order.
  public var effects: [EffectDescriptor] { core.lastStep?.effects ?? [] }
  /// What runs, is waiting for its turn in a sequence, or was cancelled and has not ended.
  public var inFlight: [RunningEffect<Action>] { core.unended }
  /// What effects sent and the test has not received yet, oldest first.
  public var received: [Action] { core.waiting }
  /// What was reported so far.
  public var failures: [TestFailure] { core.failures }

  /// Reduces what was received and then `action`, and runs effects until none can go on.
  ///
  /// - Parameter assert: Gets the state from after; what it sets must be so already.
  @discardableResult
  public func send(
    _ action: Action, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, assert: ((inout State) throws -> Void)? = nil
  ) -> TestTask {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let core = core
    guard core.isOpen(at: location) else { return TestTask(task: .ended) { _ in } }
    _ = core.reduceAll(at: location)
    let task = core.send(action, at: location)
    check(assert, "The state after `\(short(action))`", location)
    core.settle(at: location)
    return TestTask(task: task) { core.settle(at: $0) }
  }

  /// Reduces received actions up to and including the first that `isExpected` accepts.
  ///
  /// - Returns: That action; `nil` where none came, which is a failure.
  @discardableResult
  public func receive(
    where isExpected: (Action) -> Bool, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, assert: ((inout State) throws -> Void)? = nil
  ) -> Action? {
    receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), assert,
      isExpected: isExpected, wanted: "an action that the closure accepts")
  }

  /// Reduces received actions up to and including the first of this case.
  ///
  /// - Returns: What the case holds; `nil` where none came, which is a failure.
  @discardableResult
  public func receive<Value>(
    _ path: CasePath<Action, Value>, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, assert: ((inout State) throws -> Void)? = nil
  ) -> Value? {
    receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), assert,
      isExpected: { path.extract($0) != nil }, wanted: "an action of the case"
    ).flatMap(path.extract)
  }

  private func receive(
    _ location: TestLocation, _ assert: ((inout State) throws -> Void)?,
    isExpected: (Action) -> Bool, wanted: String
  ) -> Action? {
    guard core.isOpen(at: location) else { return nil }
    var skipped: [Action] = []
    core.settle(at: location)
    while let action = core.waiting.first {
      core.reduceNext(at: location)
      if isExpected(action) {
        check(assert, "The state after `\(short(action))`", location)
        core.settle(at: location)
        return action
      }
      skipped.append(action)
      core.settle(at: location)
    }
    let others =
      skipped.isEmpty
      ? "no effect sent an action."
      : "only \(skipped.count == 1 ? "this" : "these") came:\n\(list(skipped))\n"
    core.fail(
      .nothingReceived,
      "Expected to receive \(wanted), but \(others)\(skipped.isEmpty ? " " : "")\(core.whyNothing)",
      at: location)
    return nil
  }

  /// Checks the present state, outside of any step.
  ///
  /// - Parameter expected: Gets the state; what it sets must be so already.
  public func assert(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, _ expected: (inout State) throws -> Void
  ) {
    withoutActuallyEscaping(expected) { expected in
      check(
        expected, "The state",
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
  }

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

  /// Reduces all received actions; gives them.
  @discardableResult
  public func skipReceivedActions(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) -> [Action] {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return [] }
    return core.reduceAll(at: location)
  }

  /// Cancels all effects; what they sent and the test did not receive is dropped.
  public func skipInFlightEffects(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    _ = core.cancelEffects(at: location)
  }

  /// Ends the test: reduces what was received, cancels what runs.
  public func finish(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard core.isOpen(at: location) else { return }
    _ = core.reduceAll(at: location)
    core.close(at: location)
  }

  private func check(
    _ assert: ((inout State) throws -> Void)?, _ what: String, _ location: TestLocation
  ) {
    guard let assert else { return }
    let actual = core.state
    var expected = actual
    do {
      try assert(&expected)
    } catch {
      core.fail(.closureThrew, "The closure threw: \(error)", at: location)
      return
    }
    if expected != actual {
      core.fail(
        .stateDiffers,
        "\(what) is not the expected one (- expected, + actual):\n\n"
          + difference(expected, actual), at: location)
    }
  }
}

extension NonExhaustiveTestStore where R.Action: Equatable {
  /// Reduces received actions up to and including `action`.
  ///
  /// - Parameter assert: As in `send`.
  public func receive(
    _ action: Action, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, assert: ((inout State) throws -> Void)? = nil
  ) {
    _ = receive(
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column), assert,
      isExpected: { $0 == action }, wanted: "`\(short(action))`")
  }
}
