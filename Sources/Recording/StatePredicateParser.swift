import SwiftBoardJSON

/// Text to `StatePredicate.Expression`, by recursive descent with a bound.
struct StatePredicateParser {
  private static let deepest = 64
  private static let words: Set<String> = [
    "exists", "not", "and", "or", "contains", "true", "false", "null",
  ]

  private let text: String
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parse() throws(StatePredicateError) -> StatePredicate.Expression {
    let expression = try any(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw unexpected("'and', 'or' or the end") }
    return expression
  }

  // MARK: Grammar

  private mutating func any(depth: Int) throws(StatePredicateError) -> StatePredicate.Expression {
    var parts = [try all(depth: depth)]
    while take("||") || take(word: "or") { parts.append(try all(depth: depth)) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func all(depth: Int) throws(StatePredicateError) -> StatePredicate.Expression {
    var parts = [try negation(depth: depth)]
    while take("&&") || take(word: "and") { parts.append(try negation(depth: depth)) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func negation(depth: Int) throws(StatePredicateError)
    -> StatePredicate.Expression
  {
    guard depth < Self.deepest else {
      throw error(at: position, "more than \(Self.deepest) levels of parentheses and negations")
    }
    skipSpace()
    if take(word: "not") { return .not(try negation(depth: depth + 1)) }
    if !starts("!="), take("!") { return .not(try negation(depth: depth + 1)) }
    if take("(") {
      let inner = try any(depth: depth + 1)
      skipSpace()
      guard take(")") else { throw unexpected("')'") }
      return inner
    }
    if take(word: "exists") { return .exists(try path()) }
    return try comparison()
  }

  private mutating func comparison() throws(StatePredicateError) -> StatePredicate.Expression {
    skipSpace()
    let start = position
    let left = try operand()
    if let comparison = comparator() { return .compare(left, comparison, try operand()) }
    guard case .path(let path) = left else {
      guard position < bytes.count else { throw unexpected("a comparison such as '=='") }
      throw error(at: start, "a value alone is no condition; expected a comparison such as '=='")
    }
    return .isTrue(path)
  }

  private mutating func comparator() -> StatePredicate.Comparison? {
    // Longer ones first.
    for comparison: StatePredicate.Comparison in [
      .equal, .unequal, .lessOrEqual, .greaterOrEqual, .less, .greater,
    ] where take(comparison.rawValue) {
      return comparison
    }
    return take(word: "contains") ? .contains : nil
  }

  private mutating func operand() throws(StatePredicateError) -> StatePredicate.Operand {
    skipSpace()
    guard position < bytes.count else { throw unexpected("a path or a value") }
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .value(try scalar())
    case UInt8(ascii: "{"): return .value(try container())
    case UInt8(ascii: "["):
      // `["key"]…` and `[0]` may be a path or an array; a path is what a condition begins with most.
      return try bracketed()
    default: break
    }
    if take(word: "true") { return .value(true) }
    if take(word: "false") { return .value(false) }
    if take(word: "null") { return .value(.null) }
    if take("count(") {
      let path = try path()
      skipSpace()
      guard take(")") else { throw unexpected("')'") }
      return .count(path)
    }
    return .path(try path())
  }

  /// An array where an operator stands before it, else a path.
  private mutating func bracketed() throws(StatePredicateError) -> StatePredicate.Operand {
    let before = bytes[..<position].last { !Self.isSpace($0) }
    let isBehindOperator =
      before.map { "=<>".utf8.contains($0) } ?? false || behindContains
    return isBehindOperator ? .value(try container()) : .path(try path())
  }

  private var behindContains: Bool {
    var head = bytes[..<position]
    while let last = head.last, Self.isSpace(last) { head.removeLast() }
    return head.suffix(8).elementsEqual("contains".utf8)
  }

  // MARK: Paths

  private mutating func path() throws(StatePredicateError) -> JSONPath {
    skipSpace()
    let start = position
    if take("$") {
      if position < bytes.count, bytes[position] == UInt8(ascii: ".") { position += 1 }
      guard position < bytes.count,
        bytes[position] == UInt8(ascii: "[") || Self.isKey(bytes[position])
      else { return JSONPath([]) }
    }
    var steps: [JSONPath.Step] = []
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "[") {
        steps.append(try bracket())
      } else if steps.isEmpty || bytes[position] == UInt8(ascii: ".") {
        if !steps.isEmpty { position += 1 }
        steps.append(.key(try key(isFirst: steps.isEmpty && start == position)))
      } else {
        break
      }
    }
    guard !steps.isEmpty else { throw unexpected("a path") }
    return JSONPath(steps)
  }

  private mutating func key(isFirst: Bool) throws(StatePredicateError) -> String {
    let start = position
    while position < bytes.count, Self.isKey(bytes[position]) { position += 1 }
    guard position > start else { throw unexpected("a key") }
    let key = String(decoding: bytes[start..<position], as: UTF8.self)
    guard !isFirst || !Self.words.contains(key) else {
      throw error(
        at: start, "found the word '\(key)', expected a path; a key of that name is [\"\(key)\"]")
    }
    return key
  }

  private mutating func bracket() throws(StatePredicateError) -> JSONPath.Step {
    position += 1
    skipSpace()
    let step: JSONPath.Step
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      step = .key(try scalar().stringValue ?? "")
    } else {
      let start = position
      while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
      guard let index = Int(String(decoding: bytes[start..<position], as: UTF8.self)) else {
        position = start
        throw unexpected("an index or a key in quotes")
      }
      step = .index(index)
    }
    skipSpace()
    guard take("]") else { throw unexpected("']'") }
    return step
  }

  // MARK: Values

  /// A number or a string.
  private mutating func scalar() throws(StatePredicateError) -> JSON {
    let start = position
    if bytes[position] == UInt8(ascii: "\"") {
      position += 1
      while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      guard position < bytes.count else {
        position = bytes.count
        throw error(at: start, "the string has no closing '\"'")
      }
      position += 1
    } else {
      while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) {
        position += 1
      }
    }
    return try json(start..<position)
  }

  /// An array or an object, up to its closing bracket.
  private mutating func container() throws(StatePredicateError) -> JSON {
    let start = position
    var (depth, isInText) = (0, false)
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if isInText {
        if byte == UInt8(ascii: "\\") { position += 1 }
        if byte == UInt8(ascii: "\"") { isInText = false }
      } else if byte == UInt8(ascii: "\"") {
        isInText = true
      } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
        depth += 1
      } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return try json(start..<position) }
      }
    }
    position = min(position, bytes.count)
    throw error(at: start, "the value has no closing bracket")
  }

  private func json(_ range: Range<Int>) throws(StatePredicateError) -> JSON {
    do throws(JSONError) {
      return try JSON(parsing: bytes[range], limits: .strict)
    } catch {
      throw self.error(at: range.lowerBound + error.offset, error.message)
    }
  }

  // MARK: Letters

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Letters beyond ASCII are parts of keys.
  private static func isKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
      true
    default: false
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func take(_ text: String) -> Bool {
    skipSpace()
    guard starts(text) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func take(word: String) -> Bool {
    skipSpace()
    let end = position + word.utf8.count
    guard starts(word) else { return false }
    // `nothing` begins with `not`, and `not.x` is a path.
    if end < bytes.count {
      let next = bytes[end]
      if Self.isKey(next) || next == UInt8(ascii: ".") || next == UInt8(ascii: "[") { return false }
    }
    position = end
    return true
  }

  private func unexpected(_ expected: String) -> StatePredicateError {
    let rest = String(decoding: bytes[min(position, bytes.count)...], as: UTF8.self)
    let found = rest.first.map { "'\($0)'" } ?? "the end"
    return error(at: position, "found \(found), expected \(expected)")
  }

  private func error(at offset: Int, _ message: String) -> StatePredicateError {
    let head = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self)
    return StatePredicateError(column: head.count + 1, message: message, text: text)
  }
}
