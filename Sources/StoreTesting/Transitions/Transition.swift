/// A transition of a state machine, from one state by one event to another state.
///
/// In a `TransitionTable`, it is written as `From(.idle).on(.start).to(.loading)`. Several states
/// and events declare all of their combinations.
public struct Transition<Label: Hashable & Sendable, Event: Hashable & Sendable>:
  Hashable, Sendable, CustomStringConvertible
{
  /// The state in which the transition begins.
  public let from: Label
  /// The event that causes the transition.
  public let event: Event
  /// The state in which the transition ends.
  public let to: Label

  /// Creates a single transition. `From` declares several.
  public init(from: Label, event: Event, to: Label) {
    self.from = from
    self.event = event
    self.to = to
  }

  /// The transition as an arrow with the event.
  public var description: String { "\(from) --\(event)--> \(to)" }
}

/// The first part of a declaration: the states in which transitions begin.
public struct From<Label: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
  let labels: [Label]

  /// Begins the declaration of transitions from each of the states.
  public init(_ labels: Label...) {
    self.labels = labels
  }

  /// Declares the events of the transitions.
  public func on(_ events: Event...) -> TransitionTrigger<Label, Event> {
    TransitionTrigger(labels: labels, events: events)
  }
}

/// The second part of a declaration: `From(…).on(…)`.
public struct TransitionTrigger<Label: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
  let labels: [Label]
  let events: [Event]

  /// Returns the transitions to each of the targets.
  ///
  /// - Complexity: O(states × events × targets).
  public func to(_ targets: Label...) -> [Transition<Label, Event>] {
    each { label, event in targets.map { Transition(from: label, event: event, to: $0) } }
  }

  /// The transitions that stay in their state.
  ///
  /// - Complexity: O(states × events).
  public var stays: [Transition<Label, Event>] {
    each { label, event in [Transition(from: label, event: event, to: label)] }
  }

  private func each(
    _ make: (Label, Event) -> [Transition<Label, Event>]
  ) -> [Transition<Label, Event>] {
    labels.flatMap { label in events.flatMap { make(label, $0) } }
  }
}
