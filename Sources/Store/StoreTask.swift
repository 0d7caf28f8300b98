/// What a `send` set going: its effects, the effects of the actions they send, and so on.
///
/// A handle costs nothing if there are no effects, and keeps no effect that has ended. One that had
/// effects keeps the state of its store. A value of 16 bytes.
public struct StoreTask: Sendable {
  @usableFromInline let runtime: AnyStoreRuntime?
  @usableFromInline let id: EffectID

  @inlinable
  init(runtime: AnyStoreRuntime?, id: EffectID) {
    self.runtime = runtime
    self.id = id
  }

  @inlinable
  static var finished: StoreTask { StoreTask(runtime: nil, id: .none) }

  /// Returns when the effects and all that they caused have ended. Cancelling the waiting task
  /// cancels them, and waits for their end.
  ///
  /// Runs where the caller does: no hop to another executor where there is nothing to wait for.
  ///
  /// - Complexity: One lock where nothing runs any more, and no suspension; else one suspension.
  ///   Cancelling as `cancel()`.
  nonisolated(nonsending) public func finish() async {
    guard let runtime, !runtime.ask(.isDelivered(id)) else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        if runtime.ask(.wait(id, waiter)) { waiter.resume() }
      }
    } onCancel: {
      runtime.ask(.cancel(id))
    }
  }

  /// Cancels the effects and all that they caused; nothing that they send is reduced from now on.
  /// Others are not touched. Does not wait: `finish()` does.
  ///
  /// What a step has caused at once by a `.send` without an id belongs to the current turn and is
  /// still reduced; effects that this returns are cancelled with it, and their bodies do not run.
  ///
  /// - Complexity: One lock; O(number of effects under the handle), and O(length of the queue)
  ///   where actions wait in it.
  public func cancel() {
    runtime?.ask(.cancel(id))
  }

  /// Whether everything has ended. The last step may not have been delivered to all observers yet;
  /// `finish()` waits for that too. One lock.
  public var isFinished: Bool {
    runtime?.ask(.isFinished(id)) ?? true
  }
}
