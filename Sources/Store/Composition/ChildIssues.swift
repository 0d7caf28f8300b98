// The messages of issues for an action without a child. They are built only when such an action
// occurs.

@usableFromInline
func absentChild(_ action: Any) -> String {
  """
  An action came for a child whose state is nil, and was dropped: \(brief(action)).
  Likely causes: the parent set the state to nil before the child's action arrived (an effect that outlives its child, \
  or two actions sent at once); or the state was never set. Send it only while the child is there, or set the state first.
  """
}

@usableFromInline
func otherCase(_ action: Any, _ state: Any) -> String {
  """
  An action came for a child whose case the state is not in, and was dropped: \(brief(action)).
  The state is now: \(actionLabel(state)).
  Likely causes: the state went to another case before the child's action arrived (an effect that outlives its child, \
  or two actions sent at once); or it never was in that case. Send it only while the state is in the child's case.
  """
}

@usableFromInline
func absentElement(_ action: Any, _ id: Any, among ids: [some Any]) -> String {
  """
  An action came for an element that is not there, and was dropped: \(brief(action)).
  Its id is \(id); \(listed(ids)).
  Likely causes: the element was removed before its action arrived (an effect that outlives it, or two actions sent at \
  once); or it was never added, or under another id. Send it only while the element is there.
  """
}

@usableFromInline
func absentPop(_ id: StackElementID, among ids: [StackElementID]) -> String {
  """
  popFrom came for an element that is not on the stack, and was dropped. Its id is \(id); \(listed(ids)).
  Likely causes: the element was popped already, by the parent or by an action sent at the same time. \
  Pop it only while it is there.
  """
}

@usableFromInline
func usedPush(_ id: StackElementID, next: StackElementID, among ids: [StackElementID]) -> String {
  """
  push came with an id that the stack has given before, and was dropped. The id is \(id), the next one is \(next); \
  \(listed(ids)).
  Likely causes: the same push was sent twice, or the id was made up or kept from before. \
  Leave the id out, or take StackState.nextID.
  """
}

private func listed(_ ids: [some Any]) -> String {
  if ids.isEmpty { return "there are none" }
  let shown = ids.prefix(10).map { "\($0)" }.joined(separator: ", ")
  return "there are \(ids.count): \(shown)" + (ids.count > 10 ? ", …" : "")
}
