import SwiftBoardStore

/// A handle to the effects of a `send` of a test.
public final class TestTask {
  /// The operations of the test store that a task needs, without its types.
  struct Hooks {
    let finishEnded: (TestLocation) -> Void
    let cancel: (TestLocation, _ cancel: () -> Void) -> Void
    let fail: (_ message: String, TestLocation) -> Void
    let wait:
      nonisolated(nonsending) (TestLocation, _ patience: Duration, _ isEnough: () -> Bool) async
        -> Void
    let whatIsLeft: (_ hasWaited: Bool) -> String
  }

  private let task: StoreTask
  private let hooks: Hooks?
  /// Whether `cancel()` was called.
  public private(set) var isCancelled = false

  init(_ task: StoreTask, _ hooks: Hooks?) {
    self.task = task
    self.hooks = hooks
  }

  /// Whether its effects and all effects that they caused have ended, and all of their actions have
  /// been received.
  public var isFinished: Bool { task.isFinished }

  /// Cancels its effects and all effects that they caused, and runs them until they end. Those of
  /// their actions that the test has not received are dropped, which is a failure, in a
  /// `TestStore`, and reduced before in a `NonExhaustiveTestStore`, as in a running store. Issues
  /// of the store are failures at this line.
  ///
  /// - Complexity: O(number of its effects), and the cost of running them.
  public func cancel(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    isCancelled = true
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    hooks?.cancel(location) { task.cancel() }
  }

  /// Runs ready tasks, and reports a failure at this line if an effect of this `send` has not ended
  /// or an action of one was not received. The failure names the running effects and waiting
  /// actions.
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    check(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Finishes like `finish`, but waits for effects that wait for another thread.
  ///
  /// - Parameter patience: As for `SteppedStore.waitForAction`.
  /// - Complexity: That of `SteppedStore.waitForAction`.
  nonisolated(nonsending)
    public func finishWhenReady(
      patience: Duration = .seconds(10), fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await hooks?.wait(location, patience) { isFinished }
    check(location, hasWaited: true)
  }

  private func check(_ location: TestLocation, hasWaited: Bool = false) {
    guard let hooks else { return }
    hooks.finishEnded(location)
    guard !isFinished else { return }
    hooks.fail("What was sent has not finished. \(hooks.whatIsLeft(hasWaited))", location)
  }
}

extension TestCore {
  var taskHooks: TestTask.Hooks {
    TestTask.Hooks(
      finishEnded: {
        self.catchUp(at: $0)
        self.finishEnded(at: $0)
        self.skipWaiting(before: "a `send` had finished", at: $0)
      },
      cancel: {
        self.catchUp(at: $0)
        self.cancel(at: $0, $1)
      },
      fail: { self.fail(.effectRunning, $0, at: $1) },
      wait: { location, patience, isEnough in
        guard !self.isExhaustive else {
          return await self.waitForAction(
            at: location, patience: patience, isEnd: true, or: isEnough)
        }
        self.catchUp(at: location)
        // What is left is a failure of the check behind it.
        _ = await self.wait(at: location, patience: patience, isEnd: true) {
          self.skipWaiting(before: "a `send` had finished", at: location)
          return isEnough()
        }
      },
      whatIsLeft: { hasWaited in
        let waiting = self.waiting
        guard !waiting.isEmpty else { return self.whyNothing(hasWaited: hasWaited) }
        return
          "\(count(waiting.count, "action")) of effects \(waiting.count == 1 ? "waits" : "wait") "
          + "to be received:\n\(list(waiting))"
      })
  }
}
