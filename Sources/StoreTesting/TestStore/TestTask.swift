import SwiftBoardStore

/// What a `send` of a test set going.
public final class TestTask {
  /// What it needs of the test store, whatever the types.
  struct Hooks {
    let finishEnded: (TestLocation) -> Void
    /// Lets go of actions that are not reduced any more because their effects were cancelled.
    let forgetCancelled: () -> Void
    let fail: (_ message: String, TestLocation) -> Void
    let wait:
      nonisolated(nonsending) (TestLocation, _ patience: Duration, _ isEnough: () -> Bool) async
        -> Void
    let whatIsLeft: () -> String
  }

  private let task: StoreTask
  private let hooks: Hooks?
  /// Whether `cancel()` was called.
  public private(set) var isCancelled = false

  init(_ task: StoreTask, _ hooks: Hooks?) {
    self.task = task
    self.hooks = hooks
  }

  /// Whether its effects and all that they caused have ended, and every action of theirs has been
  /// received. One lock where anything was started.
  public var isFinished: Bool {
    hooks?.forgetCancelled()
    return task.isFinished
  }

  /// Cancels its effects and all that they caused, and lets them end. What they sent and the test
  /// did not receive is dropped. The store's issues that come up are failures at this line.
  /// O(number of its effects), and what runs until they have ended.
  public func cancel(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    isCancelled = true
    task.cancel()
    hooks?.finishEnded(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Runs what is ready. It is a failure where something that this `send` caused has not ended
  /// then, or was not received. The failure, at this line, names what still runs or waits. Costs
  /// what runs.
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    check(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// As `finish`, but waits for effects that wait for another thread.
  ///
  /// - Parameter patience: As in `SteppedStore.waitForAction`.
  /// - Complexity: As `SteppedStore.waitForAction`.
  nonisolated(nonsending)
    public func finishWhenReady(
      patience: Duration = .seconds(10), fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await hooks?.wait(location, patience) { isFinished }
    check(location)
  }

  private func check(_ location: TestLocation) {
    guard let hooks else { return }
    hooks.finishEnded(location)
    guard !isFinished else { return }
    hooks.fail("What was sent has not finished. \(hooks.whatIsLeft())", location)
  }
}
