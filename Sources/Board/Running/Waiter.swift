import Synchronization

/// A task that waits for one of several results. Only the first one counts.
final class Waiter<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume(returning value: Value) {
    continuation.withLock { $0.take() }?.resume(returning: value)
  }
}
