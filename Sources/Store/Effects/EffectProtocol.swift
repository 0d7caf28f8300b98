/// An effect, or a list of effects where a function returns one.
///
/// ```swift
/// return .none
/// return .run { send in … }.cancellable(id: "timer")
/// ```
/// Effects and operators are members of this protocol, so that each of them is available for both.
/// If a list is returned, a single effect becomes a list of one. An operator treats a list as one
/// effect, which is a group if the list has several. Only `Effect` and arrays of it conform.
public protocol EffectProtocol<Action>: Sendable {
  /// The type of the actions that the effect sends.
  associatedtype Action: Sendable

  /// Creates a value that consists of one effect.
  init(effect: Effect<Action>)

  /// Returns one effect for these values. Several are a group with the location of the first.
  static func joined(_ all: [Self]) -> Effect<Action>

  /// Returns the result of `change` for this value as one effect. An empty list is returned
  /// unchanged.
  consuming func changed(_ change: (consuming Effect<Action>) -> Effect<Action>) -> Self
}

extension Effect: EffectProtocol {
  /// Creates a copy.
  @inlinable
  public init(effect: Effect) { self = effect }

  /// Returns the only effect, or a group.
  @inlinable
  public static func joined(_ all: [Effect]) -> Effect {
    .group(Operation.merge, of: all, at: all.first?.location ?? SourceLocation())
  }

  /// Returns the result of `change` for this effect.
  @inlinable
  public consuming func changed(_ change: (consuming Effect) -> Effect) -> Effect { change(self) }
}

extension Array: EffectProtocol where Element: EffectProtocol {
  /// The type of the actions that the effects send.
  public typealias Action = Element.Action

  /// Creates a list of one effect.
  @inlinable
  public init(effect: Effect<Action>) { self = [Element(effect: effect)] }

  /// Returns one effect for all effects of these lists.
  @inlinable
  public static func joined(_ all: [Self]) -> Effect<Action> { Element.joined(all.flatMap(\.self)) }

  /// Returns a list of the result of `change` for these effects as one, or an empty list.
  @inlinable
  public consuming func changed(_ change: (consuming Effect<Action>) -> Effect<Action>) -> Self {
    isEmpty ? self : Self(effect: change(Element.joined(self)))
  }

  /// An empty list: `[]`. Allocates nothing.
  @inlinable
  public static var none: Self { [] }
}

extension Array {
  /// Returns these effects and those of `other`, which run concurrently, in the order of the two
  /// lists.
  ///
  /// - Complexity: O(number of both).
  @inlinable
  public func merge<Action>(with other: Self) -> Self where Element == Effect<Action> {
    .joined(self, other)
  }

  /// Returns one effect that runs these effects, and then those of `other` when these have ended.
  /// See `Effect.concatenate(with:fileID:line:)`.
  @inlinable
  public func concatenate<Action>(
    with other: Self, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self where Element == Effect<Action> {
    if other.isEmpty { return self }
    let next = Effect.merge(other, fileID: fileID, line: line)
    return isEmpty ? other : changed { $0.concatenate(with: next, fileID: fileID, line: line) }
  }
}
