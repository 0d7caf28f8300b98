import SwiftBoardStore

/// The end of a test, and what it leaves out.
extension SteppedStore {
  /// Reduces all actions that were sent but not received, including those that this causes, and
  /// returns them, without those that a failed `receive` has reported.
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
    let early = core.early
    core.dropEarly()
    let actions =
      early.filter { !$0.isReported }.map(\.action) + core.reduceAll(at: location)
    if actions.isEmpty, early.isEmpty, strict ?? isStrict {
      core.fail(.nothingToSkip, "There are no received actions to skip.", at: location)
    }
    return actions
  }

  /// Cancels all effects, and drops those of their actions that the test has not received. In a
  /// `TestStore` these are a failure, because a running store would have reduced them.
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
