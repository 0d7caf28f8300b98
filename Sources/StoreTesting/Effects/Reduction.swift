import SwiftBoardStore

/// What reducing came to, without a store: the state after, and what the effects are. Nothing was
/// started.
public struct Reduction<State: Sendable, Action: Sendable>: Sendable {
  /// The state before.
  public let before: State
  /// The state after.
  public let state: State
  /// What was returned, in order, without `.none`.
  public let effects: [EffectDescriptor]

  /// Compares the state and the effects with what they should be, and reports each difference at
  /// this line.
  ///
  /// - Parameters:
  ///   - effects: What has to be returned, in order; not checked if omitted.
  ///   - report: Called for each difference.
  ///   - assertion: Gets the state from before and makes of it the state from after. Without it the
  ///     state must not have changed.
  /// - Complexity: One comparison of states, O(size); a difference is looked for by reflection,
  ///   only if there is one.
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
  /// Reduces actions one after the other as a plain function, without a store.
  ///
  /// ```swift
  /// let reduction = Search().reducing(Search.State(), .typed("ri"), world)
  /// #expect(reduction.state.text == "ri")
  /// #expect(reduction.effects == [.task("search", id: "search")])
  /// ```
  /// - Returns: The state after the last action, and what all of them returned, in order. No effect
  ///   is started, so what effects would send is not reduced.
  /// - Complexity: The reducer's own, and a descriptor for each effect.
  public func reducing(
    _ state: State, _ actions: Action..., dependencies: Dependencies
  ) -> Reduction<State, Action> {
    reducing(state, actions, dependencies)
  }

  /// Reduces one action as a plain function; see `reducing(_:_:dependencies:)`. The same cost.
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
