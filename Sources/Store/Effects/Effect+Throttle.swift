extension EffectProtocol {
  /// Runs at most one effect of an id per interval. The first starts at once. If `latest` is set,
  /// the last one returned during the interval starts at its end. The others never start and are
  /// reported as dropped.
  ///
  /// The throttle counts the effects of the same place in the composition, unlike `limited`, which
  /// counts in the whole store by default. It counts effects that are `limited` by the same id
  /// `in: .place`, too; those inside the throttled effect need no permit until the interval ends.
  ///
  /// - Cancelling the id of the throttle, an id that a later operator adds, or the handle of `send`
  ///   cancels running and waiting effects and the interval. With
  ///   `cancellable(id:cancelInFlight: true)` behind it, nothing is throttled.
  /// - An id that an earlier operator has added cancels the effect alone. If the effect waits, its
  ///   interval begins nevertheless.
  ///
  /// The interval is a part of the effect: `finish()`, `shutdown(deadline:)` and the next member of
  /// a `concatenate` wait for it. The descriptor is a `merge` with the name and the id, and with a
  /// part “throttle” for the interval before the effect's own.
  ///
  /// - Parameters:
  ///   - id: The id of the throttle. Effects of different ids are independent.
  ///   - interval: The time from the start of an effect, regardless of how long it runs. With zero
  ///     or less, every effect starts.
  ///   - clock: The clock of the dependencies.
  ///   - latest: Whether the last effect returned within the interval runs at its end, or is
  ///     dropped like the others. With `false`, an effect that is cancellable with
  ///     `cancelInFlight: true` and is dropped still cancels the effects in flight, because the ids
  ///     are handled first.
  /// - Complexity: One more task for each effect that starts, which measures the interval.
  @inlinable
  public func throttled(
    id: some Hashable & Sendable, for interval: Duration, clock: some Clock<Duration>,
    latest: Bool = true
  ) -> Self {
    let key = CancelKey(id: CancelID(id))
    return changed {
      $0.throttled(cancelledBy: key, countedBy: key, interval, clock, latest: latest)
    }
  }

  /// Runs at most one effect of each key per interval. For example, each row is saved at most once
  /// a second, independently of other rows. Otherwise the same as
  /// `throttled(id:for:clock:latest:)`.
  ///
  /// The id cancels the effects of all keys, and their intervals. The key is not an id and cancels
  /// nothing. To cancel the effects of one key, give the throttled effect another id with
  /// `cancellable(id:)`. Keys of different ids, or of different places in the composition, are
  /// independent.
  ///
  /// - Parameters:
  ///   - id: The id shared by the effects of all keys.
  ///   - key: The subject of the effect. Keys of different types differ, like ids.
  ///   - interval: The time from the start of an effect, as in `throttled(id:for:clock:latest:)`.
  ///   - clock: The clock of the dependencies.
  ///   - latest: Whether the last effect returned within the interval runs at its end.
  /// - Complexity: The same as `throttled(id:for:clock:latest:)`, and one small object for the key.
  ///   A key costs nothing after its interval if none of its effects waits.
  @inlinable
  public func throttled(
    id: some Hashable & Sendable, by key: some Hashable & Sendable, for interval: Duration,
    clock: some Clock<Duration>, latest: Bool = true
  ) -> Self {
    let id = CancelID(id)
    let key = CancelKey(id: CancelID(ThrottleKey(id: id, key: CancelID(key))))
    return changed {
      $0.throttled(
        cancelledBy: CancelKey(id: id), countedBy: key, interval, clock, latest: latest)
    }
  }
}

extension Effect {
  /// Returns a group of the interval and this effect, in that order. The interval holds the only
  /// permit.
  @inlinable
  func throttled(
    cancelledBy id: CancelKey, countedBy key: CancelKey, _ interval: Duration,
    _ clock: some Clock<Duration>, latest: Bool
  ) -> Effect {
    guard interval > .zero, !isNone else { return with(key: id) }
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

/// The key of a throttle by key. No id of a user is equal to it, because its type is internal.
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
