import SwiftBoardStore

/// The result of a model test.
public struct ModelCheck<State: Sendable, Action: Sendable>: Sendable {
  /// The number of sequences that were played, without shrinking.
  public internal(set) var sequences = 0
  /// The number of actions reduced in them, including actions of effects.
  public internal(set) var steps = 0
  /// The first sequence that broke an invariant, after shrinking.
  public internal(set) var counterexample: Counterexample<State, Action>?
}

/// A short sequence of moves that breaks an invariant.
public struct Counterexample<State: Sendable, Action: Sendable>: Sendable, CustomStringConvertible {
  /// The seed whose sequence broke the invariant.
  public let seed: UInt64
  /// The name of the invariant.
  public let invariant: String
  /// The details of the violation, or an empty string.
  public let detail: String
  /// The moves, none of which can be removed. Empty if the first state or one of its subscriptions
  /// breaks the invariant.
  public let moves: [ModelMove<Action>]
  /// The number of moves before shrinking.
  public let foundIn: Int
  /// Whether shrinking was completed within its limit.
  public let isMinimal: Bool
  /// The step that broke the invariant, or `nil` if the first state does. For an issue, the step
  /// that returned the effect.
  public let step: Step<Action>?
  /// The state before that step.
  public let before: State
  /// The state after that step.
  public let after: State
  /// The location of the recording, or the reason that there is none. `nil` if none was requested.
  public let recording: String?

  /// The text of the failure.
  public var description: String {
    var text = "The invariant “\(invariant)” does not hold."
    if !detail.isEmpty { text += " \(detail)" }
    text += "\nSeed \(seed) broke it "
    if moves.isEmpty {
      text += "before the first move.\n"
    } else {
      text += "within \(count(foundIn, "move")); "
      text += moves.count == 1 ? "this one is enough" : "these \(moves.count) are enough"
      text += isMinimal ? ":\n" : " (shrinking was stopped by its limit):\n"
      for (index, move) in moves.enumerated() { text += "  \(index + 1). \(move)\n" }
    }
    guard let step else {
      text += "It is the first state that breaks it:\n  \(short(before))\n\n"
      if let recording { text += recording + "\n" }
      return text + Seeds.advice(seed, "check")
    }
    text += "Step \(step.number), `\(short(step.action))`"
    if case .effect(let name, let id, let cause) = step.origin {
      text += " of the effect \(title(.task(name, id: id))) of step \(cause)"
    }
    text += ", broke it (- before, + after):\n\n"
    text +=
      differenceText(of: before, and: after, limit: differenceLimit)
      ?? "  (the state did not change)"
    text += "\n\n"
    if let recording { text += recording + "\n" }
    return text + Seeds.advice(seed, "check")
  }
}
