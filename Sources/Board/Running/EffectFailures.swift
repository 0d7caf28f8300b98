import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

/// A handler that passes errors of effects to the board, which is created after the store.
final class EffectFailures: Sendable {
  let handler = Mutex<(@Sendable (StoreIssue) -> Bool)?>(nil)

  /// Passes an issue on. Returns whether it ended a command.
  func take(_ issue: StoreIssue) -> Bool {
    handler.withLock { $0 }?(issue) ?? false
  }
}

extension StoreIssue {
  /// Returns the issue without secrets, which the text of an error may repeat.
  func redacted(by logger: any Logger) -> StoreIssue {
    StoreIssue(
      message: logger.redact(message), location: location, step: step, failedEffect: failedEffect,
      errorText: errorText.map(logger.redact))
  }
}
