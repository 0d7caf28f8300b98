extension Effect {
  /// Runs one effect of an id per interval: the first at once, and, if `latest` is set, the last
  /// one returned during the interval at its end. The others never start and are reported as
  /// dropped.
  ///
  /// Cancelling the id cancels what was let through, what waits, and the interval. It counts among
  /// the effects of the same position in the composition, other than `limited`, which counts in the
  /// whole store by default. The descriptor is a `merge` that has the name and the id, with a part
  /// “throttle” for the interval in front of the effect's own.
  ///
  /// - Parameters:
  ///   - id: Effects of different ids have nothing to do with each other.
  ///   - interval: From the start of an effect that was let through; how long that one runs does
  ///     not matter. Zero or less lets all through.
  ///   - clock: The clock of the dependencies.
  ///   - latest: Whether the last effect returned within the interval runs at its end, or is
  ///     dropped like the others. With `false`, an effect that is `cancellable(id:cancelInFlight:
  ///     true)` and is dropped still cancels the effects in flight, because the ids are handled
  ///     first.
  /// - Complexity: One task more for each effect that is let through, which measures the interval.
  @inlinable
  public func throttled(
    id: some Hashable & Sendable, for interval: Duration, clock: some Clock<Duration>,
    latest: Bool = true
  ) -> Effect {
    guard !isNone else { return self }
    let key = CancelKey(id: CancelID(id))
    return throttled(cancelledBy: key, countedBy: key, interval, clock, latest: latest)
  }

  /// Lets through one effect of each key per interval: a row is saved at most once a second, and no
  /// row waits for another. Else as `throttled(id:for:clock:latest:)`.
  ///
  /// The id cancels the effects of all keys, and their intervals. The key is no id and cancels
  /// nothing; an id that is given to the throttled effect besides, with `cancellable(id:)`, can
  /// cancel the effects of one key. Keys of different ids, or of different positions in the
  /// composition, are independent.
  ///
  /// - Parameters:
  ///   - id: Shared by the effects of all keys.
  ///   - key: What the effect is about. Keys of different types differ, as with ids.
  ///   - interval: As there.
  ///   - clock: The clock of the dependencies.
  ///   - latest: As there.
  /// - Complexity: That of `throttled(id:for:clock:latest:)`, and one small object for the key. A
  ///   key costs nothing once its interval is over and nothing of it waits.
  @inlinable
  public func throttled(
    id: some Hashable & Sendable, by key: some Hashable & Sendable, for interval: Duration,
    clock: some Clock<Duration>, latest: Bool = true
  ) -> Effect {
    guard !isNone else { return self }
    let id = CancelID(id)
    return throttled(
      cancelledBy: CancelKey(id: id),
      countedBy: CancelKey(id: CancelID(ThrottleKey(id: id, key: CancelID(key)))),
      interval, clock, latest: latest)
  }

  /// A group of the interval and this effect, in that order: the interval holds the only permit.
  @inlinable
  func throttled(
    cancelledBy id: CancelKey, countedBy key: CancelKey, _ interval: Duration,
    _ clock: some Clock<Duration>, latest: Bool
  ) -> Effect {
    guard interval > .zero else { return with(key: id) }
    let hold = Effect(
      .run { _ in try await clock.wait(for: interval) }, name: "throttle", location: location)
    return Effect(
      .merge([hold, self]), name: name, location: location,
      traits: EffectTraits(
        keys: [id],
        limit: EffectLimit(
          key: key, scope: .place, count: 1,
          overflow: latest ? .wait(capacity: 1, dropsOldest: true) : .drop, isHeldByInterval: true))
    )
  }
}

/// Under what a throttle by key counts: no id that a user gives is equal to it, since its type is
/// known only here.
@usableFromInline
struct ThrottleKey: Hashable, Sendable {
  @usableFromInline let id: CancelID
  @usableFromInline let key: CancelID

  @inlinable
  init(id: CancelID, key: CancelID) {
    self.id = id
    self.key = key
  }
}
