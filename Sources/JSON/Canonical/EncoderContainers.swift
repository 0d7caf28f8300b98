/// The encoder that is passed to values.
struct CanonicalEncoding: Encoder {
  let core: EncoderCore
  let slot: EncoderSlot

  var codingPath: [any CodingKey] { core.path(of: slot) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    core.become(slot, .object)
    return KeyedEncodingContainer(KeyedWriter<Key>(core: core, slot: slot))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    core.become(slot, core.arrayKind(slot))
    return UnkeyedWriter(core: core, slot: slot)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleWriter(core: core, slot: slot)
  }
}

private struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}

struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let core: EncoderCore
  let slot: EncoderSlot

  var codingPath: [any CodingKey] { core.path(of: slot) }

  func encodeNil(forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.null() }
  }

  func encode(_ value: Bool, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.bool(value) }
  }

  func encode(_ value: String, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.string(value) }
  }

  func encode(_ value: Double, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.double(value) }
  }

  func encode(_ value: Float, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.float(value) }
  }

  func encode(_ value: Int, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.int(value) }
  }

  func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.integer(value) }
  }

  // For these two, the default implementations would precede the one above.
  func encode(_ value: Int128, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.int(value) }
  }

  func encode(_ value: UInt128, forKey key: Key) {
    if core.beginMember(slot, key) { core.writer.uint(value) }
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try core.undoing(slot) {
      if core.beginMember(slot, key) { try core.write(value) }
    }
  }

  // `nil` writes nothing. The default implementations are slower.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    if let value { encode(value, forKey: key) }
  }
  func encodeIfPresent(_ value: String?, forKey key: Key) {
    if let value { encode(value, forKey: key) }
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) {
    if let value { encode(value, forKey: key) }
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) {
    if let value { encode(value, forKey: key) }
  }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedWriter<NestedKey>(core: core, slot: nested(key, .object)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedWriter(core: core, slot: nested(key, .array))
  }

  func superEncoder() -> any Encoder { superEncoder(at: SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

  private func nested(_ key: Key, _ kind: CanonicalWriter.Kind) -> EncoderSlot {
    if let slot = core.existing(slot, key, kind) { return slot }
    guard core.beginMember(slot, key) else { return core.nowhere }
    let child = core.push()
    core.become(child, kind)
    return child
  }

  private func superEncoder(at key: some CodingKey) -> any Encoder {
    guard core.beginMember(slot, key) else {
      return CanonicalEncoding(core: core, slot: core.nowhere)
    }
    return CanonicalEncoding(core: core, slot: core.push())
  }
}

struct UnkeyedWriter: UnkeyedEncodingContainer {
  let core: EncoderCore
  let slot: EncoderSlot

  var codingPath: [any CodingKey] { core.path(of: slot) }
  var count: Int { core.count(of: slot) }

  func encodeNil() { if core.beginElement(slot) { core.writer.null() } }
  func encode(_ value: Bool) { if core.beginElement(slot) { core.writer.bool(value) } }
  func encode(_ value: String) { if core.beginElement(slot) { core.writer.string(value) } }
  func encode(_ value: Double) { if core.beginElement(slot) { core.writer.double(value) } }
  func encode(_ value: Float) { if core.beginElement(slot) { core.writer.float(value) } }
  func encode(_ value: Int) { if core.beginElement(slot) { core.writer.int(value) } }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) {
    if core.beginElement(slot) { core.writer.integer(value) }
  }
  func encode(_ value: Int128) { if core.beginElement(slot) { core.writer.int(value) } }
  func encode(_ value: UInt128) { if core.beginElement(slot) { core.writer.uint(value) } }

  func encode<T: Encodable>(_ value: T) throws {
    try core.undoing(slot) {
      if core.beginElement(slot) { try core.write(value) }
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedWriter<NestedKey>(core: core, slot: nested(.object)))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedWriter(core: core, slot: nested(.array))
  }

  func superEncoder() -> any Encoder {
    guard core.beginElement(slot) else {
      return CanonicalEncoding(core: core, slot: core.nowhere)
    }
    return CanonicalEncoding(core: core, slot: core.push())
  }

  private func nested(_ kind: CanonicalWriter.Kind) -> EncoderSlot {
    guard core.beginElement(slot) else { return core.nowhere }
    let child = core.push()
    core.become(child, kind)
    return child
  }
}

struct SingleWriter: SingleValueEncodingContainer {
  let core: EncoderCore
  let slot: EncoderSlot

  var codingPath: [any CodingKey] { core.path(of: slot) }

  func encodeNil() { if core.beginSingle(slot) { core.writer.null() } }
  func encode(_ value: Bool) { if core.beginSingle(slot) { core.writer.bool(value) } }
  func encode(_ value: String) { if core.beginSingle(slot) { core.writer.string(value) } }
  func encode(_ value: Double) { if core.beginSingle(slot) { core.writer.double(value) } }
  func encode(_ value: Float) { if core.beginSingle(slot) { core.writer.float(value) } }
  func encode(_ value: Int) { if core.beginSingle(slot) { core.writer.int(value) } }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) {
    if core.beginSingle(slot) { core.writer.integer(value) }
  }
  func encode(_ value: Int128) { if core.beginSingle(slot) { core.writer.int(value) } }
  func encode(_ value: UInt128) { if core.beginSingle(slot) { core.writer.uint(value) } }

  func encode<T: Encodable>(_ value: T) throws {
    try core.undoing(slot) {
      if core.beginSingle(slot) { try core.write(value) }
    }
  }
}
