import SwiftBoardJSON

/// Scratch buffers for encoding one step, used by one thread at a time.
@usableFromInline
struct StepScratch: ~Copyable {
  @usableFromInline var action = ValueScratch()
  @usableFromInline var state = ValueScratch()
  /// Whether the step has a digest of the state.
  @usableFromInline var wantsState = false
  /// The values that the reduction drew.
  var draws: [LoggedDraw] = []
  /// Whether the reduction drew values. Reading the array would cost reference counting.
  var hasDraws = false
}

/// Scratch memory for encoding values one after the other.
@usableFromInline
struct ValueScratch: ~Copyable {
  /// The writer for types with a `CanonicalEncodable` conformance.
  fileprivate var writer = CanonicalWriter()
  /// The encoder for all other types, or `nil` if there was none.
  fileprivate var encoder: ReusableEncoder?
  /// Whether to look for values that the log will not have exactly.
  var findsRoundedValues = false
  /// The first part of the last value that the log will not have exactly, if they are looked for.
  fileprivate(set) var roundedValue: RoundedValue?
  /// The last encoded value, in the memory of one of the two. Valid until the next value is
  /// encoded.
  fileprivate(set) var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  @usableFromInline
  init() {}

  @usableFromInline var digest: Digest { Digest(XXH64.hash(UnsafeRawBufferPointer(bytes))) }
}

/// Encodes values of one type. The way of encoding is chosen once, since looking up a conformance
/// costs more than encoding a small value.
@usableFromInline
class ValueEncoder<Value: Encodable>: @unchecked Sendable {
  // Unchecked because of the subclass. Neither has mutable state.

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
    scratch.encoder?.findsRoundedValues = scratch.findsRoundedValues
    try scratch.encoder?.encode(value)
    scratch.roundedValue = scratch.findsRoundedValues ? scratch.encoder?.roundedValue : nil
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
    scratch.writer.findsRoundedValues = scratch.findsRoundedValues
    try value.encodeCanonical(to: &scratch.writer)
    try scratch.writer.requireOneValue(of: value)
    scratch.bytes = scratch.writer.withBytes { $0 }
    scratch.roundedValue = scratch.findsRoundedValues ? scratch.writer.roundedValue : nil
  }
}

/// A separate function, so that the existential metatype can be opened.
private func encoder<Value: CanonicalEncodable & Encodable>(_: Value.Type) -> AnyObject {
  HandEncoder<Value>()
}
