/// What handles and observations need of a store, whatever its types.
@usableFromInline
class EffectHost: @unchecked Sendable {
  // Unchecked only because a class with subclasses cannot be checked: its one field is a constant.

  /// Made where the types of the store are known. A method of a generic class that is called from where they are not known looks up its types
  /// at every turn: some four microseconds to cancel an effect, where this takes a tenth of one.
  @usableFromInline let answer: @Sendable (EffectHost, HandleRequest) -> Bool

  @inlinable
  init(answer: @escaping @Sendable (EffectHost, HandleRequest) -> Bool) {
    self.answer = answer
  }

  @inlinable
  @discardableResult
  final func ask(_ request: HandleRequest) -> Bool { answer(self, request) }
}

@usableFromInline
enum HandleRequest: Sendable {
  case cancel(EffectToken)
  case isFinished(EffectToken)
  /// Whether it has ended and observers have been told of all that it did.
  case isSettled(EffectToken)
  /// Resumes the continuation when that is so. True if it is so already: the continuation is the caller's to resume then.
  case wait(EffectToken, UnsafeContinuation<Void, Never>)
  case removeObserver(Int)
}
