import SwiftBoardStore

/// A store for tests that check only some behavior: long flows, and features composed of features.
///
/// It requires less than `TestStore`. A closure receives the state after a step and may state only
/// a part of it. Actions before the expected one are skipped: they are reduced without being
/// checked. Remaining actions and effects at the end are dropped. Issues of the store are still
/// failures.
///
/// To see what it does not check, pass a `reportSkipped` that reports a warning, for example `{
/// Issue.record("\($0.message)", severity: .warning) }`. Closures then run twice.
public final class NonExhaustiveTestStore<R: Reducer>: SteppedStore<R> {
  /// Whether another test store owns the store and finishes it.
  private let isPart: Bool
  /// The actions that no line can expect any more, since they were reduced before the action of an
  /// earlier line.
  private var unseen: [(action: Action, next: Action, location: TestLocation)] = []

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
    let skipped = core.reduceAll(at: location)
    noteUnseen(core.early.map(\.action) + skipped, before: action, at: location)
    core.dropEarly()
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
        noteUnseen((core.early + passed).map(\.action), before: action, at: location)
        core.dropEarly()
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
      passed.append(core.passed(action, before: before))
      core.finishEnded(at: location)
      before = core.state
    }
    guard let found = core.early.firstIndex(where: { wanted.accepts($0.action) }) else {
      return .absent
    }
    let step = core.takeEarly(at: found, by: location)
    noteUnseen(core.early.prefix(found).map(\.action), before: step.action, at: location)
    core.dropEarly(found)
    core.keepEarly(passed)
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

  private func noteUnseen(_ actions: [Action], before next: Action, at location: TestLocation) {
    unseen += actions.map { ($0, next, location) }
  }

  override func whereUnseen(_ wanted: Wanted<Action>) -> String? {
    unseen.last { wanted.accepts($0.action) }.map {
      "`\(short($0.action))` was reduced unseen before `\(short($0.next))`, at \($0.location): "
        + "if that one is meant, receive it before that line. "
    }
  }

  override func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    if let assertion {
      core.check(
        assertion, against: core.state, before: before, "The state after \(subject())",
        "after \(subject())", at: location)
    }
    guard core.reportSkipped != nil else { return }
    // The values that the closure sets are checked. All other changes are not.
    var stated = before
    core.hidingStep(since: before) { try? assertion?(&stated) }
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

extension NonExhaustiveTestStore {
  /// Creates a store that runs on the clock's executor. The line of the call is that of failures
  /// for remaining effects that no step has caused. States are compared as by `TestStore`.
  ///
  /// - Parameters:
  ///   - clock: The clock that `advance(by:)` advances, and whose executor runs the effects. Pass
  ///     it to the dependencies, too.
  ///   - report: Called for each failure. `TestReporter` shows a reporter for each test framework.
  ///   - reportSkipped: Receives unchecked behavior, which is not a failure: changes, received
  ///     actions and remaining effects. If `nil`, these are not computed.
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
        isExhaustive: false, report: report, reportSkipped: reportSkipped), isPart: false)
  }
}

extension NonExhaustiveTestStore where R.Dependencies == Void {
  /// Creates a store of a reducer without dependencies. Otherwise the same as
  /// `init(initialState:reducer:clock:dependencies:report:reportSkipped:)`.
  public convenience init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    report: @escaping TestReporter, reportSkipped: TestReporter? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    self.init(
      initialState: initialState, reducer: reducer, clock: clock, dependencies: (), report: report,
      reportSkipped: reportSkipped, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
