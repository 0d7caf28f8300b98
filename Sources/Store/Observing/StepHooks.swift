/// Functions that are called on the reducing thread inside the store's critical section, before
/// observers receive the step. They must be quick and must not call the store.
public struct StepHooks<State: Sendable, Action: Sendable>: Sendable {
  /// Called before the reducer, with the number of the step. Called once for each step.
  public var willReduce: (@Sendable (_ number: Int) -> Void)?
  /// Called after the reducer returned. If the hook keeps a copy of the state, the next step copies
  /// the parts that it changes.
  public var didReduce: (@Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void)?
  /// Called for an issue, after the step that caused it.
  public var issue: (@Sendable (StoreIssue) -> Void)?
  /// The recorder that the hooks belong to, or `nil` for hooks of the program.
  @usableFromInline package var attachment: (any StepHooksAttachment)?

  /// Creates hooks. A `nil` hook costs nothing. Calls of the others are part of the cost of every
  /// step.
  public init(
    willReduce: (@Sendable (Int) -> Void)? = nil,
    didReduce: (@Sendable (Step<Action>, borrowing State) -> Void)? = nil,
    issue: (@Sendable (StoreIssue) -> Void)? = nil
  ) {
    self.willReduce = willReduce
    self.didReduce = didReduce
    self.issue = issue
  }
}

/// The recorder that hooks belong to.
@usableFromInline
package protocol StepHooksAttachment: AnyObject, Sendable {
  /// The recorder, by whose identity the store sees that new hooks belong to it as well.
  var owner: AnyObject { get }
  /// Called outside the store's lock after `Store.setHooks` has removed the recorder's hooks.
  func hooksWereReplaced()
}
