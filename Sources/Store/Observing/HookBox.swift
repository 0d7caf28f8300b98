/// Hooks that can be called without being copied. Those of each step are constants of an object,
/// and not optional, because an optional would be copied to be unwrapped.
@usableFromInline
final class HookBox<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let willReduce: @Sendable (_ number: Int) -> Void
  private let didReduce: @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void
  @usableFromInline let hooks: StepHooks<State, Action>

  @usableFromInline
  init(_ hooks: StepHooks<State, Action>) {
    self.hooks = hooks
    // No `??`, which would wrap each hook in one more closure.
    if let body = hooks.willReduce { willReduce = body } else { willReduce = { _ in } }
    if let body = hooks.didReduce { didReduce = body } else { didReduce = { _, _ in } }
  }

  /// Calls `didReduce`, in code that does not know the types. In code that knows them, the compiler
  /// copies a state to pass it on, and counts every reference in it. With five strings and three
  /// arrays that takes 40 ns for each step, five times as long as the step itself.
  @usableFromInline @inline(never)
  func tell(_ step: Step<Action>, _ state: inout State) {
    lend(step, state)
  }

  @inline(never)
  private func lend(_ step: Step<Action>, _ state: borrowing State) {
    didReduce(step, state)
  }
}
