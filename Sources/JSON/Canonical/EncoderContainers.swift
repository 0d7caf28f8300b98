/// The encoder that values see.
struct CanonicalEncoding: Encoder {
  let core: EncoderCore
  let place: EncoderPlace

  var codingPath: [any CodingKey] { core.path(of: place) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    core.become(place, .object)
    return KeyedEncodingContainer(KeyedWriter<Key>(core: core, place: place))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    core.become(place, core.arrayKind(place))
    return UnkeyedWriter(core: core, place: place)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleWriter(core: core, place: place)
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
  let place: EncoderPlace

  var codingPath: [any CodingKey] { core.path(of: place) }

  func encodeNil(forKey key: Key) {
    if core.beginMember(place, key) { core.writer.null() }
  }

  func encode(_ value: Bool, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.bool(value) }
  }

  func encode(_ value: String, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.string(value) }
  }

  func encode(_ value: Double, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.double(value) }
  }

  func encode(_ value: Float, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.float(value) }
  }

  @inline(__always)
  private func signed(_ value: Int, _ key: Key) {
    if core.beginMember(place, key) { core.writer.int(value) }
  }

  @inline(__always)
  private func unsigned(_ value: UInt, _ key: Key) {
    if core.beginMember(place, key) { core.writer.uint(value) }
  }

  func encode(_ value: Int, forKey key: Key) { signed(value, key) }
  func encode(_ value: Int8, forKey key: Key) { signed(Int(value), key) }
  func encode(_ value: Int16, forKey key: Key) { signed(Int(value), key) }
  func encode(_ value: Int32, forKey key: Key) { signed(Int(value), key) }
  func encode(_ value: Int64, forKey key: Key) { signed(Int(value), key) }
  func encode(_ value: UInt, forKey key: Key) { unsigned(value, key) }
  func encode(_ value: UInt8, forKey key: Key) { unsigned(UInt(value), key) }
  func encode(_ value: UInt16, forKey key: Key) { unsigned(UInt(value), key) }
  func encode(_ value: UInt32, forKey key: Key) { unsigned(UInt(value), key) }
  func encode(_ value: UInt64, forKey key: Key) { unsigned(UInt(value), key) }

  func encode(_ value: Int128, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.int(value) }
  }

  func encode(_ value: UInt128, forKey key: Key) {
    if core.beginMember(place, key) { core.writer.uint(value) }
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try core.undoing(place) {
      if core.beginMember(place, key) { try core.write(value) }
    }
  }

  // Nothing is written for nothing; the library's own forms are slower to find that out.
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
    KeyedEncodingContainer(KeyedWriter<NestedKey>(core: core, place: nested(key, .object)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedWriter(core: core, place: nested(key, .array))
  }

  func superEncoder() -> any Encoder { superEncoder(at: SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

  private func nested(_ key: Key, _ kind: CanonicalWriter.Kind) -> EncoderPlace {
    if let place = core.existing(place, key, kind) { return place }
    guard core.beginMember(place, key) else { return core.nowhere }
    let child = core.push()
    core.become(child, kind)
    return child
  }

  private func superEncoder(at key: some CodingKey) -> any Encoder {
    guard core.beginMember(place, key) else {
      return CanonicalEncoding(core: core, place: core.nowhere)
    }
    return CanonicalEncoding(core: core, place: core.push())
  }
}

struct UnkeyedWriter: UnkeyedEncodingContainer {
  let core: EncoderCore
  let place: EncoderPlace

  var codingPath: [any CodingKey] { core.path(of: place) }
  var count: Int { core.count(of: place) }

  func encodeNil() { if core.beginElement(place) { core.writer.null() } }
  func encode(_ value: Bool) { if core.beginElement(place) { core.writer.bool(value) } }
  func encode(_ value: String) { if core.beginElement(place) { core.writer.string(value) } }
  func encode(_ value: Double) { if core.beginElement(place) { core.writer.double(value) } }
  func encode(_ value: Float) { if core.beginElement(place) { core.writer.float(value) } }
  func encode(_ value: Int) { if core.beginElement(place) { core.writer.int(value) } }
  func encode(_ value: Int8) { encode(Int(value)) }
  func encode(_ value: Int16) { encode(Int(value)) }
  func encode(_ value: Int32) { encode(Int(value)) }
  func encode(_ value: Int64) { encode(Int(value)) }
  func encode(_ value: UInt) { if core.beginElement(place) { core.writer.uint(value) } }
  func encode(_ value: UInt8) { encode(UInt(value)) }
  func encode(_ value: UInt16) { encode(UInt(value)) }
  func encode(_ value: UInt32) { encode(UInt(value)) }
  func encode(_ value: UInt64) { encode(UInt(value)) }
  func encode(_ value: Int128) { if core.beginElement(place) { core.writer.int(value) } }
  func encode(_ value: UInt128) { if core.beginElement(place) { core.writer.uint(value) } }

  func encode<T: Encodable>(_ value: T) throws {
    try core.undoing(place) {
      if core.beginElement(place) { try core.write(value) }
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedWriter<NestedKey>(core: core, place: nested(.object)))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedWriter(core: core, place: nested(.array))
  }

  func superEncoder() -> any Encoder {
    guard core.beginElement(place) else {
      return CanonicalEncoding(core: core, place: core.nowhere)
    }
    return CanonicalEncoding(core: core, place: core.push())
  }

  private func nested(_ kind: CanonicalWriter.Kind) -> EncoderPlace {
    guard core.beginElement(place) else { return core.nowhere }
    let child = core.push()
    core.become(child, kind)
    return child
  }
}

struct SingleWriter: SingleValueEncodingContainer {
  let core: EncoderCore
  let place: EncoderPlace

  var codingPath: [any CodingKey] { core.path(of: place) }

  func encodeNil() { if core.beginSingle(place) { core.writer.null() } }
  func encode(_ value: Bool) { if core.beginSingle(place) { core.writer.bool(value) } }
  func encode(_ value: String) { if core.beginSingle(place) { core.writer.string(value) } }
  func encode(_ value: Double) { if core.beginSingle(place) { core.writer.double(value) } }
  func encode(_ value: Float) { if core.beginSingle(place) { core.writer.float(value) } }
  func encode(_ value: Int) { if core.beginSingle(place) { core.writer.int(value) } }
  func encode(_ value: Int8) { encode(Int(value)) }
  func encode(_ value: Int16) { encode(Int(value)) }
  func encode(_ value: Int32) { encode(Int(value)) }
  func encode(_ value: Int64) { encode(Int(value)) }
  func encode(_ value: UInt) { if core.beginSingle(place) { core.writer.uint(value) } }
  func encode(_ value: UInt8) { encode(UInt(value)) }
  func encode(_ value: UInt16) { encode(UInt(value)) }
  func encode(_ value: UInt32) { encode(UInt(value)) }
  func encode(_ value: UInt64) { encode(UInt(value)) }
  func encode(_ value: Int128) { if core.beginSingle(place) { core.writer.int(value) } }
  func encode(_ value: UInt128) { if core.beginSingle(place) { core.writer.uint(value) } }

  func encode<T: Encodable>(_ value: T) throws {
    try core.undoing(place) {
      if core.beginSingle(place) { try core.write(value) }
    }
  }
}
