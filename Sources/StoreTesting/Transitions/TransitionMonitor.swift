import SwiftBoardStore
import Synchronization

/// A monitor that checks the steps of stores against declared transitions, and counts the
/// transitions.
///
/// Two projections map a state to a label and an action to an event. Actions without an event are
/// not checked.
///
/// ```swift
/// let monitor = TransitionMonitor(transitions, state: { (state: Player.State) in state.phase }) {
///   (action: Player.Action) in action.event
/// }
/// store.watch(monitor)                              // a TestStore
/// let watch = monitor.observe(store) { log("\($0)") } // any store
/// ```
/// A monitor may watch several stores and tests on any threads, and measures their common coverage.
public final class TransitionMonitor<
  State: Sendable, Action: Sendable, Label: Hashable & Sendable, Event: Hashable & Sendable
>: Sendable {
  /// The declared transitions.
  public let table: TransitionTable<Label, Event>
  private let label: @Sendable (State) -> Label
  private let event: @Sendable (Action) -> Event?
  private let taken = Mutex<[Transition<Label, Event>: Int]>([:])

  /// Creates a monitor. It stores one count for each transition that happens.
  ///
  /// - Parameters:
  ///   - state: Returns the label of a state, or the state itself for an enum without payloads.
  ///   - action: Returns the event of an action, or `nil` for actions that are not checked.
  public init(
    _ table: TransitionTable<Label, Event>, state: @escaping @Sendable (State) -> Label,
    action: @escaping @Sendable (Action) -> Event?
  ) {
    self.table = table
    self.label = state
    self.event = action
  }

  // MARK: Checking

  /// Checks a step and counts its transition. Returns the transition if it was not declared.
  ///
  /// - Complexity: O(1), or O(number of declarations) for an undeclared transition.
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

  /// Returns a walk for the steps of one store, whose current state is `state`. For replays, and
  /// other sources of steps in order.
  public func walk(from state: State) -> Walk {
    Walk(monitor: self, label: label(state), number: nil)
  }

  /// The path of one store through the machine.
  public struct Walk: Sendable {
    let monitor: TransitionMonitor
    var label: Label
    /// The number of the last step, or `nil` if the next step may have any number.
    var number: Int?

    /// Checks the next step like `TransitionMonitor.check`. If steps were missed before it, records
    /// only the state.
    ///
    /// - Parameter state: The state after the step.
    /// - Returns: The undeclared transition, or `nil` if it was declared or the action has no
    ///   event.
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

  /// Checks every step of a store from now on, on the reducing thread, outside the store's lock. A
  /// step between this call and the first observation is not checked.
  ///
  /// - Parameter onImpossible: Receives undeclared transitions.
  /// - Returns: The observation, which `cancel()` ends.
  /// - Complexity: That of `check` and a copy of the state for each step, as a part of `send`.
  @discardableResult
  public func observe<R: Reducer>(
    _ store: Store<R>,
    onImpossible: @escaping @Sendable (ImpossibleTransition<Label, Event>) -> Void
  ) -> ObservationToken where R.State == State, R.Action == Action {
    let box = WalkBox()
    let steps = store.stepCount
    let state = store.state
    // A step in between has a number that does not follow, so it is not checked.
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

  /// The transitions that happened, with their counts.
  public var counts: [Transition<Label, Event>: Int] { taken.withLock { $0 } }

  /// The declared transitions that never happened, in the order of declaration.
  ///
  /// - Complexity: O(number of declared transitions).
  public var notTaken: [Transition<Label, Event>] {
    let counts = counts
    return table.transitions.filter { counts[$0] == nil }
  }

  /// The undeclared transitions that happened, sorted by their text.
  ///
  /// - Complexity: O(n log n).
  public var undeclared: [Transition<Label, Event>] {
    let declared = Set(table.transitions)
    return counts.keys.filter { !declared.contains($0) }
      .sorted { $0.description < $1.description }
  }

  /// Reports the declared transitions that never happened, in one failure at this line.
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

/// An undeclared transition.
public struct ImpossibleTransition<Label: Hashable & Sendable, Event: Hashable & Sendable>:
  Error, Hashable, Sendable, CustomStringConvertible
{
  /// The transition that happened.
  public let transition: Transition<Label, Event>
  /// The number of the step, or 0 if it is unknown.
  public let step: Int
  /// The transitions that are declared for the state in which it began.
  public let allowed: [Transition<Label, Event>]

  /// The transition that happened, and the declared ones.
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
