/// Checks a text against RFC 8259 and converts it to a tape. Iterative: its stack consists of the
/// tokens of open containers.
///
/// Takes one pass, and a second one over the keys of objects whose keys do not ascend, to find
/// equal keys.
struct JSONTokenizer: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let limits: JSONLimits
  private var position = 0
  private var tape: JSONTape

  private static let none = UInt32.max

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits, _ tape: consuming JSONTape
  ) {
    self.bytes = bytes
    self.limits = limits
    self.tape = tape
  }

  /// - Parameter memory: An empty tape to fill.
  /// - Throws: The first violation of the grammar or of `limits`.
  static func tape(
    of bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits,
    in memory: consuming JSONTape = JSONTape(capacity: 32)
  ) throws(JSONError) -> JSONTape {
    guard bytes.count < Int(none) else {
      throw JSONError(
        offset: 0, line: 1, column: 1,
        message: "found \(bytes.count) bytes, expected fewer than 4 GiB")
    }
    var tokenizer = JSONTokenizer(bytes, limits, memory)
    try tokenizer.run()
    return tokenizer.tape
  }

  private mutating func run() throws(JSONError) {
    var parent = Self.none
    var depth = 0
    skipSpace()
    value: while true {
      let start = position
      switch peek() {
      case UInt8(ascii: "{"):
        try open(.object, &parent, &depth)
        if peek() != UInt8(ascii: "}") {
          try key(of: parent, orEnd: true)
          continue value
        }
      case UInt8(ascii: "["):
        try open(.array, &parent, &depth)
        if peek() != UInt8(ascii: "]") { continue value }
      case UInt8(ascii: "\""):
        try string()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try number()
      case UInt8(ascii: "t"):
        try word("true", .yes)
      case UInt8(ascii: "f"):
        try word("false", .no)
      case UInt8(ascii: "n"):
        try word("null", .null)
      default:
        throw unexpected(at: start, expected: "a value")
      }
      while true {
        skipSpace()
        guard parent != Self.none else {
          guard position == bytes.count else {
            throw unexpected(at: position, expected: "the end of the text")
          }
          return
        }
        let isObject = tape.tokens[Int(parent)].kind == .object
        switch peek() {
        case UInt8(ascii: ","):
          position += 1
          skipSpace()
          if isObject { try key(of: parent, orEnd: false) }
          continue value
        case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
          position += 1
          depth -= 1
          try close(&parent)
        default:
          throw unexpected(at: position, expected: isObject ? "',' or '}'" : "',' or ']'")
        }
      }
    }
  }

  // MARK: Containers

  private mutating func open(
    _ kind: JSONToken.Kind, _ parent: inout UInt32, _ depth: inout Int
  ) throws(JSONError) {
    guard depth < limits.depth else {
      throw error(
        at: position,
        "found nesting deeper than \(limits.depth) levels, expected at most that many")
    }
    depth += 1
    let index = UInt32(truncatingIfNeeded: tape.count)
    tape.append(
      JSONToken(
        kind: kind, start: UInt32(truncatingIfNeeded: position), end: Self.none, next: parent))
    parent = index
    position += 1
    skipSpace()
  }

  private mutating func close(_ parent: inout UInt32) throws(JSONError) {
    let index = Int(parent)
    parent = tape.tokens[index].next
    tape.tokens[index].end = UInt32(truncatingIfNeeded: position)
    tape.tokens[index].next = UInt32(truncatingIfNeeded: tape.count)
    tape.tokens[index].cursor = UInt32(truncatingIfNeeded: index + 1)
    guard tape.tokens[index].flags.contains(.unsorted) else { return }
    if let duplicate = firstDuplicate(in: index) {
      guard limits.duplicateKeys == .keepLast else {
        let token = tape.tokens[duplicate]
        throw error(
          at: Int(token.start) - 1,
          "found the key \(JSON.string(bytes.string(token)).text) again, expected each key once")
      }
      tape.tokens[index].flags.insert(.duplicates)
    }
  }

  private mutating func key(of parent: UInt32, orEnd: Bool) throws(JSONError) {
    guard peek() == UInt8(ascii: "\"") else {
      throw unexpected(at: position, expected: orEnd ? "a key in quotes or '}'" : "a key in quotes")
    }
    let index = tape.count
    try string()
    let previous = tape.tokens[Int(parent)].cursor
    if previous != 0, !ascends(Int(previous), index) {
      tape.tokens[Int(parent)].flags.insert(.unsorted)
    }
    tape.tokens[Int(parent)].cursor = UInt32(truncatingIfNeeded: index)
    skipSpace()
    guard peek() == UInt8(ascii: ":") else { throw unexpected(at: position, expected: "':'") }
    position += 1
    skipSpace()
  }

  private func ascends(_ left: Int, _ right: Int) -> Bool {
    let left = tape.tokens[left]
    let right = tape.tokens[right]
    guard !left.flags.contains(.escaped), !right.flags.contains(.escaped) else { return false }
    return compareBytes(bytes.slice(left), bytes.slice(right)) < 0
  }

  /// Returns the token of the first key that repeats an earlier one.
  private func firstDuplicate(in object: Int) -> Int? {
    var keys: [Int] = []
    var index = object + 1
    let end = Int(tape.tokens[object].next)
    while index < end {
      keys.append(index)
      index = Int(tape.tokens[index + 1].next)
    }
    if keys.count <= 24 {
      for (position, key) in keys.enumerated() {
        for earlier in keys[..<position] where bytes.equal(tape.tokens[key], tape.tokens[earlier]) {
          return key
        }
      }
      return nil
    }
    // Sorting cheap hashes first avoids the set in most cases. The set's seeded hashing resists
    // texts made to collide.
    let hashes = keys.map { key in
      bytes.unescaped(tape.tokens[key]) { text in
        text.reduce(UInt64(truncatingIfNeeded: text.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      }
    }.sorted()
    guard zip(hashes, hashes.dropFirst()).contains(where: { $0 == $1 }) else { return nil }
    var seen: Set<[UInt8]> = []
    return keys.first { key in
      !seen.insert(bytes.unescaped(tape.tokens[key]) { Array($0) }).inserted
    }
  }

  // MARK: Scalars

  private mutating func word(
    _ word: StaticString, _ kind: JSONToken.Kind
  ) throws(JSONError) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard peek() == word.utf8Start[index] else {
        throw unexpected(at: position, expected: "the word \(word)")
      }
      position += 1
    }
    appendScalar(kind, [], start, position)
  }

  @inline(__always)
  private mutating func appendScalar(
    _ kind: JSONToken.Kind, _ flags: JSONToken.Flags, _ start: Int, _ end: Int
  ) {
    tape.append(
      JSONToken(
        kind: kind, flags: flags, start: UInt32(truncatingIfNeeded: start),
        end: UInt32(truncatingIfNeeded: end), next: UInt32(truncatingIfNeeded: tape.count + 1)))
  }

  private mutating func number() throws(JSONError) {
    let start = position
    var flags: JSONToken.Flags = []
    if peek() == UInt8(ascii: "-") { position += 1 }
    if peek() == UInt8(ascii: "0") {
      position += 1
      if isDigit(peek()) {
        throw error(at: position, "found a digit after a leading 0, expected '.', 'e' or the end")
      }
    } else {
      try digits()
    }
    if peek() == UInt8(ascii: ".") {
      flags = .fractional
      position += 1
      try digits()
    }
    if peek() | 0x20 == UInt8(ascii: "e") {
      flags = .fractional
      position += 1
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") {
        position += 1
      }
      try digits()
    }
    appendScalar(.number, flags, start, position)
  }

  private mutating func digits() throws(JSONError) {
    guard isDigit(peek()) else {
      throw unexpected(at: position, expected: "a digit")
    }
    repeat { position += 1 } while position < bytes.count && isDigit(bytes[position])
  }

  private mutating func string() throws(JSONError) {
    position += 1
    let start = position
    var flags: JSONToken.Flags = []
    while true {
      position = bytes.endOfPlainText(from: position)
      guard position < bytes.count else {
        throw unexpected(at: position, expected: "a closing '\"'")
      }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        appendScalar(.string, flags, start, position)
        position += 1
        return
      case UInt8(ascii: "\\"):
        flags = .escaped
        try escape()
      case 0..<0x20:
        throw error(
          at: position,
          "found the control character \(hex(bytes[position])) in a string, expected it escaped")
      default:
        let length = bytes.lengthOfScalar(at: position)
        guard length > 0 else {
          throw error(
            at: position, "found the byte \(hex(bytes[position])), expected valid UTF-8")
        }
        position += length
      }
    }
  }

  private mutating func escape() throws(JSONError) {
    let start = position
    position += 1
    switch peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      let unit = try unit()
      switch unit {
      case 0xD800..<0xDC00:
        guard peek() == UInt8(ascii: "\\"), position + 1 < bytes.count,
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw loneSurrogate(at: start) }
        position += 2
        guard try (0xDC00..<0xE000).contains(self.unit()) else { throw loneSurrogate(at: start) }
      case 0xDC00..<0xE000:
        throw loneSurrogate(at: start)
      default:
        break
      }
    default:
      throw unexpected(at: position, expected: "one of \" \\ / b f n r t u after '\\'")
    }
  }

  private mutating func unit() throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit(peek()) else {
        throw unexpected(at: position, expected: "four hexadecimal digits after '\\u'")
      }
      unit = unit << 4 | digit
      position += 1
    }
    return unit
  }

  // MARK: Bytes and errors

  /// Returns the next byte, or 0 at the end, which is never valid.
  @inline(__always)
  private func peek() -> UInt8 { position < bytes.count ? bytes[position] : 0 }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func error(at offset: Int, _ message: String) -> JSONError {
    JSONError(at: offset, of: bytes, message: message)
  }

  private func loneSurrogate(at offset: Int) -> JSONError {
    error(at: offset, "found half of a surrogate pair, expected both halves")
  }

  private func unexpected(at offset: Int, expected: String) -> JSONError {
    let found =
      if offset >= bytes.count {
        "the end of the text"
      } else if offset == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        "a byte-order mark"
      } else if bytes[offset] > 0x20, bytes[offset] < 0x7F {
        "'\(Character(Unicode.Scalar(bytes[offset])))'"
      } else {
        "the byte \(hex(bytes[offset]))"
      }
    return error(at: offset, "found \(found), expected \(expected)")
  }
}
