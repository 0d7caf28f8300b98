/// Names an element of a `StackState` for good: a stack never gives the same one twice, so an
/// action that comes late for an element that was popped does not reach the one that took its
/// place.
///
/// Ids are numbers in the order in which the stack gave them, from 0, and are drawn from the state
/// alone: the same actions give the same ids.
public struct StackElementID: Hashable, Sendable, Comparable {
  /// How many elements the stack had given ids to before.
  public let generation: Int

  /// An id to compare with. Only the one in `StackState.nextID` may be pushed. Not checked: from 0
  /// on is meant.
  @inlinable
  public init(generation: Int) {
    self.generation = generation
  }

  /// The greatest that may come from outside, 2⁵³ − 1: exact in every format, and too far from
  /// overflow to reach it.
  @usableFromInline static var greatest: Int { 9_007_199_254_740_991 }

  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.generation < b.generation }
}

extension StackElementID: CustomStringConvertible {
  /// `#` and the number.
  public var description: String { "#\(generation)" }
}

/// For tests: `.element(id: 0, action: …)`.
extension StackElementID: ExpressibleByIntegerLiteral {
  @inlinable
  public init(integerLiteral value: Int) {
    self.init(generation: value)
  }
}

/// As the bare number.
extension StackElementID: Codable {
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

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(generation)
  }
}
