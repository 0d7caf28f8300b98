import SwiftBoardStore

/// A store for tests in which nothing goes unsaid.
///
/// Every change of state has to be stated, every action received, every effect ended; what is not
/// is reported at the line to blame. `NonExhaustiveTestStore` is the one that asks for less.
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

  /// Goes on with the same store without being exhaustive, for a part of a test.
  ///
  /// - Parameters:
  ///   - reportSkipped: As in the initialiser of `NonExhaustiveTestStore`, for this part.
  ///   - body: Gets a store that is only used inside.
  /// - Throws: What `body` throws.
  /// - Complexity: That of `body`; the store is shared, not copied.
  @discardableResult
  public func nonExhaustively<Result>(
    reportSkipped: TestReporter? = nil,
    _ body: (NonExhaustiveTestStore<R>) throws -> Result
  ) rethrows -> Result {
    let previous = core.reportSkipped
    core.reportSkipped = reportSkipped
    defer { core.reportSkipped = previous }
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
    _ = core.reduceAll(at: location)
  }

  override func look(
    for wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?,
    passed: inout [PassedAction<State, Action>]
  ) -> Sight<Action> {
    let location = wanted.location
    while let next = core.next {
      if wanted.accepts(next) {
        let before = core.state
        guard let action = core.reduceNext(at: location) else { break }
        check(assertion, before: before, "`\(short(action))`", at: location)
        core.checkEffects(effects, "`\(short(action))`", at: location)
        core.finishEnded(at: location)
        return .received(action)
      }
      guard core.reduceReported(at: location) else { return .refused(next) }
    }
    return .absent
  }

  override func check(
    _ assertion: StateAssertion?, before: State, _ subject: @autoclosure () -> String,
    at location: TestLocation
  ) {
    let actual = core.state
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
      let expected = core.apply(assertion, to: before, "after \(subject())", at: location)
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

extension TestStore where R.State: Equatable {
  /// A store that runs on the clock's executor. The line is where leftovers are reported that no
  /// step has caused.
  ///
  /// - Parameters:
  ///   - clock: The time that `advance(by:)` moves, and whose executor runs the effects. Give it to
  ///     the dependencies as well.
  ///   - report: Called for each failure; see `TestReporter` for the line that a test framework
  ///     needs.
  /// - Complexity: Every step compares states with `==`: O(size of the state), less where storage
  ///   is shared.
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
        report: report, reportSkipped: nil, isEqual: ==))
  }
}

extension TestStore {
  /// A store of a state that is not `Equatable`: states are equal where a mirror shows no
  /// difference. What a mirror does not see, closures for example, is not compared. Each comparison
  /// is O(size of the state), and slow.
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
        report: report, reportSkipped: nil, isEqual: looksEqual))
  }
}

/// Whether a mirror shows no difference.
func looksEqual<Value>(_ a: Value, _ b: Value) -> Bool {
  differenceText(of: a, and: b) == nil
}
