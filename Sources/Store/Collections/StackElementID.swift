/// The permanent identity of an element of a `StackState`. A stack never reuses an id, so a late
/// action for a popped element does not reach the element that replaced it.
///
/// Ids are numbers in the order in which the stack assigned them, from 0. They depend on the state
/// only: the same actions lead to the same ids.
public struct StackElementID: Hashable, Sendable, Comparable {
  /// The number of ids that the stack had assigned before.
  public let generation: Int

  /// Creates an id, for comparison. Only `StackState.nextID` or later can be pushed.
  ///
  /// - Parameter generation: The number of the id, from 0. Not checked.
  @inlinable
  public init(generation: Int) {
    self.generation = generation
  }

  /// The greatest id that is accepted from outside, 2⁵³ − 1. It is exact in every format, and far
  /// from overflow.
  @usableFromInline static var greatest: Int { 9_007_199_254_740_991 }

  /// Returns whether `a` was assigned before `b`.
  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.generation < b.generation }
}

extension StackElementID: CustomStringConvertible {
  /// The number after a `#`.
  public var description: String { "#\(generation)" }
}

/// Literals are intended for tests: `.element(id: 0, action: …)`.
extension StackElementID: ExpressibleByIntegerLiteral {
  /// Creates an id from its number.
  @inlinable
  public init(integerLiteral value: Int) {
    self.init(generation: value)
  }
}

/// Encoded as a number.
extension StackElementID: Codable {
  /// Decodes an id from a number.
  ///
  /// - Throws: `DecodingError` if the number is below 0 or above 2⁵³ − 1.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let generation = try container.decode(Int.self)
    guard (0...Self.greatest).contains(generation) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "A stack element's id is from 0 to \(Self.greatest), not \(generation).")
    }
    self.init(generation: generation)
  }

  /// Encodes the id as a number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(generation)
  }
}
