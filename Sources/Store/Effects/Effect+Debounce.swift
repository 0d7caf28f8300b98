extension Effect {
  /// Starts the effect once no other with this id has come for a while: what is typed is looked up
  /// when the typing pauses.
  ///
  /// Each new one cancels the one before, waiting or at work already, so that results never arrive
  /// out of order; nothing of the one before is reduced from then on. The id is a cancel id like
  /// any other: `.cancel(id:)` ends wait and work.
  ///
  /// - Parameters:
  ///   - id: Shared by the effects of which only the last counts. Added to the ids that the effect
  ///     has.
  ///   - duration: How long it has to be quiet.
  ///   - clock: The clock of the dependencies.
  /// - Complexity: That of `delay` and of an id.
  @inlinable
  public func debounced(
    id: some Hashable & Sendable, for duration: Duration, clock: some Clock<Duration>
  ) -> Effect {
    delay(for: duration, clock: clock).cancellable(id: id, cancelInFlight: true)
  }
}
