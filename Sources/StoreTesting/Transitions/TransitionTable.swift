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
  /// Without doubles.
  public let transitions: [Transition<Label, Event>]
  private let targets: [Source: [Label]]

  private struct Source: Hashable {
    let from: Label
    let event: Event
  }

  /// - Complexity: O(n) of the transitions, on average.
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

  /// Declarations one under the other, each begun with `From(…)`. O(n).
  public init(@TransitionTableBuilder<Label, Event> _ transitions: () -> [Transition<Label, Event>])
  {
    self.init(transitions())
  }

  /// Where an event may lead to from a state, in the order of declaration; empty if it is not
  /// allowed there.
  public func targets(from label: Label, on event: Event) -> [Label] {
    targets[Source(from: label, event: event)] ?? []
  }

  /// What is allowed in a state, in the order of declaration. O(n).
  public func transitions(from label: Label) -> [Transition<Label, Event>] {
    transitions.filter { $0.from == label }
  }
}

/// Collects declarations, one under the other.
@resultBuilder
public enum TransitionTableBuilder<Label: Hashable & Sendable, Event: Hashable & Sendable> {
  /// What one declaration comes to.
  public typealias Part = [Transition<Label, Event>]

  /// A declaration.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Declarations one under the other. O(number of them).
  public static func buildBlock(_ parts: Part...) -> Part { parts.flatMap { $0 } }
  /// An `if` without `else`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? [] }
  /// An `if` with `else`, or a `switch`.
  public static func buildEither(first part: Part) -> Part { part }
  /// An `if` with `else`, or a `switch`.
  public static func buildEither(second part: Part) -> Part { part }
  /// A `for` loop. O(number of them).
  public static func buildArray(_ parts: [Part]) -> Part { parts.flatMap { $0 } }
}
