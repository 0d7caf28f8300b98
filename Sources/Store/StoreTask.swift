/// What a `send` set going: its effects, the effects of the actions they send, and so on.
///
/// A handle costs nothing where there are no effects, and keeps no effect that has ended. One that had effects keeps the state of its
/// store. A value of 16 bytes.
public struct StoreTask: Sendable {
  @usableFromInline let target: EffectHost?
  @usableFromInline let token: EffectToken

  @inlinable
  init(target: EffectHost?, token: EffectToken) {
    self.target = target
    self.token = token
  }

  @inlinable
  static var finished: StoreTask { StoreTask(target: nil, token: .none) }

  /// Returns when the effects and all that they caused have ended. Cancelling the waiting task cancels them, and waits for
  /// their end.
  ///
  /// Runs where the caller does: no hop to another executor where there is nothing to wait for.
  ///
  /// - Complexity: One lock where nothing runs any more, and no suspension; else one suspension. Cancelling as `cancel()`.
  nonisolated(nonsending) public func finish() async {
    guard let target, !target.ask(.isSettled(token)) else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        if target.ask(.wait(token, waiter)) { waiter.resume() }
      }
    } onCancel: {
      target.ask(.cancel(token))
    }
  }

  /// Cancels the effects and all that they caused; nothing of theirs is reduced from now on. Others are not touched. Does
  /// not wait: `finish()` does.
  ///
  /// - Complexity: One lock; O(number of effects under the handle), and O(length of the queue) where actions wait in it.
  public func cancel() {
    target?.ask(.cancel(token))
  }

  /// Whether everything has ended. Observers may still be being told of the last step; `finish()` waits for that too. One lock.
  public var isFinished: Bool {
    target?.ask(.isFinished(token)) ?? true
  }
}

/// Names one entry of one store's effect table, once: the place is used again, the generation never.
@usableFromInline
struct EffectToken: Hashable, Sendable {
  @usableFromInline let index: Int32
  @usableFromInline let generation: UInt32

  @inlinable
  init(index: Int32, generation: UInt32) {
    self.index = index
    self.generation = generation
  }

  @inlinable
  static var none: EffectToken { EffectToken(index: -1, generation: 0) }

  @inlinable
  static func ~= (pattern: EffectToken, token: EffectToken) -> Bool { pattern == token }
}
