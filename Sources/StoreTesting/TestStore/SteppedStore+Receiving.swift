import SwiftBoardStore

/// Receiving, by which a test reduces an action that an effect sent.
extension SteppedStore {
  /// Reduces the next action that an effect sent, if `isExpected` accepts it.
  ///
  /// In a `TestStore`, another action is a failure that reduces nothing, and its message says
  /// whether the expected one is later in the queue. Later lines do not fail for the reported
  /// actions: they reduce these first, and may still receive them. Of those that a line accepts, it
  /// receives the first whose step is as it states. If there is none, it tries the next action.
  /// Its closure runs for each. In a `NonExhaustiveTestStore`, other actions are skipped.
  ///
  /// - Parameters:
  ///   - effects: As for `send`.
  ///   - assertion: As for `send`.
  /// - Returns: The reduced action, or `nil` after a failure, if there was another action or none.
  /// - Complexity: That of `send`. In a `NonExhaustiveTestStore`, also for each skipped action.
  @discardableResult
  public func receive(
    where isExpected: (Action) -> Bool, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) -> Action? {
    withoutActuallyEscaping(isExpected) { isExpected in
      take(
        .accepted(
          by: isExpected,
          at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
        effects, assertion)
    }
  }

  /// Reduces the next action that an effect sent, if `isExpected` accepts it. Waits in real time
  /// for effects that require it, such as those that wait for another thread.
  ///
  /// Unlike `waitForAction`, which accepts any action, this waits for the expected one. A
  /// `NonExhaustiveTestStore` skips earlier actions. The wait ends with a failure if no effect is
  /// running, if the patience ends, or, in a `TestStore`, if the next action is another one. An
  /// effect that sleeps on the test's clock prolongs the wait, so advance the clock first.
  /// Cancelling the calling task ends the wait.
  ///
  /// - Parameters:
  ///   - patience: The maximum real time to wait.
  ///   - effects: As for `send`.
  ///   - assertion: As for `send`.
  /// - Returns: As for `receive(where:)`.
  /// - Complexity: That of `receive(where:)`, and one suspension for each possible change.
  @discardableResult
  nonisolated(nonsending)
    public func receive(
      where isExpected: @escaping (Action) -> Bool, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async -> Action?
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return await take(.accepted(by: isExpected, at: location), patience, effects, assertion)
  }

  /// Reduces the next action that an effect sent, if it has this case, like `receive(where:)`.
  ///
  /// - Returns: The payload of the case, or `nil` after a failure, if there was another action or
  ///   none.
  /// - Complexity: That of `receive(where:)`.
  @discardableResult
  public func receive<Value>(
    _ path: CasePath<Action, Value>, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) -> Value? {
    take(
      .of(path, at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion
    ).flatMap(path.extract)
  }

  /// Reduces the next action that an effect sent, if it has this case. Waits in real time, like
  /// `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  /// - Returns: The payload of the case, or `nil` after a failure, if there was another action or
  ///   none.
  /// - Complexity: That of `receive(where:within:)`.
  @discardableResult
  nonisolated(nonsending)
    public func receive<Value>(
      _ path: CasePath<Action, Value>, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async -> Value?
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return await take(.of(path, at: location), patience, effects, assertion).flatMap(path.extract)
  }

  /// Reduces the next action that an effect sent, if it has this case and the payload `value`, like
  /// `receive(where:)`. The failure for a different payload shows the difference.
  public func receive<Value: Equatable>(
    _ path: CasePath<Action, Value>, _ value: Value, effects: [EffectDescriptor]? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column, assert assertion: StateAssertion? = nil
  ) {
    _ = take(
      .value(
        of: path, value,
        at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion)
  }

  /// Reduces the next action that an effect sent, if it has this case and the payload `value`.
  /// Waits in real time, like `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  nonisolated(nonsending)
    public func receive<Value: Equatable>(
      _ path: CasePath<Action, Value>, _ value: Value, within patience: Duration,
      effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
      filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
      assert assertion: StateAssertion? = nil
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await take(.value(of: path, value, at: location), patience, effects, assertion)
  }

  /// Unavailable, since actions that are not `Equatable` cannot be compared.
  @available(
    *, unavailable,
    message: "This action is not Equatable: receive it by its case path, or with receive(where:)."
  )
  public func receive(
    _ action: Action, effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    assert assertion: StateAssertion? = nil
  ) {}

  private func take(
    _ wanted: Wanted<Action>, _ effects: [EffectDescriptor]?, _ assertion: StateAssertion?
  ) -> Action? {
    guard core.isOpen(at: wanted.location) else { return nil }
    core.finishEnded(at: wanted.location)
    var passed: [PassedAction<State, Action>] = []
    let sight = look(for: wanted, effects, assertion, passed: &passed)
    return conclude(sight, wanted, passed)
  }

  nonisolated(nonsending)
    private func take(
      _ wanted: Wanted<Action>, _ patience: Duration, _ effects: [EffectDescriptor]?,
      _ assertion: StateAssertion?
    ) async -> Action?
  {
    guard core.isOpen(at: wanted.location) else { return nil }
    var passed: [PassedAction<State, Action>] = []
    var sight = Sight<Action>.absent
    let isInTime = await core.wait(at: wanted.location, patience: patience) {
      sight = look(for: wanted, effects, assertion, passed: &passed)
      if case .absent = sight { return false }
      return true
    }
    return conclude(sight, wanted, passed, after: isInTime ? nil : patience)
  }

  /// Returns the reduced action, or reports that the expected one was not sent.
  ///
  /// - Parameter patience: The time spent waiting for the action.
  private func conclude(
    _ sight: Sight<Action>, _ wanted: Wanted<Action>, _ passed: [PassedAction<State, Action>],
    after patience: Duration? = nil
  ) -> Action? {
    switch sight {
    case .received(let action):
      return action
    case .refused(let next):
      core.refuse(next, wanted)
    case .absent:
      let unseen = whereUnseen(wanted)
      let came = (core.early + passed).map(\.action)
      let reporter = passed.isEmpty ? ", which an earlier line reported or reduced" : ""
      let others =
        came.isEmpty
        ? "no effect sent \(unseen == nil ? "an" : "another") action. "
        : "only \(came.count == 1 ? "this" : "these") came\(reporter):\n\(list(came))\n"
      let nearest = core.early.first { wanted.isNear($0.action) }
      let time = patience.map { " within \($0)" } ?? ""
      core.fail(
        .nothingReceived,
        "Expected to receive \(wanted.name())\(time), but \(others)"
          + (nearest.map { "\(wanted.refusal($0.action))\n\n" } ?? "") + (unseen ?? "")
          + core.whyNothing(hasWaited: patience != nil), at: wanted.location)
    }
    core.keepEarly(passed)
    return nil
  }
}

extension SteppedStore where R.Action: Equatable {
  /// Reduces the next action that an effect sent, which must be `action`, like `receive(where:)`.
  /// The failure for a different action shows the difference, by reflection.
  public func receive(
    _ action: Action, effects: [EffectDescriptor]? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    assert assertion: StateAssertion? = nil
  ) {
    _ = take(
      .equal(
        to: action,
        at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)),
      effects, assertion)
  }

  /// Reduces the next action that an effect sent, which must be `action`. Waits in real time, like
  /// `receive(where:within:)`.
  ///
  /// - Parameter patience: The maximum real time to wait.
  nonisolated(nonsending)
    public func receive(
      _ action: Action, within patience: Duration, effects: [EffectDescriptor]? = nil,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
      column: Int = #column, assert assertion: StateAssertion? = nil
    ) async
  {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await take(.equal(to: action, at: location), patience, effects, assertion)
  }
}
