import SwiftBoardStore

/// Runs recorded steps through a reducer again, one at a time. Serves the recorded draws, reduces,
/// and returns the differences from the recorded step.
///
/// All replays use it: `Replayer`, the quick verification, `LogNavigator` and `RecordedRun`. It
/// compares draws and effects. The replays themselves compare the rest, such as digests.
@usableFromInline
struct StepReplay<R: Reducer>: Sendable {
  @usableFromInline let reducer: R
  @usableFromInline let dependencies: R.Dependencies
  @usableFromInline let journal: DrawJournal

  init(_ reducer: R, _ dependencies: R.Dependencies, _ journal: DrawJournal) {
    self.reducer = reducer
    self.dependencies = dependencies
    self.journal = journal
  }

  /// Reduces an action with the recorded draws of its step. Starts no effect.
  @inlinable
  func reduce(
    _ action: R.Action, into state: inout R.State, serving draws: [LoggedDraw]
  ) -> ReplayedStep<R.Action> {
    journal.beginReduction(serving: draws)
    let effects = reducer.reduce(&state, action, dependencies)
    return ReplayedStep(effects: effects, mismatch: journal.endReplayedReduction())
  }
}

/// The result of a replayed step, for comparison with the recorded step.
@usableFromInline
struct ReplayedStep<Action: Sendable> {
  @usableFromInline let effects: [Effect<Action>]
  /// The difference of the draws from the recorded ones, or `nil` if there is none.
  @usableFromInline let mismatch: DrawJournal.Mismatch?

  @usableFromInline
  init(effects: [Effect<Action>], mismatch: DrawJournal.Mismatch?) {
    self.effects = effects
    self.mismatch = mismatch
  }

  var descriptors: [EffectDescriptor] {
    // A closure, since a key path of a generic type would be created at every step.
    effects.map { $0.descriptor }
  }

  /// Returns whether draws and effects match the recorded ones.
  ///
  /// - Parameter hasAllIDs: The value of the log's header.
  @inlinable
  func agrees(with logged: [LogEffect], hasAllIDs: Bool) -> Bool {
    guard mismatch == nil else { return false }
    return effects.isEmpty && logged.isEmpty
      || differences(from: logged, descriptors: nil, hasAllIDs: hasAllIDs).isEmpty
  }

  /// Returns the differences of draws and effects from the recorded ones.
  ///
  /// - Parameters:
  ///   - descriptors: The descriptors of `effects`, or `nil` if the caller does not have them.
  ///   - hasAllIDs: The value of the log's header.
  @usableFromInline
  func differences(
    from logged: [LogEffect], descriptors: [EffectDescriptor]?, hasAllIDs: Bool
  ) -> [Divergence.Difference] {
    var differences: [Divergence.Difference] = []
    if let mismatch { differences.append(.draws(mismatch)) }
    let (expected, found) = logged.compared(
      withFound: (descriptors ?? self.descriptors).map { LogEffect($0) }, hasAllIDs: hasAllIDs)
    if expected != found { differences.append(.effects(expected: expected, found: found)) }
    return differences
  }
}
