import SwiftBoardJSON

/// What a step is encoded in.
@usableFromInline
final class EncodingRoom: @unchecked Sendable {
  // Unchecked, as in `ValueRoom`.
  @usableFromInline let action = ValueRoom()
  @usableFromInline let state = ValueRoom()
  /// Whether the step is to have a digest of the state.
  @exclusivity(unchecked) @usableFromInline var wantsState = false
  /// What the reduction drew, if it drew anything.
  @exclusivity(unchecked) var draws: [LoggedDraw] = []
  @exclusivity(unchecked) var hasDraws = false

  @usableFromInline
  init() {}
}

/// Memory in which one value after the other is encoded.
@usableFromInline
final class ValueRoom: @unchecked Sendable {
  // Unchecked: whoever has taken it from the recorder is the only one who has it. For the same reason the run-time checks
  // of exclusive access are left out, which would cost more than writing a small value.
  @exclusivity(unchecked) fileprivate var encoder = ReusableEncoder()

  @usableFromInline var digest: Digest {
    withBytes { Digest(XXH64.hash(UnsafeRawBufferPointer($0))) }
  }

  /// Calls `body` with the value that was encoded last.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    encoder.withBytes(body)
  }
}

/// Encodes values of one type. Which way is found once, since looking for a conformance costs more than a small value.
@usableFromInline
class ValueEncoder<Value: Encodable>: @unchecked Sendable {
  // Unchecked because of the subclass; neither has anything that could change.

  static func make() -> ValueEncoder<Value> {
    guard let byHand = Value.self as? any CanonicalEncodable.Type else { return ValueEncoder() }
    return opened(byHand)
  }

  private static func opened<Known: CanonicalEncodable>(_: Known.Type) -> ValueEncoder<Value> {
    HandEncoder<Value, Known>()
  }

  @usableFromInline
  func encode(_ value: borrowing Value, _ room: ValueRoom) throws {
    let value = copy value
    try room.encoder.encode(value)
    if room.withBytes({ $0.isEmpty }) {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(Value.self) encoded nothing"))
    }
  }
}

/// `Known` is `Value`, opened from it.
private final class HandEncoder<Value: Encodable, Known: CanonicalEncodable>: ValueEncoder<Value>,
  @unchecked Sendable
{
  override func encode(_ value: borrowing Value, _ room: ValueRoom) throws {
    let known = unsafeBitCast(copy value, to: Known.self)
    try room.encoder.encode(canonical: known)
  }
}
