/// What happens to a store from outside, in a model test.
public enum ModelMove<Action: Sendable>: Sendable, CustomStringConvertible {
  /// Sends an action.
  case send(Action)
  /// Time passes; what sleeps until then continues.
  case advance(Duration)

  /// The move as failures list it.
  public var description: String {
    switch self {
    case .send(let action): "send \(short(action))"
    case .advance(let duration): "advance the clock by \(duration)"
    }
  }
}

extension ModelMove: Equatable where Action: Equatable {}

/// Makes moves for a model test, one at a time, by chance and by what the state is.
///
/// ```swift
/// [
///   .send(weight: 3) { state, random in .add(Int.random(in: 1...9, using: &random)) },
///   .send { state, _ in state.isOpen ? .close : nil },
///   .advance(by: .milliseconds(100), .seconds(1)),
/// ]
/// ```
public struct MoveGenerator<State: Sendable, Action: Sendable>: Sendable {
  let weight: Int
  let make: @Sendable (_ state: State, _ random: inout SeededRandom) -> ModelMove<Action>?

  /// Any move.
  ///
  /// - Parameters:
  ///   - weight: How often it is asked, in proportion to the others: 0, which is never, to 1 000
  ///     000.
  ///   - make: Gets the present state and the only source of chance there is; `nil` if the move
  ///     makes no sense now. Asked again, with the same chance and in other states, while a
  ///     counterexample is made short.
  public init(
    weight: Int = 1,
    _ make: @escaping @Sendable (_ state: State, _ random: inout SeededRandom) -> ModelMove<Action>?
  ) {
    // Bounded, so that no sum of weights overflows.
    self.weight = min(max(0, weight), 1_000_000)
    self.make = make
  }

  /// An action made from the present state; `nil` if none makes sense now.
  ///
  /// - Parameter weight: As in `init(weight:_:)`.
  public static func send(
    weight: Int = 1,
    _ make: @escaping @Sendable (_ state: State, _ random: inout SeededRandom) -> Action?
  ) -> Self {
    MoveGenerator(weight: weight) { state, random in make(state, &random).map(ModelMove.send) }
  }

  /// One of these actions, each as likely as the others. None are no move.
  public static func send(weight: Int = 1, _ actions: Action...) -> Self {
    send(weight: weight, anyOf: actions)
  }

  /// One of these actions, each as likely as the others. An empty list has no move to give. O(1) a
  /// move.
  public static func send(weight: Int = 1, anyOf actions: [Action]) -> Self {
    MoveGenerator(weight: weight) { _, random in
      actions.randomElement(using: &random).map(ModelMove.send)
    }
  }

  /// One of these durations, each as likely as the others, passes. One below zero leaves the clock
  /// where it is.
  public static func advance(weight: Int = 1, by durations: Duration...) -> Self {
    MoveGenerator(weight: weight) { _, random in
      durations.randomElement(using: &random).map(ModelMove.advance)
    }
  }
}

extension MoveGenerator where Action: CaseIterable, Action.AllCases: Sendable {
  /// Any of the cases, each as likely as the others.
  ///
  /// - Complexity: Makes the array of all cases once.
  public static func anyCase(weight: Int = 1) -> Self {
    send(weight: weight, anyOf: Array(Action.allCases))
  }
}
