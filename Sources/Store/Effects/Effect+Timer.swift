extension EffectProtocol {
  /// Sends an action at every interval until it is cancelled. The first is sent after one interval.
  ///
  /// Ticks are counted from the start, so they do not drift. A missed tick is skipped.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks. If it is zero or less, the result is an issue instead of
  ///     a timer.
  ///   - clock: The clock of the dependencies.
  ///   - action: Creates the action of a tick from its number: the number of intervals from the
  ///     start. A gap in the numbers shows that ticks were skipped.
  /// - Complexity: One task.
  @inlinable
  public static func timer(
    every interval: Duration, clock: some Clock<Duration>, name: String = "timer",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (_ tick: Int) -> Action
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    if let refusal = Effect<Action>.refusal(of: interval, name, location) {
      return Self(effect: refusal)
    }
    return .run(name: name, fileID: fileID, line: line) { send in
      var grid = TickGrid(every: interval, clock: clock)
      while true { send(action(try await grid.next())) }
    }
  }
}
