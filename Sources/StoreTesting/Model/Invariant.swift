/// What has to hold after every step of a model test.
public struct Invariant<State: Sendable, Action: Sendable>: Sendable {
  /// What failures call it, as a sentence: “the balance is never negative”. Two invariants of one
  /// test have different names.
  public let name: String
  let holdsAtFirst: @Sendable (_ state: State) -> Bool
  /// The problem with a step beyond the name; `nil` if it holds.
  let objection:
    @Sendable (_ before: State, _ action: Action, _ after: State, _ step: Int) ->
      String?

  /// A statement about a state; it has to hold in the first one too. Called once a step, outside
  /// the store's lock.
  public init(_ name: String, _ holds: @escaping @Sendable (_ state: State) -> Bool) {
    self.name = name
    holdsAtFirst = holds
    objection = { _, _, after, _ in holds(after) ? nil : "" }
  }

  /// A statement about a step. Called once a step, outside the store's lock.
  public init(
    _ name: String,
    step holds: @escaping @Sendable (_ before: State, _ action: Action, _ after: State) -> Bool
  ) {
    self.name = name
    holdsAtFirst = { _ in true }
    objection = { before, action, after, _ in holds(before, action, after) ? nil : "" }
  }

  /// Every step takes a declared transition. The monitor notes what happened, for coverage.
  ///
  /// - Parameter name: Another one where a test has several monitors.
  /// - Complexity: A step costs O(1) where it is declared: see `TransitionMonitor.check`.
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
