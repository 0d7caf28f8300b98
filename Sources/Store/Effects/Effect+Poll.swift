extension Effect {
  /// The handling of errors by a poll.
  public enum PollErrors: Sendable {
    /// Ends the poll and throws the error. Use `catch` to turn it into an action; otherwise it is
    /// an issue.
    case stop
    /// Sends an action created from the error, and continues.
    case continueSending(@Sendable (_ error: any Error) -> Action)
  }
}

extension EffectProtocol {
  /// Does the same work at every interval and sends its results, until it is cancelled or, unless
  /// `onError` says otherwise, throws.
  ///
  /// Runs of the work never overlap. If the work takes longer than an interval, it continues, and
  /// the intervals in between are skipped. Intervals are counted from the start, so they do not
  /// drift.
  ///
  /// - Parameters:
  ///   - interval: The time between the starts of the work. If it is zero or less, the result is an
  ///     issue instead of a poll.
  ///   - clock: The clock of the dependencies.
  ///   - startsAtOnce: Whether the work first runs at once, or after one interval.
  ///   - onError: The handling of errors. Cancellation ends the poll in any case.
  ///   - work: Returns an action, or `nil` to send nothing.
  /// - Complexity: One task.
  @inlinable
  public static func poll(
    every interval: Duration, clock: some Clock<Duration>, startsAtOnce: Bool = true,
    onError: Effect<Action>.PollErrors = .stop, name: String = "poll",
    fileID: StaticString = #fileID,
    line: UInt32 = #line, _ work: @escaping @Sendable () async throws -> Action?
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    if let refusal = Effect<Action>.refusal(of: interval, name, location) {
      return Self(effect: refusal)
    }
    return .run(name: name, fileID: fileID, line: line) { send in
      var grid = TickGrid(every: interval, clock: clock)
      try Task.checkCancellation()
      if !startsAtOnce { _ = try await grid.next() }
      while true {
        do {
          if let action = try await work() { send(action) }
        } catch let error where !(error is CancellationError) {
          guard case .continueSending(let action) = onError else { throw error }
          send(action(error))
        }
        _ = try await grid.next()
      }
    }
  }
}
