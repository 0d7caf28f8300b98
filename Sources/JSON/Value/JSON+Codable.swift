/// `CanonicalEncoder` and `CanonicalDecoder` encode a `JSON` as the value itself. Other coders use
/// their own order of members, and numbers as the first of `Int64`, `UInt64` and `Double` that can
/// represent them.
extension JSON: Codable {
  private struct MemberKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes the value itself.
  public func encode(to encoder: any Encoder) throws {
    if let encoding = encoder as? CanonicalEncoding {
      if encoding.core.beginSingle(encoding.slot) { encoding.core.writer.json(self) }
      return
    }
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let members):
      var container = encoder.container(keyedBy: MemberKey.self)
      for member in members {
        try container.encode(member.value, forKey: MemberKey(stringValue: member.key))
      }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .number(let literal):
      var container = encoder.singleValueContainer()
      if let value = Int64(literal) {
        try container.encode(value)
      } else if let value = UInt64(literal) {
        try container.encode(value)
      } else if let value = doubleValue {
        try container.encode(value)
      } else {
        try container.encode(literal)
      }
    }
  }

  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    if let decoding = decoder as? CanonicalDecoding {
      self = JSON(token: decoding.index, of: decoding.core.tokens, in: decoding.core.bytes)
      return
    }
    if let container = try? decoder.container(keyedBy: MemberKey.self) {
      self = .object(
        try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
          Member(key.stringValue, try container.decode(JSON.self, forKey: key))
        })
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self.init(value)
      } else if let value = try? container.decode(UInt64.self) {
        self.init(value)
      } else if let value = try? container.decode(Double.self) {
        self.init(value)
      } else {
        self = .string(try container.decode(String.self))
      }
    }
  }
}
