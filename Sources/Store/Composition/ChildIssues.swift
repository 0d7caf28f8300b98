// The messages of issues for an action without a child. They are built only when such an action
// occurs.

@usableFromInline
func absentChild(_ action: Any) -> String {
  """
  An action was sent to a child whose state is nil, and was dropped: \(brief(action)).
  Likely causes: the state was set to nil before the action arrived (by an effect that outlives its child, or by \
  another action sent at the same time), or it was never set. Set the state before sending the action.
  """
}

@usableFromInline
func otherCase(_ action: Any, _ state: Any) -> String {
  """
  An action was sent to a child while the state was in another case, and was dropped: \(brief(action)).
  The state is now: \(actionLabel(state)).
  Likely causes: the case changed before the action arrived (by an effect that outlives its child, or by another \
  action sent at the same time), or it was never set. Change to the child's case before sending the action.
  """
}

@usableFromInline
func absentElement(_ action: Any, _ id: Any, among ids: [some Any]) -> String {
  """
  An action was sent to an element that does not exist, and was dropped: \(brief(action)).
  Its id is \(id); \(listed(ids)).
  Likely causes: the element was removed before the action arrived (by an effect that outlives it, or by another \
  action sent at the same time), or it was added under another id. Add the element before sending the action.
  """
}

@usableFromInline
func absentPop(_ id: StackElementID, among ids: [StackElementID]) -> String {
  """
  popFrom was sent for an element that is not on the stack, and was dropped. Its id is \(id); \(listed(ids)).
  Likely causes: the element was already popped, by the parent or by another action sent at the same time. \
  Check that the stack contains the id before sending popFrom.
  """
}

@usableFromInline
func usedPush(_ id: StackElementID, next: StackElementID, among ids: [StackElementID]) -> String {
  """
  push was sent with an id that the stack has already used, and was dropped. The id is \(id), the next one is \(next); \
  \(listed(ids)).
  Likely causes: the same push was sent twice, or the id does not come from this stack. \
  Omit the id, or use StackState.nextID.
  """
}

private func listed(_ ids: [some Any]) -> String {
  if ids.isEmpty { return "there are none" }
  let shown = ids.prefix(10).map { "\($0)" }.joined(separator: ", ")
  return "there are \(ids.count): \(shown)" + (ids.count > 10 ? ", ..." : "")
}
