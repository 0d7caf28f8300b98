import SwiftBoardRecording

/// What one run of a model test gives its dependencies.
public struct ModelRun: Sendable {
  /// Decides the moves, and the order of ready tasks where these interleave.
  public let seed: UInt64
  /// The time that moves advance.
  public let clock: TestClock
  /// For generators that draw through a journal, so that a recording of the run has their values.
  public let journal: DrawJournal
  /// The executor of effects.
  public var executor: ManualExecutor { clock.executor }

  /// Chance for mocks: begins anew with every run, and is not that of the moves. O(1): a fresh copy
  /// each time it is asked for.
  public var random: SeededRandom { SeededRandom(seed: ~seed) }

  init(seed: UInt64, interleaves: Bool) {
    self.seed = seed
    clock = TestClock(executor: ManualExecutor(seed: interleaves ? seed : nil))
    journal = DrawJournal()
  }
}
