import SwiftBoardStore
import Synchronization

/// Checks the steps of stores against declared transitions, and notes which of them happened.
///
/// It sees a state and an action through two projections: what matters of the state as a label, and
/// of the action as an event. Actions without an event are not checked.
///
/// ```swift
/// let monitor = TransitionMonitor(transitions, state: { (state: Player.State) in state.phase }) {
///   (action: Player.Action) in action.event
/// }
/// store.watch(monitor)                              // a TestStore
/// let watch = monitor.observe(store) { log("\($0)") } // any store
/// ```
/// One monitor may watch many stores and tests, on any threads: coverage is that of all together.
public final class TransitionMonitor<
  State: Sendable, Action: Sendable, Label: Hashable & Sendable, Event: Hashable & Sendable
>: Sendable {
  /// What is declared.
  public let table: TransitionTable<Label, Event>
  private let label: @Sendable (State) -> Label
  private let event: @Sendable (Action) -> Event?
  private let taken = Mutex<[Transition<Label, Event>: Int]>([:])

  /// A monitor that has seen nothing yet. Its memory is one count for each transition that
  /// happened.
  ///
  /// - Parameters:
  ///   - state: What matters of a state; for an enum without payloads the state itself.
  ///   - action: What matters of an action; `nil` for actions that are not checked.
  public init(
    _ table: TransitionTable<Label, Event>, state: @escaping @Sendable (State) -> Label,
    action: @escaping @Sendable (Action) -> Event?
  ) {
    self.table = table
    self.label = state
    self.event = action
  }

  // MARK: Checking

  /// Checks one step: notes the transition, and gives it where it was not declared. O(1), and
  /// O(number of declarations) where it was not.
  @discardableResult
  public func check(
    from before: State, _ action: Action, to after: State, step: Int = 0
  ) -> ImpossibleTransition<Label, Event>? {
    check(from: label(before), action, to: label(after), step: step)
  }

  func check(
    from: Label, _ action: Action, to: Label, step: Int
  ) -> ImpossibleTransition<Label, Event>? {
    guard let event = event(action) else { return nil }
    let transition = Transition(from: from, event: event, to: to)
    taken.withLock { $0[transition, default: 0] += 1 }
    if table.targets(from: from, on: event).contains(to) { return nil }
    return ImpossibleTransition(
      transition: transition, step: step, allowed: table.transitions(from: from))
  }

  /// Goes along with one store, whose state is `state` now: for replays, and whatever else gives
  /// steps in order. O(1), and one call of the state's projection.
  public func walk(from state: State) -> Walk {
    Walk(monitor: self, label: label(state), number: nil)
  }

  /// One store's way through the machine.
  public struct Walk: Sendable {
    let monitor: TransitionMonitor
    var label: Label
    /// The number of the last step; `nil` if the next may have any.
    var number: Int?

    /// Checks the next step; as `TransitionMonitor.check`. After a step that was not seen only the
    /// state is noted.
    ///
    /// - Parameter state: The state after the step.
    /// - Returns: What was not declared; `nil` if it was, or where the action has no event.
    public mutating func take(
      _ step: Step<Action>, _ state: State
    ) -> ImpossibleTransition<Label, Event>? {
      let from = label
      let isNext = number.map { $0 + 1 == step.number } ?? true
      label = monitor.label(state)
      number = step.number
      return isNext ? monitor.check(from: from, step.action, to: label, step: step.number) : nil
    }
  }

  /// Checks every step of a store from now on, on the thread that reduces it, outside the store's
  /// lock. A step that falls between this call and its first observation is not checked.
  ///
  /// - Parameter onImpossible: Receives steps that were not declared.
  /// - Returns: Ends the observation when `cancel()` is called.
  /// - Complexity: As `check` and a copy of the state for each step; a part of the cost of `send`.
  @discardableResult
  public func observe<R: Reducer>(
    _ store: Store<R>,
    onImpossible: @escaping @Sendable (ImpossibleTransition<Label, Event>) -> Void
  ) -> Observation where R.State == State, R.Action == Action {
    let box = WalkBox()
    let steps = store.stepCount
    let state = store.state
    // A step that falls between has a number that does not follow, and is not checked.
    box.walk.withLock { $0 = Walk(monitor: self, label: label(state), number: steps) }
    return store.observe { step, state in
      let impossible = box.walk.withLock { walk in walk?.take(step, copy state) }
      if let impossible { onImpossible(impossible) }
    }
  }

  private final class WalkBox: Sendable {
    let walk = Mutex<Walk?>(nil)
  }

  // MARK: Coverage

  /// What happened, with how often, in no order. O(1): a copy of the table, under one lock.
  public var counts: [Transition<Label, Event>: Int] { taken.withLock { $0 } }

  /// Declared transitions that never happened, in the order of declaration. O(n).
  public var notTaken: [Transition<Label, Event>] {
    let counts = counts
    return table.transitions.filter { counts[$0] == nil }
  }

  /// What happened and was not declared, in the order of its text. O(n log n).
  public var undeclared: [Transition<Label, Event>] {
    let declared = Set(table.transitions)
    return counts.keys.filter { !declared.contains($0) }
      .sorted { $0.description < $1.description }
  }

  /// Reports, in one failure at this line, the declared transitions that never happened. O(n).
  public func checkCoverage(
    report: TestReporter, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let missing = notTaken
    guard !missing.isEmpty else { return }
    report(
      TestFailure(
        kind: .notCovered,
        message: "\(missing.count) of \(count(table.transitions.count, "declared transition")) "
          + "never happened:\n" + missing.map { "  \($0)" }.joined(separator: "\n"),
        location: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)))
  }
}

/// A step that was not declared.
public struct ImpossibleTransition<Label: Hashable & Sendable, Event: Hashable & Sendable>:
  Error, Hashable, Sendable, CustomStringConvertible
{
  /// What happened.
  public let transition: Transition<Label, Event>
  /// The number of the step, 0 if it is not known.
  public let step: Int
  /// What is declared for the state it began in.
  public let allowed: [Transition<Label, Event>]

  /// What happened, and what is declared instead.
  public var description: String {
    let position = step > 0 ? "Step \(step)" : "A step"
    let rest =
      allowed.isEmpty
      ? "No transition from \(transition.from) is declared."
      : "From \(transition.from) these are:\n"
        + allowed.map { "  \($0)" }.joined(separator: "\n")
    return "\(position) took a transition that is not declared: \(transition). \(rest)"
  }
}
