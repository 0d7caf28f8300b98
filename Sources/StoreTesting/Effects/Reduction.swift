import SwiftBoardStore

/// The result of reducing without a store: the new state and the returned effects. No effect was
/// started.
public struct Reduction<State: Sendable, Action: Sendable>: Sendable {
  /// The state before the reduction.
  public let before: State
  /// The state after the reduction.
  public let state: State
  /// The returned effects in order, without `.none`.
  public let effects: [EffectDescriptor]

  /// Compares the state and the effects with the expected ones, and reports each difference at the
  /// line of the call.
  ///
  /// - Parameters:
  ///   - effects: The expected effects in order. If omitted, effects are not checked.
  ///   - report: Called for each difference.
  ///   - assertion: Changes the state before the reduction into the expected one. If omitted, the
  ///     state must not have changed.
  /// - Complexity: One comparison of states, O(size). Only if they differ, the difference is
  ///   computed by reflection.
  public func assert(
    effects: [EffectDescriptor]? = nil, report: TestReporter, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column,
    _ assertion: (_ state: inout State) throws -> Void = { _ in }
  ) where State: Equatable {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    var expected = before
    do {
      try assertion(&expected)
      if expected != state {
        report(
          TestFailure(
            kind: .stateDiffers,
            message: "The reduced state is not the expected one (- expected, + actual):\n\n"
              + difference(expected, state), location: location))
      }
    } catch {
      report(
        TestFailure(
          kind: .closureThrew, message: "The closure for the reduced state threw: \(error)",
          location: location))
    }
    if let effects, effects != self.effects {
      report(
        TestFailure(
          kind: .effectsDiffer,
          message: "The returned effects are not the expected ones (- expected, + returned):\n\n"
            + effectDifference(effects, self.effects), location: location))
    }
  }
}

extension Reducer {
  /// Reduces actions one after the other without a store.
  ///
  /// ```swift
  /// let reduction = Search().reducing(Search.State(), .typed("ri"), world)
  /// #expect(reduction.state.text == "ri")
  /// #expect(reduction.effects == [.task("search", id: "search")])
  /// ```
  /// - Returns: The state after the last action, and the effects of all actions in order. No effect
  ///   is started, so actions of effects are not reduced.
  /// - Complexity: That of the reducer, and a descriptor for each effect.
  public func reducing(
    _ state: State, _ actions: Action..., dependencies: Dependencies
  ) -> Reduction<State, Action> {
    reducing(state, actions, dependencies)
  }

  /// Reduces one action without a store; see `reducing(_:_:dependencies:)`.
  public func reducing(
    _ state: State, _ action: Action, _ dependencies: Dependencies
  ) -> Reduction<State, Action> {
    reducing(state, [action], dependencies)
  }

  private func reducing(
    _ state: State, _ actions: [Action], _ dependencies: Dependencies
  ) -> Reduction<State, Action> {
    var after = state
    var effects: [EffectDescriptor] = []
    for action in actions { effects += reduce(&after, action, dependencies).descriptors() }
    return Reduction(before: state, state: after, effects: effects)
  }
}
