extension EffectProtocol {
  /// Starts the effect when no other effect with this id has followed for some time. For example,
  /// text is looked up when the user pauses typing.
  ///
  /// Each new effect cancels the previous one, whether it waits or runs, so that results never
  /// arrive out of order. None of the previous one's actions is reduced from then on. The id is an
  /// ordinary cancel id: `.cancel(id:)` ends the wait and the work.
  ///
  /// - Parameters:
  ///   - id: The id shared by the effects of which only the last one runs. Added to the ids of the
  ///     effect.
  ///   - duration: The time without another effect.
  ///   - clock: The clock of the dependencies.
  /// - Complexity: The cost of `delay` and of an id.
  @inlinable
  public func debounced(
    id: some Hashable & Sendable, for duration: Duration, clock: some Clock<Duration>
  ) -> Self {
    delay(for: duration, clock: clock).cancellable(id: id, cancelInFlight: true)
  }
}
