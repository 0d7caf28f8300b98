/// A step that a state machine may take: from one state by one event to another.
///
/// In a `TransitionTable` it is written `From(.idle).on(.start).to(.loading)`; where several states
/// and events are given, each with each.
public struct Transition<Label: Hashable & Sendable, Event: Hashable & Sendable>:
  Hashable, Sendable, CustomStringConvertible
{
  /// Where it begins.
  public let from: Label
  /// What makes it happen.
  public let event: Event
  /// Where it ends.
  public let to: Label

  /// A single transition; `From` declares several.
  public init(from: Label, event: Event, to: Label) {
    self.from = from
    self.event = event
    self.to = to
  }

  /// An arrow with the event on it.
  public var description: String { "\(from) --\(event)--> \(to)" }
}

/// The first part of a declaration: the states in which transitions begin.
public struct From<Label: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
  let labels: [Label]

  /// Transitions from each of these states. O(number of them).
  public init(_ labels: Label...) {
    self.labels = labels
  }

  /// The events by which the machine leaves these states, or stays in them. O(number of them).
  public func on(_ events: Event...) -> TransitionTrigger<Label, Event> {
    TransitionTrigger(labels: labels, events: events)
  }
}

/// The second part of a declaration: `From(…).on(…)`.
public struct TransitionTrigger<Label: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
  let labels: [Label]
  let events: [Event]

  /// Where the machine may be afterwards: one of these. O(states × events × targets).
  public func to(_ targets: Label...) -> [Transition<Label, Event>] {
    each { label, event in targets.map { Transition(from: label, event: event, to: $0) } }
  }

  /// The event is allowed and the machine stays where it is. O(states × events).
  public var stays: [Transition<Label, Event>] {
    each { label, event in [Transition(from: label, event: event, to: label)] }
  }

  private func each(
    _ make: (Label, Event) -> [Transition<Label, Event>]
  ) -> [Transition<Label, Event>] {
    labels.flatMap { label in events.flatMap { make(label, $0) } }
  }
}
