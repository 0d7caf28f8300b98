/// A condition that must be true after every step of a model test.
public struct Invariant<State: Sendable, Action: Sendable>: Sendable {
  /// The name in failures, as a sentence: “the balance is never negative”. The invariants of one
  /// test must have different names.
  public let name: String
  let holdsAtFirst: @Sendable (_ state: State) -> Bool
  /// Returns details of the violation by a step, or `nil` if the invariant is true.
  let objection:
    @Sendable (_ before: State, _ action: Action, _ after: State, _ step: Int) ->
      String?

  /// Creates a condition on states, including the first one. `holds` is called once per step,
  /// outside the store's lock.
  public init(_ name: String, _ holds: @escaping @Sendable (_ state: State) -> Bool) {
    self.name = name
    holdsAtFirst = holds
    objection = { _, _, after, _ in holds(after) ? nil : "" }
  }

  /// Creates a condition on steps. `holds` is called once per step, outside the store's lock.
  public init(
    _ name: String,
    step holds: @escaping @Sendable (_ before: State, _ action: Action, _ after: State) -> Bool
  ) {
    self.name = name
    holdsAtFirst = { _ in true }
    objection = { before, action, after, _ in holds(before, action, after) ? nil : "" }
  }

  /// Returns an invariant that every step takes a declared transition. The monitor records the
  /// transitions for coverage.
  ///
  /// - Parameter name: The name of the invariant. Pass different names if a test has several
  ///   monitors.
  /// - Complexity: O(1) for a declared step; see `TransitionMonitor.check`.
  public static func transitions<Label, Event>(
    _ monitor: TransitionMonitor<State, Action, Label, Event>,
    name: String = "every transition is declared"
  ) -> Self {
    Invariant(name: name) { before, action, after, step in
      monitor.check(from: before, action, to: after, step: step)?.description
    }
  }

  private init(
    name: String,
    objection: @escaping @Sendable (State, Action, State, Int) -> String?
  ) {
    self.name = name
    holdsAtFirst = { _ in true }
    self.objection = objection
  }
}
