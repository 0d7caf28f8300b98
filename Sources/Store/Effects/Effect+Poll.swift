extension Effect {
  /// The handling of errors by a poll.
  public enum PollErrors: Sendable {
    /// Ends, and throws it: `catch` makes an action of it, else it is an issue.
    case stop
    /// Sends the action made of it, and continues.
    case goOn(@Sendable (_ error: any Error) -> Action)
  }

  /// Does the same work at every interval, and sends what it finds, until it is cancelled.
  ///
  /// It never overlaps itself: work that takes longer than an interval continues, and the intervals
  /// it covered are left out. The intervals are counted from the start, so they do not drift.
  ///
  /// - Parameters:
  ///   - interval: From one begin to the next. Zero or less is an issue, and no poll.
  ///   - clock: The clock of the dependencies.
  ///   - startsAtOnce: Whether the first time is now, or after one interval.
  ///   - onError: What to do about an error of the work. Cancellation ends the poll in any case.
  ///   - work: `nil` sends nothing this time.
  /// - Complexity: One task.
  @inlinable
  public static func poll(
    every interval: Duration, clock: some Clock<Duration>, startsAtOnce: Bool = true,
    onError: PollErrors = .stop, name: String = "poll", fileID: StaticString = #fileID,
    line: UInt32 = #line, _ work: @escaping @Sendable () async throws -> Action?
  ) -> Effect {
    let location = SourceLocation(fileID: fileID, line: line)
    if let refusal = refusal(of: interval, name, location) { return refusal }
    return Effect(
      .run { send in
        var grid = TickGrid(every: interval, clock: clock)
        try Task.checkCancellation()
        if !startsAtOnce { _ = try await grid.next() }
        while true {
          do {
            if let action = try await work() { send(action) }
          } catch let error where !(error is CancellationError) {
            guard case .goOn(let action) = onError else { throw error }
            send(action(error))
          }
          _ = try await grid.next()
        }
      }, name: name, location: location)
  }
}
