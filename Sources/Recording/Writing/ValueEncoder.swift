import SwiftBoardJSON

/// Scratch buffers for encoding one step, used by one thread at a time.
@usableFromInline
struct EncodingRoom: ~Copyable {
  @usableFromInline var action = ValueRoom()
  @usableFromInline var state = ValueRoom()
  /// Whether the step is to have a digest of the state.
  @usableFromInline var wantsState = false
  /// The values that the reduction drew.
  var draws: [LoggedDraw] = []
  /// Whether it drew anything: reading the array would cost a reference count.
  var hasDraws = false
}

/// Memory in which one value after the other is encoded.
@usableFromInline
struct ValueRoom: ~Copyable {
  /// For types that are written by hand.
  fileprivate var writer = CanonicalWriter()
  /// For all others; nil as long as there was none.
  fileprivate var encoder: ReusableEncoder?
  /// The value that was encoded last, in the memory of one of the two: valid until the next one is.
  fileprivate(set) var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  @usableFromInline
  init() {}

  @usableFromInline var digest: Digest { Digest(XXH64.hash(UnsafeRawBufferPointer(bytes))) }
}

/// Encodes values of one type. Which way is found once, since looking for a conformance costs more
/// than a small value.
@usableFromInline
class ValueEncoder<Value: Encodable>: @unchecked Sendable {
  // Unchecked because of the subclass; neither has anything that could change.

  static func make() -> ValueEncoder<Value> {
    guard let byHand = Value.self as? any (CanonicalEncodable & Encodable).Type else {
      return ValueEncoder()
    }
    return encoder(byHand) as? ValueEncoder<Value> ?? ValueEncoder()
  }

  @usableFromInline
  func encode(_ value: borrowing Value, _ room: inout ValueRoom) throws {
    let value = copy value
    if room.encoder == nil { room.encoder = ReusableEncoder() }
    try room.encoder?.encode(value)
    room.bytes =
      room.encoder?.withBytes { $0 } ?? UnsafeBufferPointer(start: nil, count: 0)
    if room.bytes.isEmpty {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(Value.self) encoded nothing"))
    }
  }
}

private final class HandEncoder<Value: CanonicalEncodable & Encodable>: ValueEncoder<Value>,
  @unchecked Sendable
{
  // Unchecked as its superclass is; it has no fields.
  override func encode(_ value: borrowing Value, _ room: inout ValueRoom) throws {
    room.writer.removeAll()
    try value.encodeCanonical(to: &room.writer)
    try room.writer.requireOneValue(of: value)
    room.bytes = room.writer.withBytes { $0 }
  }
}

/// A function of its own, so that what conforms can be opened as a type.
private func encoder<Value: CanonicalEncodable & Encodable>(_: Value.Type) -> AnyObject {
  HandEncoder<Value>()
}
