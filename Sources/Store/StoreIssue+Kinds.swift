// The issues that a store itself reports.

extension StoreIssue {
  /// An effect threw an error that was not caught (R9).
  @usableFromInline
  init<Action>(
    uncaught error: any Error, of effect: Effect<Action>, cause: Action?, step: Int
  ) {
    let descriptor = effect.descriptor
    let cause = cause.map { " It was started by the action \(brief($0))." }
    let text = String(describing: error)
    self.init(
      message:
        "The effect “\(descriptor.name)” threw an error that was not caught: \(text).\(cause ?? "") "
        + "Catch it in the effect, or turn it into an action with catch(_:).",
      location: effect.location, step: step, failedEffect: descriptor, errorText: text)
  }

  @usableFromInline
  static func late(_ action: Any, at location: SourceLocation, step: Int) -> StoreIssue {
    StoreIssue(
      message: "An action was sent after the store was shut down, and was dropped: "
        + brief(action), location: location, step: step)
  }

  @usableFromInline
  static func repeatedSubscription(_ effect: EffectDescriptor, step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "Two subscriptions of one state have the same id, “\(effect.id ?? "")”, and the "
        + "second was not started. Give them different ids, or give each feature a place of its own with Scope.",
      location: effect.location, step: step)
  }

  @usableFromInline
  static func unnamedSubscription(at location: SourceLocation, step: Int) -> StoreIssue {
    StoreIssue(
      message:
        "A subscription has no id, and was not started. The store tells by ids which of those "
        + "that the state declares run already: give it one with cancellable(id:).",
      location: location, step: step)
  }
}

/// The description of an action for a message, truncated to 200 characters.
@usableFromInline
func brief(_ action: Any) -> String {
  let text = String(describing: action)
  return text.count <= 200 ? text : text.prefix(200) + "…"
}
