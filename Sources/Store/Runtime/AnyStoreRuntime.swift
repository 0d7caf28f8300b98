/// A store runtime without its types, for tasks and observations.
@usableFromInline
class AnyStoreRuntime: @unchecked Sendable {
  // Unchecked because a class with subclasses cannot be checked. Its one field is a constant.

  @usableFromInline
  enum Request: Sendable {
    case cancel(EffectID)
    case isFinished(EffectID)
    /// Whether the task has ended and observers have been notified of all its steps.
    case isDelivered(EffectID)
    /// Resumes the waiter when `isDelivered` becomes true. Returns `false` in that case. If it is
    /// true already, returns `true`, and the caller resumes the waiter.
    case wait(EffectID, @Sendable () -> Void)
    case removeObserver(Int)
  }

  /// A closure that is created where the types of the store are known. A method, called where they
  /// are not known, would look them up in each call, which takes ten times as long as cancelling an
  /// effect.
  @usableFromInline let answer: @Sendable (AnyStoreRuntime, Request) -> Bool

  @inlinable
  init(answer: @escaping @Sendable (AnyStoreRuntime, Request) -> Bool) {
    self.answer = answer
  }

  @inlinable
  @discardableResult
  final func ask(_ request: Request) -> Bool { answer(self, request) }
}
