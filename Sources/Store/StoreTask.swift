/// A handle to the effects that a `send` caused, the effects of the actions that they send, and so
/// on.
///
/// A handle costs nothing if there are no effects, and does not keep effects that have ended. A
/// handle that had effects keeps the state of its store. Its size is 16 bytes.
public struct StoreTask: Sendable {
  @usableFromInline let runtime: AnyStoreRuntime?
  @usableFromInline let id: EffectID

  @inlinable
  init(runtime: AnyStoreRuntime?, id: EffectID) {
    self.runtime = runtime
    self.id = id
  }

  @inlinable
  package static var finished: StoreTask { StoreTask(runtime: nil, id: .none) }

  /// Waits until the effects and everything they caused have ended. Cancelling the waiting task
  /// cancels them and waits for their end.
  ///
  /// Runs on the caller's executor. Does not suspend if there is nothing to wait for.
  ///
  /// - Complexity: One lock if everything has ended. Otherwise one suspension. Cancellation costs
  ///   the same as `cancel()`.
  nonisolated(nonsending) public func finish() async {
    // A continuation that is resumed at once would still cost a change of the thread.
    guard let runtime, !runtime.ask(.isDelivered(id)) else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        if runtime.ask(.wait(id, { continuation.resume() })) { continuation.resume() }
      }
    } onCancel: {
      runtime.ask(.cancel(id))
    }
  }

  /// Calls a function when the effects and everything they caused have ended, without a task that
  /// waits for it. `finish()` returns at the same time.
  ///
  /// - Parameter body: Called once, by the thread that ends the last effect, outside the lock; by
  ///   this call if everything has ended already.
  /// - Complexity: One lock.
  public func onFinish(_ body: @escaping @Sendable () -> Void) {
    guard let runtime else { return body() }
    if runtime.ask(.wait(id, body)) { body() }
  }

  /// Cancels the effects and everything they caused. From then on, none of their actions is
  /// reduced, not even one that waits for its turn. Other effects are not affected. Does not wait
  /// for the end of the effects; `finish()` does.
  ///
  /// If the action that was sent is still queued, it is reduced. The effects that it returns are
  /// cancelled, and their bodies do not run.
  ///
  /// - Complexity: One lock, O(number of effects under the handle).
  public func cancel() {
    runtime?.ask(.cancel(id))
  }

  /// Whether everything has ended. The last step may not have been delivered to all observers yet;
  /// `finish()` waits for that too. Acquires the lock once.
  public var isFinished: Bool {
    runtime?.ask(.isFinished(id)) ?? true
  }
}
