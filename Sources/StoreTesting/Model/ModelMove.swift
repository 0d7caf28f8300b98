/// An external event of a store in a model test.
public enum ModelMove<Action: Sendable>: Sendable, CustomStringConvertible {
  /// Sends an action.
  case send(Action)
  /// Advances time. Tasks that sleep until then continue.
  case advance(Duration)

  /// The text of the move in failures.
  public var description: String {
    switch self {
    case .send(let action): "send \(short(action))"
    case .advance(let duration): "advance the clock by \(duration)"
    }
  }
}

extension ModelMove: Equatable where Action: Equatable {}

/// A generator of moves for a model test, from random numbers and the current state.
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

  /// Creates a generator of any moves.
  ///
  /// - Parameters:
  ///   - weight: The probability of this generator in proportion to the others: from 0, which is
  ///     never, to 1 000 000.
  ///   - make: Returns a move, or `nil` if none makes sense now. It receives the current state and
  ///     a random source, and must use no other randomness. During shrinking, it is called again
  ///     with the same random numbers in other states.
  public init(
    weight: Int = 1,
    _ make: @escaping @Sendable (_ state: State, _ random: inout SeededRandom) -> ModelMove<Action>?
  ) {
    // Bounded, so that no sum of weights overflows.
    self.weight = min(max(0, weight), 1_000_000)
    self.make = make
  }

  /// Returns a generator of an action from the current state, or `nil` if none makes sense now.
  ///
  /// - Parameter weight: As in `init(weight:_:)`.
  public static func send(
    weight: Int = 1,
    _ make: @escaping @Sendable (_ state: State, _ random: inout SeededRandom) -> Action?
  ) -> Self {
    MoveGenerator(weight: weight) { state, random in make(state, &random).map(ModelMove.send) }
  }

  /// Returns a generator of one of the actions, with equal probability. Without actions, it has no
  /// moves.
  public static func send(weight: Int = 1, _ actions: Action...) -> Self {
    send(weight: weight, anyOf: actions)
  }

  /// Returns a generator of one of the actions, with equal probability. An empty array gives no
  /// moves.
  public static func send(weight: Int = 1, anyOf actions: [Action]) -> Self {
    MoveGenerator(weight: weight) { _, random in
      actions.randomElement(using: &random).map(ModelMove.send)
    }
  }

  /// Returns a generator that advances time by one of the durations, with equal probability. A
  /// negative duration does not change the time.
  public static func advance(weight: Int = 1, by durations: Duration...) -> Self {
    MoveGenerator(weight: weight) { _, random in
      durations.randomElement(using: &random).map(ModelMove.advance)
    }
  }
}

extension MoveGenerator where Action: CaseIterable, Action.AllCases: Sendable {
  /// Returns a generator of one of all cases, with equal probability.
  ///
  /// - Complexity: Creates the array of all cases once.
  public static func anyCase(weight: Int = 1) -> Self {
    send(weight: weight, anyOf: Array(Action.allCases))
  }
}
