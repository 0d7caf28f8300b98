import SwiftBoardJSON

/// Scratch buffers for encoding one step, used by one thread at a time.
@usableFromInline
struct StepScratch: ~Copyable {
  @usableFromInline var action = ValueScratch()
  @usableFromInline var state = ValueScratch()
  /// Whether the step is to have a digest of the state.
  @usableFromInline var wantsState = false
  /// The values that the reduction drew.
  var draws: [LoggedDraw] = []
  /// Whether it drew anything: reading the array would cost a reference count.
  var hasDraws = false
}

/// Memory in which one value after the other is encoded.
@usableFromInline
struct ValueScratch: ~Copyable {
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
  func encode(_ value: borrowing Value, _ scratch: inout ValueScratch) throws {
    let value = copy value
    if scratch.encoder == nil { scratch.encoder = ReusableEncoder() }
    try scratch.encoder?.encode(value)
    scratch.bytes =
      scratch.encoder?.withBytes { $0 } ?? UnsafeBufferPointer(start: nil, count: 0)
    if scratch.bytes.isEmpty {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(Value.self) encoded nothing"))
    }
  }
}

private final class HandEncoder<Value: CanonicalEncodable & Encodable>: ValueEncoder<Value>,
  @unchecked Sendable
{
  // Unchecked as its superclass is; it has no fields.
  override func encode(_ value: borrowing Value, _ scratch: inout ValueScratch) throws {
    scratch.writer.removeAll()
    try value.encodeCanonical(to: &scratch.writer)
    try scratch.writer.requireOneValue(of: value)
    scratch.bytes = scratch.writer.withBytes { $0 }
  }
}

/// A function of its own, so that what conforms can be opened as a type.
private func encoder<Value: CanonicalEncodable & Encodable>(_: Value.Type) -> AnyObject {
  HandEncoder<Value>()
}
