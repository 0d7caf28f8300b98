import SwiftBoardStore

/// A store for tests that look at some things and leave the rest: long flows, and features made of
/// features.
///
/// It asks for less than `TestStore`: a closure gets the state from after, states some of it and
/// may leave out the rest; what was received before the action that is asked for is reduced unseen;
/// what is left at the end is dropped. Issues of the store are failures nevertheless.
///
/// What it lets pass can be shown: give it a `reportSkipped` that reports a warning, for example `{
/// Issue.record("\($0.message)", severity: .warning) }`. Closures run twice then.
public final class NonExhaustiveTestStore<R: Reducer>: SteppedStore<R> {
  /// Whether another test store owns the store and ends it.
  private let isPart: Bool
  /// What a failed `receive` has passed over. The lines after it may still ask for it.
  private var lost: [PassedAction<State, Action>] = []

  init(core: TestCore<R>, isPart: Bool) {
    self.isPart = isPart
    super.init(core: core)
  }

  deinit {
    guard !isPart, !core.isFinished else { return }
    close(at: core.created)
    core.close(at: core.created)
  }

  override func prepare(for action: Action, at location: TestLocation) {
    lost = []
    let skipped = core.reduceAll(at: location)
    guard !skipped.isEmpty else { return }
    core.skip(
      .unreceivedActions,
      "\(count(skipped.count, "action")) reduced unseen before `\(short(action))`:\n\(list(skipped))",
      at: location)
  }

  override func look(
    for wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?,
    passed: inout [PassedAction<State, Action>]
  ) -> Sight<Action> {
    let location = wanted.location
    var before = core.state
    while let action = core.reduceNext(at: location) {
      if wanted.accepts(action) {
        lost = []
        if !passed.isEmpty {
          core.skip(
            .unreceivedActions,
            "\(count(passed.count, "action")) reduced unseen before `\(short(action))`:\n"
              + list(passed.map(\.action)), at: location)
        }
        check(assertion, before: before, "`\(short(action))`", at: location)
        core.checkEffects(effects, "`\(short(action))`", at: location)
        core.finishEnded(at: location)
        return .received(action)
      }
      passed.append(
        PassedAction(action: action, effects: core.lastStep?.effects ?? [], after: core.state))
      core.finishEnded(at: location)
      before = core.state
    }
    guard let found = lost.firstIndex(where: { wanted.accepts($0.action) }) else { return .absent }
    let step = lost[found]
    lost = lost.dropFirst(found + 1) + passed
    passed = []
    let subject = "`\(short(step.action))`"
    if let assertion {
      core.check(
        assertion, against: step.after, "The state after \(subject)", "after \(subject)",
        at: location)
    }
    core.checkEffects(effects, of: step.effects, subject, at: location)
    return .received(step.action)
  }

  override func noteFailure(passed: [PassedAction<State, Action>]) {
    lost += passed
  }

  override func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    if let assertion {
      core.check(
        assertion, against: core.state, "The state after \(subject())", "after \(subject())",
        at: location)
    }
    guard core.reportSkipped != nil else { return }
    // What the closure sets is stated; the rest of the change is not.
    var stated = before
    try? assertion?(&stated)
    let actual = core.state
    guard !core.isEqual(stated, actual) else { return }
    core.skip(
      .unexpectedChange,
      "The test does not state all of the change after \(subject()) (- stated, + after):\n\n"
        + difference(stated, actual), at: location)
  }

  override func close(at location: TestLocation) {
    guard core.reportSkipped != nil else { return }
    core.reportLeftovers(at: location) { core.reportSkipped?($0) }
  }
}

extension NonExhaustiveTestStore where R.State: Equatable {
  /// A store that runs on the clock's executor. The line is where leftovers are reported that no
  /// step has caused.
  ///
  /// - Parameters:
  ///   - clock: The time that `advance(by:)` moves, and whose executor runs the effects. Give it to
  ///     the dependencies as well.
  ///   - report: Called for each failure; see `TestReporter` for the line that a test framework
  ///     needs.
  ///   - reportSkipped: Receives what the test does not state: changes, received actions, effects
  ///     that are left. Not a failure. Without it nothing of that is looked for.
  public convenience init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    dependencies: R.Dependencies, report: @escaping TestReporter,
    reportSkipped: TestReporter? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.init(
      core: TestCore(
        state: initialState, reducer: reducer, dependencies: dependencies, clock: clock,
        created: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        report: report, reportSkipped: reportSkipped, isEqual: ==), isPart: false)
  }
}

extension NonExhaustiveTestStore {
  /// A store of a state that is not `Equatable`; see the initialiser of `TestStore` for such
  /// states. Costs one store.
  public convenience init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    dependencies: R.Dependencies, report: @escaping TestReporter,
    reportSkipped: TestReporter? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.init(
      core: TestCore(
        state: initialState, reducer: reducer, dependencies: dependencies, clock: clock,
        created: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        report: report, reportSkipped: reportSkipped, isEqual: looksEqual), isPart: false)
  }
}
