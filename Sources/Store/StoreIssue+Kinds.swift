// The issues that a store itself reports.

extension StoreIssue {
  /// An effect threw an error that was not caught (R9).
  @usableFromInline
  init<Action>(
    uncaught error: any Error, of effect: Effect<Action>, cause: Action?, step: Int
  ) {
    let descriptor = effect.descriptor
    let cause = cause.map { " The action \(brief($0)) started it." }
    let text = String(describing: error)
    self.init(
      message:
        "Unhandled error in the effect '\(descriptor.name)': \(text).\(cause ?? "") "
        + "Handle it in the effect, or turn it into an action with catch(_:).",
      location: effect.location, step: step, failedEffect: descriptor, errorText: text)
  }

  @usableFromInline
  static func late(_ action: Any, at location: SourceLocation, step: Int) -> StoreIssue {
    StoreIssue(
      message: "An action was sent after the store ended, and was dropped: \(brief(action)). "
        + "Keep the store while actions are sent, or stop the sender before shutdown(deadline:).",
      location: location, step: step)
  }

  @usableFromInline
  static func repeatedSubscription(_ effect: EffectDescriptor, step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "A subscription was not started, because another one has the same id, '\(effect.id ?? "")'. "
        + "Give each subscription its own id, or compose each feature with its own Scope.",
      location: effect.location, step: step)
  }

  @usableFromInline
  static func unnamedSubscription(at location: SourceLocation, step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "A subscription was not started, because it has no id, by which the store recognizes "
        + "running subscriptions. Give it one with cancellable(id:).",
      location: location, step: step)
  }
}

/// The description of an action for a message, truncated to 200 characters.
@usableFromInline
func brief(_ action: Any) -> String {
  let text = String(describing: action)
  return text.count <= 200 ? text : text.prefix(200) + "..."
}
