import SwiftBoardRecording

/// A run of a model test, for creating its dependencies.
public struct ModelRun: Sendable {
  /// The seed that determines the moves, and the order of ready tasks if the test interleaves them.
  public let seed: UInt64
  /// The clock that moves advance.
  public let clock: TestClock
  /// The journal for generators, so that a recording of the run has their values.
  public let journal: DrawJournal
  /// The executor of effects.
  public var executor: ManualExecutor { clock.executor }

  /// A random source for mocks, independent of the moves. Every access returns a new copy from the
  /// beginning.
  public var random: SeededRandom { SeededRandom(seed: ~seed) }

  init(seed: UInt64, interleaves: Bool) {
    self.seed = seed
    clock = TestClock(executor: ManualExecutor(seed: interleaves ? seed : nil))
    journal = DrawJournal()
  }
}
