import SwiftBoardStore

/// Runs recorded steps through a reducer again, one at a time: it serves what was drawn, reduces,
/// and says how the reduction differs from the recorded one.
///
/// Every replay takes its steps here: `Replayer`, the quick verification, `LogNavigator` and
/// `RecordedRun`. What a replay compares besides draws and effects, such as digests, is its own.
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

  /// Reduces an action, with the draws that the step has in the recording. No effect is started.
  @inlinable
  func reduce(
    _ action: R.Action, into state: inout R.State, serving draws: [LoggedDraw]
  ) -> ReplayedStep<R.Action> {
    journal.beginReduction(serving: draws)
    let effects = reducer.reduce(&state, action, dependencies)
    return ReplayedStep(effects: effects, mismatch: journal.endReplayedReduction())
  }
}

/// What a reducer did at a step that was run again, compared with what was recorded.
@usableFromInline
struct ReplayedStep<Action: Sendable> {
  @usableFromInline let effects: [Effect<Action>]
  /// How the draws differ from the recorded ones; nil if they do not.
  @usableFromInline let mismatch: DrawJournal.Mismatch?

  @usableFromInline
  init(effects: [Effect<Action>], mismatch: DrawJournal.Mismatch?) {
    self.effects = effects
    self.mismatch = mismatch
  }

  var descriptors: [EffectDescriptor] {
    // A closure: a key path of a generic type would be built anew at every step.
    effects.map { $0.descriptor }
  }

  /// Whether draws and effects are the recorded ones.
  ///
  /// - Parameter hasAllIDs: As the log's header says.
  @inlinable
  func agrees(with logged: [LogEffect], hasAllIDs: Bool) -> Bool {
    guard mismatch == nil else { return false }
    return effects.isEmpty && logged.isEmpty
      || differences(from: logged, descriptors: nil, hasAllIDs: hasAllIDs).isEmpty
  }

  /// The draws and effects that are not the recorded ones.
  ///
  /// - Parameters:
  ///   - descriptors: The descriptors of `effects`, if the caller has them; nil: none.
  ///   - hasAllIDs: As the log's header says.
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
