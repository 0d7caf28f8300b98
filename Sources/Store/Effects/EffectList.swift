// Shorthand for a list of one effect where a list is returned:
//
//   return .none
//   return .run { send in … }.cancellable(id: "timer")
//
// Each static member creates a list with the one effect of that name. An operator treats a list as
// one effect, which is a group if the list has several.

extension Array where Element: EffectProtocol {
  /// An empty list: `[]`. Allocates nothing.
  @inlinable
  public static var none: Self { [] }
}

extension Array {
  /// Returns a list with one `Effect.task(name:fileID:line:_:)`.
  @inlinable
  public static func task<Action>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable () async throws -> Action
  ) -> Self where Element == Effect<Action> {
    [.task(name: name, fileID: fileID, line: line, operation)]
  }

  /// Returns a list with one `Effect.run(name:fileID:line:_:)`.
  @inlinable
  public static func run<Action>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void
  ) -> Self where Element == Effect<Action> {
    [.run(name: name, fileID: fileID, line: line, operation)]
  }

  /// Returns a list with one `Effect.fireAndForget(name:fileID:line:_:)`.
  @inlinable
  public static func fireAndForget<Action>(
    name: String = "fireAndForget", fileID: StaticString = #fileID, line: UInt32 = #line,
    _ work: @escaping @Sendable () async throws -> Void
  ) -> Self where Element == Effect<Action> {
    [.fireAndForget(name: name, fileID: fileID, line: line, work)]
  }

  /// Returns a list with one `Effect.send(_:fileID:line:)`.
  @inlinable
  public static func send<Action>(
    _ action: Action, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.send(action, fileID: fileID, line: line)]
  }

  /// Returns a list with one `Effect.cancel(id:fileID:line:)`.
  @inlinable
  public static func cancel<Action>(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.cancel(id: id, fileID: fileID, line: line)]
  }

  /// Returns a list with one `Effect.timer(every:clock:name:fileID:line:_:)`.
  @inlinable
  public static func timer<Action>(
    every interval: Duration, clock: some Clock<Duration>, name: String = "timer",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (_ tick: Int) -> Action
  ) -> Self where Element == Effect<Action> {
    [.timer(every: interval, clock: clock, name: name, fileID: fileID, line: line, action)]
  }

  /// Returns a list with one
  /// `Effect.poll(every:clock:startsAtOnce:onError:name:fileID:line:_:)`.
  @inlinable
  public static func poll<Action>(
    every interval: Duration, clock: some Clock<Duration>, startsAtOnce: Bool = true,
    onError: Effect<Action>.PollErrors = .stop, name: String = "poll",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ work: @escaping @Sendable () async throws -> Action?
  ) -> Self where Element == Effect<Action> {
    [
      .poll(
        every: interval, clock: clock, startsAtOnce: startsAtOnce, onError: onError, name: name,
        fileID: fileID, line: line, work)
    ]
  }

  /// Returns a list with one `Effect.stream(_:name:fileID:line:_:)`.
  @inlinable
  public static func stream<Action, S: AsyncSequence>(
    _ sequence: @autoclosure @escaping @Sendable () -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Self
  where Element == Effect<Action>, S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    [.stream(from: { sequence() }, name: name, fileID: fileID, line: line, action)]
  }

  /// Returns a list with one `Effect.stream(from:name:fileID:line:_:)`.
  @inlinable
  public static func stream<Action, S: AsyncSequence>(
    from make: @escaping @Sendable () async throws -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Self
  where Element == Effect<Action>, S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    [.stream(from: make, name: name, fileID: fileID, line: line, action)]
  }

  /// Returns a list with one `Effect.issue(_:fileID:line:)`.
  @inlinable
  public static func issue<Action>(
    _ message: String, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.issue(message, fileID: fileID, line: line)]
  }

  /// Returns a list with one `Effect.merge(_:fileID:line:)`. The effects of a list run concurrently
  /// without it too. This makes them one effect.
  @inlinable
  public static func merge<Action>(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.merge(effects, fileID: fileID, line: line)]
  }

  /// Returns a list with one `Effect.concatenate(_:fileID:line:)`.
  @inlinable
  public static func concatenate<Action>(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    [.concatenate(effects, fileID: fileID, line: line)]
  }
}

extension Array {
  /// Applies `Effect.cancellable(id:cancelInFlight:)` to the list as one effect.
  @inlinable
  public func cancellable<Action>(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Self where Element == Effect<Action> {
    asOne { $0.cancellable(id: id, cancelInFlight: cancelInFlight) }
  }

  /// Applies `Effect.catch(_:)` to the list as one effect.
  @inlinable
  public func `catch`<Action>(
    _ handler: @escaping @Sendable (_ error: any Error) -> Action
  ) -> Self where Element == Effect<Action> {
    asOne { $0.catch(handler) }
  }

  /// Applies `Effect.outlives()` to the list as one effect.
  @inlinable
  public func outlives<Action>() -> Self where Element == Effect<Action> {
    asOne { $0.outlives() }
  }

  /// Applies `Effect.binding(_:to:)` to the list as one effect.
  @inlinable
  public func binding<Action, Value: Sendable>(
    _ local: TaskLocal<Value>, to value: Value
  ) -> Self where Element == Effect<Action> {
    asOne { $0.binding(local, to: value) }
  }

  /// Applies `Effect.debounced(id:for:clock:)` to the list as one effect.
  @inlinable
  public func debounced<Action>(
    id: some Hashable & Sendable, for duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.debounced(id: id, for: duration, clock: clock) }
  }

  /// Applies `Effect.limited(id:to:in:countsCancelled:whenFull:)` to the list as one effect.
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

  /// Applies `Effect.throttled(id:for:clock:latest:)` to the list as one effect.
  @inlinable
  public func throttled<Action>(
    id: some Hashable & Sendable, for interval: Duration, clock: some Clock<Duration>,
    latest: Bool = true
  ) -> Self where Element == Effect<Action> {
    asOne { $0.throttled(id: id, for: interval, clock: clock, latest: latest) }
  }

  /// Applies `Effect.throttled(id:by:for:clock:latest:)` to the list as one effect.
  @inlinable
  public func throttled<Action>(
    id: some Hashable & Sendable, by key: some Hashable & Sendable, for interval: Duration,
    clock: some Clock<Duration>, latest: Bool = true
  ) -> Self where Element == Effect<Action> {
    asOne { $0.throttled(id: id, by: key, for: interval, clock: clock, latest: latest) }
  }

  /// Applies `Effect.delay(for:clock:)` to the list as one effect.
  @inlinable
  public func delay<Action>(
    for duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.delay(for: duration, clock: clock) }
  }

  /// Applies `Effect.timeout(after:clock:)` to the list as one effect.
  @inlinable
  public func timeout<Action>(
    after duration: Duration, clock: some Clock<Duration>
  ) -> Self where Element == Effect<Action> {
    asOne { $0.timeout(after: duration, clock: clock) }
  }

  /// Applies `Effect.timeout(after:clock:_:)` to the list as one effect.
  @inlinable
  public func timeout<Action>(
    after duration: Duration, clock: some Clock<Duration>,
    _ action: @escaping @Sendable (EffectTimeout) -> Action
  ) -> Self where Element == Effect<Action> {
    asOne { $0.timeout(after: duration, clock: clock, action) }
  }

  /// Applies `Effect.retry(_:clock:while:)` to the list as one effect.
  @inlinable
  public func retry<Action>(
    _ policy: RetryPolicy, clock: some Clock<Duration>,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Self where Element == Effect<Action> {
    asOne { $0.retry(policy, clock: clock, while: isWorthwhile) }
  }

  /// Applies `Effect.retry(_:jitter:clock:random:while:)` to the list as one effect.
  @inlinable
  public func retry<Action>(
    _ policy: RetryPolicy, jitter: RetryPolicy.Jitter, clock: some Clock<Duration>,
    random: @escaping @Sendable () -> UInt64,
    while isWorthwhile: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
  ) -> Self where Element == Effect<Action> {
    asOne { $0.retry(policy, jitter: jitter, clock: clock, random: random, while: isWorthwhile) }
  }

  /// Returns these effects and those of `other`, which run concurrently, in the order of the two
  /// lists.
  ///
  /// - Complexity: O(number of both).
  @inlinable
  public func merge<Action>(with other: Self) -> Self where Element == Effect<Action> {
    .joined(self, other)
  }

  /// Returns one effect that runs these effects, and then those of `other` when these have ended.
  /// See `Effect.concatenate(with:fileID:line:)`.
  @inlinable
  public func concatenate<Action>(
    with other: Self, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    if other.isEmpty { return self }
    let next = Effect.merge(other, fileID: fileID, line: line)
    return isEmpty ? other : asOne { $0.concatenate(with: next, fileID: fileID, line: line) }
  }

  /// Returns the result of `change` for the list as one effect. Several effects become a group with
  /// the location of the first. An empty list is returned unchanged.
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
