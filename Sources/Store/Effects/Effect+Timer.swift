extension Effect {
  /// Sends an action at every interval until it is cancelled, the first after one interval.
  ///
  /// Ticks are counted from the start, so they do not drift. A tick that is missed is skipped, not
  /// made up for.
  ///
  /// - Parameters:
  ///   - interval: Zero or less is an issue, and no timer.
  ///   - clock: The clock of the dependencies.
  ///   - action: Makes the action of a tick from its number: how many intervals from the start it
  ///     is. A gap shows ticks that were left out.
  /// - Complexity: One task.
  @inlinable
  public static func timer(
    every interval: Duration, clock: some Clock<Duration>, name: String = "timer",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (_ tick: Int) -> Action
  ) -> Effect {
    let location = SourceLocation(fileID: fileID, line: line)
    if let refusal = refusal(of: interval, name, location) { return refusal }
    return Effect(
      .run { send in
        var grid = TickGrid(every: interval, clock: clock)
        while true { send(action(try await grid.next())) }
      }, name: name, location: location)
  }
}
