import SwiftBoardStore

/// A store for exhaustive tests.
///
/// A test must state every change of state, receive every action, and end every effect. Anything
/// else is reported at the responsible line. `NonExhaustiveTestStore` requires less.
///
/// ```swift
/// let store = TestStore(
///   initialState: Search.State(), reducer: Search(), clock: clock,
///   dependencies: SearchDependencies(clock: clock, client: client), report: report)
/// store.send(.typed("ri"), effects: [.task("search", id: "search")]) { $0.text = "ri" }
/// store.advance(by: .milliseconds(300))
/// store.receive(.found(["Rick"])) { $0.results = ["Rick"] }
/// store.finish()
/// ```
public final class TestStore<R: Reducer>: SteppedStore<R> {
  deinit {
    guard !core.isFinished else { return }
    close(at: core.created)
    core.close(at: core.created)
  }

  /// Uses the same store non-exhaustively in a part of a test.
  ///
  /// - Parameters:
  ///   - reportSkipped: As in the initializer of `NonExhaustiveTestStore`, for this part.
  ///   - body: Receives a store that must only be used inside.
  /// - Throws: The errors of `body`.
  /// - Complexity: That of `body`, since the store is shared and not copied.
  @discardableResult
  public func nonExhaustively<Result>(
    reportSkipped: TestReporter? = nil,
    _ body: (NonExhaustiveTestStore<R>) throws -> Result
  ) rethrows -> Result {
    let previous = (core.reportSkipped, core.isExhaustive)
    (core.reportSkipped, core.isExhaustive) = (reportSkipped, false)
    defer { (core.reportSkipped, core.isExhaustive) = previous }
    return try body(NonExhaustiveTestStore(core: core, isPart: true))
  }

  override var isStrict: Bool { true }

  override func prepare(for action: Action, at location: TestLocation) {
    let waiting = core.waiting
    guard !waiting.isEmpty else { return }
    core.fail(
      .unreceivedActions,
      "\(count(waiting.count, "action")) must be received before `\(short(action))` is sent:\n"
        + list(waiting) + (core.whyTurn.map { "\n\($0)" } ?? ""), at: location)
    while core.reduceEarly(at: location) {}
  }

  override func look(
    for wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?,
    passed: inout [PassedAction<State, Action>]
  ) -> Sight<Action> {
    let location = wanted.location
    func isStated(_ step: PassedAction<State, Action>) -> Bool {
      wanted.accepts(step.action) && agrees(step, effects, assertion)
    }
    var stated = core.early.firstIndex(where: isStated)
    while stated == nil, core.reduceReported(at: location) {
      if isStated(core.early[core.early.count - 1]) { stated = core.early.count - 1 }
    }
    if let stated { return .received(core.takeEarly(at: stated, by: location).action) }
    let accepted = core.early.firstIndex { wanted.accepts($0.action) }
    if let next = core.next {
      if !wanted.accepts(next) {
        if accepted == nil || core.waiting.contains(where: wanted.accepts) { return .refused(next) }
      } else if accepted == nil {
        return receiveNext(at: location, effects, assertion)
      } else if core.reduceEarly(at: location), isStated(core.early[core.early.count - 1]) {
        let action = core.takeEarly(at: core.early.count - 1, by: location).action
        core.dropEarly()
        return .received(action)
      }
    }
    guard let accepted else { return .absent }
    let step = core.takeEarly(at: accepted, by: location)
    let subject = "`\(short(step.action))`"
    check(assertion, before: step.before, after: step.after, subject, at: location)
    core.checkEffects(effects, of: step.effects, subject, at: location)
    return .received(step.action)
  }

  /// Receives the next action, which no line has reported.
  private func receiveNext(
    at location: TestLocation, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?
  ) -> Sight<Action> {
    let before = core.state
    guard let action = core.reduceNext(at: location) else { return .absent }
    // The correct lines for earlier actions would have come before this one.
    core.dropEarly()
    check(assertion, before: before, "`\(short(action))`", at: location)
    core.checkEffects(effects, "`\(short(action))`", at: location)
    core.finishEnded(at: location)
    return .received(action)
  }

  /// Returns whether a step is as a line states it.
  private func agrees(
    _ step: PassedAction<State, Action>, _ effects: [EffectDescriptor]?,
    _ assertion: StateAssertion?
  ) -> Bool {
    if let effects, effects != step.effects { return false }
    let isChanged = !core.isEqual(step.before, step.after)
    guard let assertion else { return !isChanged }
    return isChanged && core.holds(assertion, before: step.before, after: step.after)
  }

  override func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    check(assertion, before: before, after: core.state, subject(), at: location)
  }

  private func check(
    _ assertion: StateAssertion?, before: State, after actual: State,
    _ subject: @autoclosure () -> String, at location: TestLocation
  ) {
    guard let assertion else {
      if !core.isEqual(actual, before) {
        core.fail(
          .unexpectedChange,
          "The state was not expected to change after \(subject()), but it did (- before, + after):\n\n"
            + difference(before, actual), at: location)
      }
      return
    }
    guard
      let expected = core.apply(
        assertion, to: before, before: before, "after \(subject())", at: location)
    else { return }
    if !core.isEqual(expected, actual) {
      core.fail(
        .stateDiffers,
        "The state after \(subject()) is not the expected one (- expected, + actual):\n\n"
          + difference(expected, actual), at: location)
    } else if core.isEqual(expected, before) {
      core.fail(
        .nothingChanged,
        "The state was expected to change after \(subject()), but nothing changed. "
          + "If that is right, leave the closure out.", at: location)
    }
  }

  override func close(at location: TestLocation) {
    core.catchUp(at: location)
    core.reportLeftovers(at: location) { core.fail($0) }
  }
}

extension TestStore {
  /// Creates a store that runs on the clock's executor. The line of the call is that of failures
  /// for remaining effects that no step has caused.
  ///
  /// States that are not `Equatable` are equal if their mirrors show no difference. Values that a
  /// mirror does not show, such as closures, are not compared then.
  ///
  /// - Parameters:
  ///   - clock: The clock that `advance(by:)` advances, and whose executor runs the effects. Pass
  ///     it to the dependencies, too.
  ///   - report: Called for each failure. `TestReporter` shows a reporter for each test framework.
  /// - Complexity: Every step compares states: O(size of the state), or less if `==` finds that
  ///   storage is shared. A comparison of mirrors is slow.
  public convenience init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    dependencies: R.Dependencies, report: @escaping TestReporter,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    self.init(
      core: TestCore(
        state: initialState, reducer: reducer, dependencies: dependencies, clock: clock,
        created: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        isExhaustive: true, report: report, reportSkipped: nil))
  }
}

extension TestStore where R.Dependencies == Void {
  /// Creates a store of a reducer without dependencies. Otherwise the same as
  /// `init(initialState:reducer:clock:dependencies:report:)`.
  public convenience init(
    initialState: State, reducer: R, clock: TestClock = TestClock(),
    report: @escaping TestReporter, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.init(
      initialState: initialState, reducer: reducer, clock: clock, dependencies: (), report: report,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
