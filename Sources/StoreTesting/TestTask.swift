import SwiftBoardStore

/// What a `send` of a test set going.
public struct TestTask {
  let task: StoreTask
  let settle: (TestLocation) -> Void

  /// Cancels its effects and all that they caused, and lets them end. What they sent and the test did not receive is dropped.
  public func cancel(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    task.cancel()
    settle(TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Whether its effects and all that they caused have ended, and every action of theirs has been received.
  public var isFinished: Bool { task.isFinished }
}
