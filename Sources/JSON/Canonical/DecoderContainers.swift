/// The decoder of one value of the text.
struct CanonicalDecoding: Decoder {
  let core: DecoderCore
  let index: Int

  var codingPath: [any CodingKey] { core.path(to: index) }
  var userInfo: [CodingUserInfoKey: Any] { core.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedReader<Key>(core, index))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedReader(core, index)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleReader(core: core, index: index)
  }
}

struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let core: DecoderCore
  let index: Int

  init(_ core: DecoderCore, _ index: Int) throws {
    guard core.tokens[index].kind == .object else {
      throw core.mismatch([String: Any].self, at: index, expected: "an object")
    }
    self.core = core
    self.index = index
  }

  var codingPath: [any CodingKey] { core.path(to: index) }

  var allKeys: [Key] {
    // The `Codable` implementation of enums requests this for every value.
    let first = index + 1
    if first < Int(core.tokens[index].next), core.tokens[first + 1].next == core.tokens[index].next,
      !core.tokens[first].flags.contains(.escaped)
    {
      let name = core.bytes.slice(core.tokens[first])
      if let known = core.keyLists.find(Key.self, name) { return known }
      let keys = readKeys()
      core.keyLists.note(keys, name)
      return keys
    }
    return readKeys()
  }

  @inline(never)
  private func readKeys() -> [Key] {
    var keys: [Key] = []
    let hasDuplicates = core.tokens[index].flags.contains(.duplicates)
    var current = index + 1
    while current < Int(core.tokens[index].next) {
      let name = core.bytes.string(core.tokens[current])
      // Of equal keys, use the last one.
      if !hasDuplicates || find(name) == current + 1, let key = Key(stringValue: name) {
        keys.append(key)
      }
      current = Int(core.tokens[current + 1].next)
    }
    return keys
  }

  @inline(__always)
  private func find(_ name: String) -> Int? {
    var name = name
    return name.withUTF8 { core.find($0, in: index) }
  }

  @inline(__always)
  private func value(_ key: Key) throws -> Int {
    guard let value = find(key.stringValue) else { throw core.missing(key, in: index) }
    core.advance(index, past: value)
    return value
  }

  @inline(__always)
  private func valueIfPresent(_ key: Key) -> Int? {
    guard let value = find(key.stringValue) else { return nil }
    core.advance(index, past: value)
    return core.isNull(value) ? nil : value
  }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard let value = find(key.stringValue) else { throw core.missing(key, in: index) }
    return core.isNull(value)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try core.bool(value(key)) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try core.string(value(key)) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try core.double(value(key)) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try core.float(value(key)) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try core.integer(type, value(key))
  }
  // For these two, the default implementations would precede the one above.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try core.integer(type, value(key))
  }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try core.integer(type, value(key))
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try core.decode(type, at: value(key))
  }

  // One search, instead of the three of the default implementations.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try valueIfPresent(key).map { try core.bool($0) }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(key).map { try core.string($0) }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try valueIfPresent(key).map { try core.double($0) }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try valueIfPresent(key).map { try core.integer(type, $0) }
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try valueIfPresent(key).map { try core.decode(type, at: $0) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(try KeyedReader<NestedKey>(core, value(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedReader(core, value(key))
  }

  func superDecoder() throws -> any Decoder {
    guard let value = find("super") else {
      throw core.missing(PathKey(stringValue: "super"), in: index)
    }
    return CanonicalDecoding(core: core, index: value)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    CanonicalDecoding(core: core, index: try value(key))
  }
}

struct UnkeyedReader: UnkeyedDecodingContainer {
  let core: DecoderCore
  let index: Int
  private var current: Int
  private(set) var currentIndex = 0

  init(_ core: DecoderCore, _ index: Int) throws {
    guard core.tokens[index].kind == .array else {
      throw core.mismatch([Any].self, at: index, expected: "an array")
    }
    self.core = core
    self.index = index
    current = index + 1
  }

  var codingPath: [any CodingKey] { core.path(to: index) }

  var isAtEnd: Bool { current >= Int(core.tokens[index].next) }

  /// - Complexity: O(number of elements).
  var count: Int? {
    var count = 0
    var token = index + 1
    while token < Int(core.tokens[index].next) {
      count += 1
      token = Int(core.tokens[token].next)
    }
    return count
  }

  /// Reads the next element, and advances if `read` succeeds.
  @inline(__always)
  private mutating func next<Value>(_ read: (DecoderCore, Int) throws -> Value) throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(
          codingPath: codingPath + [PathKey(intValue: currentIndex)],
          debugDescription: "found the end of the array, expected another element"))
    }
    let value = try read(core, current)
    current = Int(core.tokens[current].next)
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd else { return try next { _, _ in true } }
    guard core.isNull(current) else { return false }
    return try next { _, _ in true }
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool($1) } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string($1) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.double($1) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.float($1) } }
  mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    try next { try $0.integer(type, $1) }
  }
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try next { try $0.integer(type, $1) }
  }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try next { try $0.integer(type, $1) }
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next { try $0.decode(type, at: $1) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { KeyedDecodingContainer(try KeyedReader<NestedKey>($0, $1)) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try UnkeyedReader($0, $1) }
  }

  mutating func superDecoder() throws -> any Decoder {
    try next { CanonicalDecoding(core: $0, index: $1) }
  }
}

struct SingleReader: SingleValueDecodingContainer {
  let core: DecoderCore
  let index: Int

  var codingPath: [any CodingKey] { core.path(to: index) }

  func decodeNil() -> Bool { core.isNull(index) }
  func decode(_ type: Bool.Type) throws -> Bool { try core.bool(index) }
  func decode(_ type: String.Type) throws -> String { try core.string(index) }
  func decode(_ type: Double.Type) throws -> Double { try core.double(index) }
  func decode(_ type: Float.Type) throws -> Float { try core.float(index) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    try core.integer(type, index)
  }
  func decode(_ type: Int128.Type) throws -> Int128 { try core.integer(type, index) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try core.integer(type, index) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try core.decode(type, at: index) }
}
