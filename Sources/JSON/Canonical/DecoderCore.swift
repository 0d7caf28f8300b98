#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes and the index of one text. All of its decoders and readers share them, and may outlive
/// the call that parsed it.
final class DecoderCore {
  // Unchecked, since the checks would take a fifth of the time. These properties change only in
  // `read`, which calls no other code than the collection's, and the collection cannot access this
  // object.
  @exclusivity(unchecked) private var memory = Stack<UInt8>(capacity: 256)
  @exclusivity(unchecked) private var tape = JSONTape(capacity: 32)

  /// Types that are known not to be `CanonicalCodable`.
  @exclusivity(unchecked) private var plainTypes = TypeSet()
  @exclusivity(unchecked) private var budget = StackBudget()
  @exclusivity(unchecked) var keyLists = KeyLists()
  /// The user info that is passed to the decoded values.
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.userInfo = userInfo
    standOnNull()
  }

  private func standOnNull() {
    tape.append(JSONToken(kind: .null, start: 0, end: 0, next: 1))
  }

  /// Parses a text. There is always a value: if parsing fails, it is null.
  func read(_ bytes: some Collection<UInt8>, _ limits: JSONLimits) throws(JSONError) {
    memory.count = 0
    let isCopied: Void? = bytes.withContiguousStorageIfAvailable { memory.append($0) }
    if isCopied == nil { for byte in bytes { memory.append(byte) } }
    var used = JSONTape()
    swap(&used, &tape)
    used.count = 0
    do throws(JSONError) {
      tape = try JSONTokenizer.tape(of: self.bytes, limits: limits, in: used)
    } catch {
      memory.count = 0
      standOnNull()
      throw error
    }
  }

  @inline(__always)
  var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory.base, count: memory.count)
  }

  @inline(__always)
  var tokens: UnsafeMutablePointer<JSONToken> { tape.tokens }

  var count: Int { tape.count }

  // MARK: Errors

  /// Returns the path to a token. Finds it by searching from the root, so it needs no memory.
  func path(to index: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var current = 0
    while current < index {
      var child = current + 1
      var position = 0
      let isObject = tokens[current].kind == .object
      while true {
        let value = isObject ? child + 1 : child
        guard value < count, child < Int(tokens[current].next) else { return path }
        if index < Int(tokens[value].next) {
          path.append(
            isObject
              ? PathKey(stringValue: bytes.string(tokens[child])) : PathKey(intValue: position))
          current = value
          break
        }
        child = Int(tokens[value].next)
        position += 1
      }
    }
    return path
  }

  func mismatch(_ type: Any.Type, at index: Int, expected: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path(to: index),
      debugDescription: "found \(description(of: index)), expected \(expected)")
    return tokens[index].kind == .null
      ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  func corrupted(at index: Int, expected: String) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: path(to: index),
        debugDescription: "found \(description(of: index)), expected \(expected)"))
  }

  func missing(_ key: some CodingKey, in index: Int) -> DecodingError {
    .keyNotFound(
      key,
      .init(
        codingPath: path(to: index),
        debugDescription: "found no key \(JSON.string(key.stringValue)), expected one"))
  }

  /// Returns the description of a value for an error, shortened if it is long.
  private func description(of index: Int) -> String {
    switch tokens[index].kind {
    case .null: return "null"
    case .no: return "false"
    case .yes: return "true"
    case .array: return "an array"
    case .object: return "an object"
    case .number:
      return "the number \(String(decoding: bytes.slice(tokens[index]).prefix(40), as: UTF8.self))"
    case .string:
      let text = bytes.string(tokens[index])
      return "the string \(JSON.string(text.count > 40 ? text.prefix(40) + "..." : text))"
    }
  }

  // MARK: Members

  /// Returns the token of a member's value. Takes constant time if members are requested in order.
  @inline(__always)
  func find(_ key: UnsafeBufferPointer<UInt8>, in index: Int) -> Int? {
    let object = tokens[index]
    let first = index + 1
    let end = Int(object.next)
    if first == end { return nil }
    if object.flags.contains(.duplicates) { return findLast(key, in: index) }
    let start = Int(object.cursor)
    var current = start
    repeat {
      let token = tokens[current]
      if Int(token.end - token.start) == key.count || token.flags.contains(.escaped),
        matches(token, key)
      {
        tokens[index].cursor = UInt32(truncatingIfNeeded: current)
        return current + 1
      }
      current = Int(tokens[current + 1].next)
      if current >= end { current = first }
    } while current != start
    return nil
  }

  /// Makes the next search begin after the member with this value.
  @inline(__always)
  func advance(_ index: Int, past value: Int) {
    let next = tokens[value].next
    tokens[index].cursor =
      next < tokens[index].next ? next : UInt32(truncatingIfNeeded: index + 1)
  }

  private func findLast(_ key: UnsafeBufferPointer<UInt8>, in index: Int) -> Int? {
    var found: Int?
    var current = index + 1
    while current < Int(tokens[index].next) {
      if matches(tokens[current], key) { found = current + 1 }
      current = Int(tokens[current + 1].next)
    }
    return found
  }

  @inline(__always)
  private func matches(_ token: JSONToken, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.unescaped(token) { compareBytes($0, key) == 0 }
  }

  // MARK: Scalars

  func isNull(_ index: Int) -> Bool { tokens[index].kind == .null }

  func bool(_ index: Int) throws -> Bool {
    switch tokens[index].kind {
    case .yes: return true
    case .no: return false
    default: throw mismatch(Bool.self, at: index, expected: "true or false")
    }
  }

  func string(_ index: Int) throws -> String {
    guard tokens[index].kind == .string else {
      throw mismatch(String.self, at: index, expected: "a string")
    }
    return bytes.string(tokens[index])
  }

  @inline(__always)
  func integer<T: FixedWidthInteger>(_ type: T.Type, _ index: Int) throws -> T {
    let token = tokens[index]
    guard token.kind == .number else {
      throw mismatch(type, at: index, expected: "an integer")
    }
    var position = Int(token.start)
    let end = Int(token.end)
    if end - position <= 18, !token.flags.contains(.fractional) {
      let isNegative = bytes[position] == UInt8(ascii: "-")
      if isNegative { position += 1 }
      var value = 0
      while position < end {
        value = value &* 10 &+ Int(bytes[position] &- 0x30)
        position += 1
      }
      if let exact = T(exactly: isNegative ? -value : value) { return exact }
    } else if let exact: T = slowInteger(token) {
      return exact
    }
    throw corrupted(at: index, expected: "an integer that fits \(type)")
  }

  @inline(never)
  private func slowInteger<T: FixedWidthInteger>(_ token: JSONToken) -> T? {
    let text = String(decoding: bytes.slice(token), as: UTF8.self)
    if !token.flags.contains(.fractional) { return T(text) }
    guard let number = NumberLiteral(text), number.isIntegral else { return nil }
    return number.integerText.flatMap { T($0) }
  }

  func double(_ index: Int) throws -> Double {
    let token = tokens[index]
    if token.kind == .number, !token.flags.contains(.fractional), token.end - token.start <= 15 {
      return Double(try integer(Int.self, index))
    }
    return try real(index)
  }

  func float(_ index: Int) throws -> Float {
    let token = tokens[index]
    if token.kind == .number, !token.flags.contains(.fractional), token.end - token.start <= 7 {
      return Float(try integer(Int.self, index))
    }
    return try real(index)
  }

  private func real<T: BinaryFloatingPoint & LosslessStringConvertible>(_ index: Int) throws -> T {
    let token = tokens[index]
    let text = String(decoding: bytes.slice(token), as: UTF8.self)
    switch token.kind {
    case .number:
      guard let value = T(text), value.isFinite else {
        throw corrupted(at: index, expected: "a number that fits \(T.self)")
      }
      return value
    case .string where text == "inf": return .infinity
    case .string where text == "-inf": return -.infinity
    case .string where text == "nan": return .nan
    default: throw mismatch(T.self, at: index, expected: "a number")
    }
  }

  func timestamp(_ index: Int) throws -> Int {
    let token = tokens[index]
    guard token.kind == .string else {
      throw mismatch(Date.self, at: index, expected: "a date")
    }
    guard let value = bytes.unescaped(token, { Timestamp.microseconds(parsing: $0) }) else {
      throw corrupted(at: index, expected: "a date such as 2026-11-20T22:45:00.250331Z")
    }
    return value
  }

  func date(_ index: Int) throws -> Date { Timestamp.date(microseconds: try timestamp(index)) }

  func uuid(_ index: Int) throws -> UUID {
    guard let value = UUID(uuidString: try string(index)) else {
      throw corrupted(at: index, expected: "a UUID")
    }
    return value
  }

  /// Accepts only a text that encoding produces.
  func data(_ index: Int) throws -> Data {
    guard tokens[index].kind == .string else {
      throw mismatch(Data.self, at: index, expected: "Base64 text")
    }
    let text = bytes.unescaped(tokens[index]) { Data($0) }
    guard let value = Data(base64Encoded: text), value.base64EncodedData() == text else {
      throw corrupted(at: index, expected: "Base64 text")
    }
    return value
  }

  func url(_ index: Int) throws -> URL {
    guard let value = URL(string: try string(index)) else {
      throw corrupted(at: index, expected: "a URL")
    }
    return value
  }

  // MARK: Values

  func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
    // Each bit cast is from a type to itself, which the comparison has shown. A dynamic cast would
    // cost more than reading the value.
    if type == String.self { return unsafeBitCast(try string(index), to: type) }
    if type == Int.self { return unsafeBitCast(try integer(Int.self, index), to: type) }
    if type == Double.self { return unsafeBitCast(try double(index), to: type) }
    if type == Bool.self { return unsafeBitCast(try bool(index), to: type) }
    if type == Date.self { return unsafeBitCast(try date(index), to: type) }
    if type == UUID.self { return unsafeBitCast(try uuid(index), to: type) }
    if type == Data.self { return unsafeBitCast(try data(index), to: type) }
    if type == URL.self { return unsafeBitCast(try url(index), to: type) }
    if type == JSON.self {
      return unsafeBitCast(JSON(token: index, of: tokens, in: bytes), to: type)
    }
    if type == [Int].self {
      return unsafeBitCast(try elements(index) { try integer(Int.self, $0) }, to: type)
    }
    if type == [String].self {
      return unsafeBitCast(try elements(index) { try string($0) }, to: type)
    }
    // Looking up a conformance costs as much as a small value.
    defer { budget.exit() }
    guard budget.enter() else {
      throw corrupted(at: index, expected: "less nesting, for what a small stack holds")
    }
    if !plainTypes.contains(type) {
      if let byHand = type as? any CanonicalCodable.Type {
        return try decodeByHand(byHand, as: type, at: index)
      }
      plainTypes.insert(type)
    }
    return try T(from: CanonicalDecoding(core: self, index: index))
  }

  private func decodeByHand<Value: CanonicalCodable, T>(
    _ byHand: Value.Type, as type: T.Type, at index: Int
  ) throws -> T {
    var reader = CanonicalReader(core: self, index: index)
    // `Value` is the opened type `T`.
    return unsafeBitCast(try Value(canonical: &reader), to: type)
  }

  private func elements<Element>(
    _ index: Int, _ read: (Int) throws -> Element
  ) throws -> [Element] {
    guard tokens[index].kind == .array else {
      throw mismatch([Element].self, at: index, expected: "an array")
    }
    var elements: [Element] = []
    var current = index + 1
    while current < Int(tokens[index].next) {
      elements.append(try read(current))
      current = Int(tokens[current].next)
    }
    return elements
  }
}
