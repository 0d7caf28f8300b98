/// What tasks and observations need of a store, whatever its types.
@usableFromInline
class AnyStoreRuntime: @unchecked Sendable {
  // Unchecked because a class with subclasses cannot be checked: its one field is a constant.

  @usableFromInline
  enum Request: Sendable {
    case cancel(EffectID)
    case isFinished(EffectID)
    /// Whether it has ended and observers have been notified of all that it did.
    case isDelivered(EffectID)
    /// Resumes the continuation when that is so. True if it is so already: then the caller resumes
    /// it.
    case wait(EffectID, UnsafeContinuation<Void, Never>)
    case removeObserver(Int)
  }

  /// Made where the types of the store are known. A method that is called where they are not known
  /// looks them up at each call, which takes ten times as long as to cancel an effect.
  @usableFromInline let answer: @Sendable (AnyStoreRuntime, Request) -> Bool

  @inlinable
  init(answer: @escaping @Sendable (AnyStoreRuntime, Request) -> Bool) {
    self.answer = answer
  }

  @inlinable
  @discardableResult
  final func ask(_ request: Request) -> Bool { answer(self, request) }
}
