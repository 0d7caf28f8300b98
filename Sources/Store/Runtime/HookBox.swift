/// Hooks where they can be called without being copied: constants of an object, and no optionals,
/// which would be copied to look into them.
@usableFromInline
final class HookBox<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let hasWillReduce: Bool
  @usableFromInline let willReduce: @Sendable (_ number: Int) -> Void
  @usableFromInline let hasDidReduce: Bool
  private let didReduce: @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void
  @usableFromInline let issue: @Sendable (StoreIssue) -> Void

  @usableFromInline
  init(_ hooks: StepHooks<State, Action>) {
    hasWillReduce = hooks.willReduce != nil
    hasDidReduce = hooks.didReduce != nil
    // Without `??`, which would wrap each in one closure more.
    if let body = hooks.willReduce { willReduce = body } else { willReduce = { _ in } }
    if let body = hooks.didReduce { didReduce = body } else { didReduce = { _, _ in } }
    if let body = hooks.issue { issue = body } else { issue = { _ in } }
  }

  /// Calls `didReduce`, in code that does not know the types. If they are known, the compiler
  /// copies a state to pass it on, and counts every reference in it: with five strings and three
  /// arrays that is 40 ns a step, five times the step itself.
  @usableFromInline
  @inline(never)
  func tell(_ step: Step<Action>, _ state: inout State) {
    lend(step, state)
  }

  @inline(never)
  private func lend(_ step: Step<Action>, _ state: borrowing State) {
    didReduce(step, state)
  }
}

/// The hooks of a store, which are called without counting references: they change only while the
/// store's lock is held, as it is for the calls. With a count for each call a hooked step takes
/// three times as long.
@usableFromInline
struct HookSlot<State: Sendable, Action: Sendable>: @unchecked Sendable {
  // Unchecked: the box is Sendable.
  @usableFromInline typealias Box = HookBox<State, Action>

  @usableFromInline private(set) var box: Unmanaged<Box>?

  @usableFromInline
  init() {}

  /// - Returns: The hooks before, whose end may run code of the user's. The last ones have to be
  ///   replaced with `nil`.
  @usableFromInline
  mutating func replace(with hooks: StepHooks<State, Action>?) -> Box? {
    let old = box?.takeRetainedValue()
    box = hooks.map { .passRetained(HookBox($0)) }
    return old
  }
}
