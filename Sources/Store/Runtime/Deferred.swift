/// The work that a thread does after it has released the lock, because it can run user code.
@usableFromInline
struct Deferred: Sendable {
  /// The work, in order. `nil` if there is none, which is cheaper to pass on than an empty array.
  @usableFromInline var items: [@Sendable () -> Void]?
  /// Whether the store reduces nothing until the work is done: observers are notified of a step,
  /// or the work can send actions itself.
  @usableFromInline var blocksReductions = false
  /// Whether observers are notified of the runtime's `pendingNotification`. It is not here because
  /// an optional step would add to the cost of each `send`.
  @usableFromInline var notifiesObservers = false
  /// Whether the work can send actions: it cancels tasks, whose handlers run, or reports issues. It
  /// comes before the next action.
  @usableFromInline var canSend = false

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  var isEmpty: Bool { items == nil && !blocksReductions }

  @inlinable
  mutating func add(_ item: @escaping @Sendable () -> Void) {
    if items == nil { items = [item] } else { items?.append(item) }
  }

  /// Releases a value after the lock has been released.
  @inlinable
  mutating func release(_ value: any Sendable) {
    add { withExtendedLifetime(value) {} }
  }
}

/// The task of one effect.
@usableFromInline typealias EffectTask = Task<Void, Never>
