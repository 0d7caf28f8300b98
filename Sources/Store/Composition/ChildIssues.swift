// The messages of issues for an action without a child. They are built only when such an action
// occurs.

@usableFromInline
func absentChild(_ action: Any) -> String {
  """
  An action was sent to a child whose state is nil, and was dropped: \(brief(action)).
  Likely causes: a reducer that runs before this line set the state to nil in this very step, it was set to nil \
  before the action arrived (by an effect that outlives its child, or by another action sent at the same time), or \
  it was never set. Remove a child only after it has reduced, and set the state before sending the action.
  """
}

@usableFromInline
func otherCase(_ action: Any, _ state: Any) -> String {
  """
  An action was sent to a child while the state was in another case, and was dropped: \(brief(action)).
  The state is now: \(actionLabel(state)).
  Likely causes: a reducer that runs before this line changed the case in this very step, it changed before the \
  action arrived (by an effect that outlives its child, or by another action sent at the same time), or it was \
  never set. Change the case only after the child has reduced, and set it before sending the action.
  """
}

@usableFromInline
func absentElement(_ action: Any, _ id: Any, among ids: [some Any]) -> String {
  """
  An action was sent to an element that does not exist, and was dropped: \(brief(action)).
  Its id is \(id); \(listed(ids)).
  Likely causes: a reducer that runs before this line removed the element in this very step, it was removed before \
  the action arrived (by an effect that outlives it, or by another action sent at the same time), or it was added \
  under another id. Remove an element only after it has reduced, and add it before sending the action.
  """
}

@usableFromInline
func absentPop(_ id: StackElementID, among ids: [StackElementID]) -> String {
  """
  popFrom was sent for an element that is not on the stack, and was dropped. Its id is \(id); \(listed(ids)).
  Likely causes: the element was already popped, by a reducer that runs before this line, in this very step, or by \
  an earlier action. Check that the stack contains the id before sending popFrom.
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
