import SwiftBoardStore

extension Replayer {
  /// Called with a step that agreed, when it is to be played: the step with its number and origin in the recording, the state after it,
  /// and `t` in microseconds. The next step is not reduced before it returns. Keeping a copy of the state makes that copy what it changes.
  public typealias OnPlayedStep = (
    _ step: Step<R.Action>, _ state: R.State, _ t: Int64
  ) async throws -> Void

  /// Replays a recording as it was or faster, slower, step by step: `replay`, with pauses.
  ///
  /// Cancelling the task ends it with `ReplayError.unreadable(.cancelled)`, also while it waits. Files are read, and steps reduced, on
  /// the executor it is called on.
  ///
  /// - Parameters:
  ///   - pace: How long to wait between two steps; nil: not at all.
  ///   - acceptRisk: As for `replay`.
  ///   - first: The first step that is played and waited for; those before it are replayed at once, and `onStep` hears nothing of them.
  ///   - last: As for `replay`.
  ///   - clock: What the pauses are measured by.
  ///   - nextStep: Asked before each step from `first` on is told, for going through a recording by hand; the first false ends it there.
  /// - Returns: What was replayed, the step that `nextStep` refused included; pauses are part of `elapsed`.
  /// - Throws: What `replay` does, before the first step unless it differs, and what `nextStep` and `onStep` throw.
  /// - Complexity: As `replay`.
  public nonisolated(nonsending) func play(
    _ chain: LogChain, pace: ReplayPace? = nil, acceptRisk: Bool = false, from first: Int = 0,
    until last: Int? = nil, clock: some Clock<Duration> = ContinuousClock(),
    nextStep: ReplayPacer.NextStep? = nil, onStep: nonisolated(nonsending) OnPlayedStep
  ) async throws -> ReplaySummary {
    let start = ContinuousClock.now
    let told = Told<R>()
    var run = try ChainRun(self, chain, acceptRisk: acceptRisk, until: last) {
      told.step = ($0, $1, $2)
    }
    var pacer = ReplayPacer(pace, clock: clock, nextStep: nextStep)
    do {
      while try run.next() {
        guard let (step, state, t) = told.step.take() else { continue }
        guard step.number >= first else {
          try Task.checkCancellation()
          continue
        }
        guard try await pacer.wait(until: t) else { break }
        try await onStep(step, state, t)
      }
    } catch is CancellationError where Task.isCancelled {
      throw ReplayError.unreadable(.cancelled)
    }
    return run.summary(since: start)
  }
}

/// The step that a run has just told of.
private final class Told<R: Reducer> {
  var step: (Step<R.Action>, R.State, Int64)?
}
