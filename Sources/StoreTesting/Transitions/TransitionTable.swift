/// The transitions that a state machine may take, in the order in which they were declared.
///
/// ```swift
/// let transitions = TransitionTable<Phase, Event> {
///   From(.idle, .failed).on(.start).to(.loading)
///   From(.loading).on(.answered).to(.ready, .failed)
///   From(.loading).on(.start).stays
/// }
/// ```
public struct TransitionTable<Label: Hashable & Sendable, Event: Hashable & Sendable>: Sendable {
  /// The transitions without duplicates.
  public let transitions: [Transition<Label, Event>]
  private let targets: [Source: [Label]]

  private struct Source: Hashable {
    let from: Label
    let event: Event
  }

  /// Creates a table of transitions. Duplicates are removed.
  ///
  /// - Complexity: O(n) in the number of transitions, on average.
  public init(_ transitions: [Transition<Label, Event>]) {
    var seen: Set<Transition<Label, Event>> = []
    var targets: [Source: [Label]] = [:]
    self.transitions = transitions.filter { seen.insert($0).inserted }
    for transition in self.transitions {
      targets[Source(from: transition.from, event: transition.event), default: []]
        .append(transition.to)
    }
    self.targets = targets
  }

  /// Creates a table from declarations that begin with `From(…)`.
  ///
  /// - Complexity: O(n) in the number of transitions.
  public init(@TransitionTableBuilder<Label, Event> _ transitions: () -> [Transition<Label, Event>])
  {
    self.init(transitions())
  }

  /// Returns the states to which an event may lead from a state, in the order of declaration. Empty
  /// if the event is not allowed there.
  public func targets(from label: Label, on event: Event) -> [Label] {
    targets[Source(from: label, event: event)] ?? []
  }

  /// Returns the transitions from a state, in the order of declaration.
  ///
  /// - Complexity: O(n) in the number of transitions.
  public func transitions(from label: Label) -> [Transition<Label, Event>] {
    transitions.filter { $0.from == label }
  }
}

/// A result builder for the declarations of transitions.
@resultBuilder
public enum TransitionTableBuilder<Label: Hashable & Sendable, Event: Hashable & Sendable> {
  /// The transitions of a declaration.
  public typealias Part = [Transition<Label, Event>]

  /// Builds a declaration.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Builds a list of declarations.
  public static func buildBlock(_ parts: Part...) -> Part { parts.flatMap { $0 } }
  /// Builds an `if` without `else`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? [] }
  /// Builds an `if` with `else`, or a `switch`.
  public static func buildEither(first part: Part) -> Part { part }
  /// Builds an `if` with `else`, or a `switch`.
  public static func buildEither(second part: Part) -> Part { part }
  /// Builds a `for` loop.
  public static func buildArray(_ parts: [Part]) -> Part { parts.flatMap { $0 } }
}
