// A single effect where a list is returned:
//
//   return .none
//   return .run { send in … }.cancellable(id: "timer")
//
// Each static member makes the list of the one effect of that name. An operator takes a list as one
// effect, a group where there are several.

extension Array where Element: EffectProtocol {
  /// No effects: `[]`. Allocates nothing.
  @inlinable
  public static var none: Self { [] }
}

extension Array {
  /// `Effect.task(name:fileID:line:_:)` alone.
  @inlinable
  public static func task<Action>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable () async throws -> Action
  ) -> Self where Element == Effect<Action> {
    [.task(name: name, fileID: fileID, line: line, operation)]
  }

  /// `Effect.run(name:fileID:line:_:)` alone.
  @inlinable
  public static func run<Action>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void
  ) -> Self where Element == Effect<Action> {
    [.run(name: name, fileID: fileID, line: line, operation)]
  }

  /// `Effect.fireAndForget(name:fileID:line:_:)` alone.
  @inlinable
  public static func fireAndForget<Action>(
    name: String = "fireAndForget", fileID: StaticString = #fileID, line: UInt32 = #line,
    _ work: @escaping @Sendable () async throws -> Void
  ) -> Self where Element == Effect<Action> {
    [.fireAndForget(name: name, fileID: fileID, line: line, work)]
  }

  /// `Effect.send(_:fileID:line:)` alone.
  @inlinable
  public static func send<Action>(
    _ action: Action, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.send(action, fileID: fileID, line: line)]
  }

  /// `Effect.cancel(id:fileID:line:)` alone.
  @inlinable
  public static func cancel<Action>(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.cancel(id: id, fileID: fileID, line: line)]
  }

  /// `Effect.merge(_:fileID:line:)` alone. The effects of a list run side by side without it as
  /// well; it makes one effect of them.
  @inlinable
  public static func merge<Action>(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.merge(effects, fileID: fileID, line: line)]
  }

  /// `Effect.concatenate(_:fileID:line:)` alone.
  @inlinable
  public static func concatenate<Action>(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.concatenate(effects, fileID: fileID, line: line)]
  }
}

extension Array {
  /// `Effect.cancellable(id:cancelInFlight:)` of the list as one effect.
  @inlinable
  public func cancellable<Action>(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Self where Element == Effect<Action> {
    asOne { $0.cancellable(id: id, cancelInFlight: cancelInFlight) }
  }

  /// `Effect.catch(_:)` of the list as one effect.
  @inlinable
  public func `catch`<Action>(
    _ handler: @escaping @Sendable (_ error: any Error) -> Action
  ) -> Self where Element == Effect<Action> {
    asOne { $0.catch(handler) }
  }

  /// `Effect.outlives()` of the list as one effect.
  @inlinable
  public func outlives<Action>() -> Self where Element == Effect<Action> {
    asOne { $0.outlives() }
  }

  /// `Effect.debounced(id:for:clock:)` of the list as one effect.
  @inlinable
  public func debounced<Action>(
    id: some Hashable & Sendable, for duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.debounced(id: id, for: duration, clock: clock) }
  }

  /// `Effect.limited(id:to:in:countsCancelled:whenFull:)` of the list as one effect.
  @inlinable
  public func limited<Action>(
    id: some Hashable & Sendable, to count: Int = 1, in scope: LimitScope = .store,
    countsCancelled: Bool = false, whenFull policy: OverflowPolicy
  ) -> Self where Element == Effect<Action> {
    asOne {
      $0.limited(
        id: id, to: count, in: scope, countsCancelled: countsCancelled, whenFull: policy)
    }
  }

  /// `Effect.throttled(id:for:clock:latest:)` of the list as one effect.
  @inlinable
  public func throttled<Action>(
    id: some Hashable & Sendable, for interval: Duration, clock: some Clock<Duration>,
    latest: Bool = true
  ) -> Self where Element == Effect<Action> {
    asOne { $0.throttled(id: id, for: interval, clock: clock, latest: latest) }
  }

  /// `Effect.throttled(id:by:for:clock:latest:)` of the list as one effect.
  @inlinable
  public func throttled<Action>(
    id: some Hashable & Sendable, by key: some Hashable & Sendable, for interval: Duration,
    clock: some Clock<Duration>, latest: Bool = true
  ) -> Self where Element == Effect<Action> {
    asOne { $0.throttled(id: id, by: key, for: interval, clock: clock, latest: latest) }
  }

  /// `Effect.delay(for:clock:)` of the list as one effect.
  @inlinable
  public func delay<Action>(
    for duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.delay(for: duration, clock: clock) }
  }

  /// `Effect.timeout(after:clock:)` of the list as one effect.
  @inlinable
  public func timeout<Action>(
    after duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.timeout(after: duration, clock: clock) }
  }

  /// `Effect.retry(_:clock:while:)` of the list as one effect.
  @inlinable
  public func retry<Action>(
    _ policy: RetryPolicy, clock: some Clock<Duration>,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Self where Element == Effect<Action> {
    asOne { $0.retry(policy, clock: clock, while: isWorthwhile) }
  }

  /// These effects and the effects of `other`, concurrently, in the order of the two lists.
  ///
  /// - Complexity: O(number of both).
  @inlinable
  public func merge<Action>(with other: Self) -> Self where Element == Effect<Action> {
    .joined(self, other)
  }

  /// These effects as one, and, when it has ended, the effects of `other` as one: see
  /// `Effect.concatenate(with:fileID:line:)`.
  @inlinable
  public func concatenate<Action>(
    with other: Self, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    if other.isEmpty { return self }
    let next = Effect.merge(other, fileID: fileID, line: line)
    return isEmpty ? other : asOne { $0.concatenate(with: next, fileID: fileID, line: line) }
  }

  /// The list as one effect, changed. Of no effects, none; several are a group at the place of the
  /// first.
  @inlinable
  func asOne<Action>(
    _ change: (Effect<Action>) -> Effect<Action>
  ) -> Self where Element == Effect<Action> {
    guard let first else { return [] }
    let one = Effect.combined(self, Effect.Operation.merge, first.location) {
      if case .merge(let members) = $0 { members } else { nil }
    }
    return [change(one)]
  }
}
