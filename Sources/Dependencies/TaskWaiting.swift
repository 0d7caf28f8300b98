import Dispatch

/// Runs a closure in a task of its own, and blocks the calling thread until it returns. Do not call
/// this on a thread of the cooperative pool.
func waitForTask<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
  let result = Shared<Value?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task.detached(priority: .utility) {
    let value = await body()
    result.value.withLock { $0 = value }
    done.signal()
  }
  done.wait()
  // It was set before the signal.
  guard let value = result.value.withLock({ $0 }) else { preconditionFailure("no result") }
  return value
}
