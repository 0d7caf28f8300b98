import SwiftBoardJSON

/// A condition on a state, as a person types it: `counter.count >= 5`, `items[2].name == "x"`, `exists draft.error`.
///
/// - A path is as in `JSONPath`, and `$` is the whole state. A key that has other characters than letters, digits, `_` and `-`, or
///   that is a word of the language, stands in brackets and quotes: `a["odd key"]`, `["not"]`.
/// - A comparison is path, `==`, `!=`, `<`, `<=`, `>`, `>=` or `contains`, and then a JSON value or another path.
/// - `exists PATH` holds where there is something, `null` too; `count(PATH)` is a number: of elements, members or characters.
/// - A path alone holds where it is `true`.
/// - `not`, `and`, `or` (also `!`, `&&`, `||`), in this order of strength, and parentheses.
///
/// What is not there equals nothing, is neither less nor greater than anything, and contains nothing; `!=` is the opposite of `==`.
/// Values of different kinds are not ordered. Numbers compare exactly, whatever their spelling; strings by their bytes.
public struct StatePredicate: Sendable, Hashable, CustomStringConvertible {
  enum Comparison: String, Sendable, Hashable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains
  }

  enum Operand: Sendable, Hashable {
    case value(JSON)
    case path(JSONPath)
    case count(JSONPath)
  }

  indirect enum Expression: Sendable, Hashable {
    case exists(JSONPath)
    case isTrue(JSONPath)
    case compare(Operand, Comparison, Operand)
    case not(Expression)
    case all([Expression])
    case any([Expression])
  }

  let expression: Expression
  /// As it was typed.
  public let description: String

  /// Reads an expression. O(length); at most 64 parentheses and negations inside one another.
  public init(parsing text: String) throws(StatePredicateError) {
    var parser = StatePredicateParser(text)
    expression = try parser.parse()
    description = text
  }

  /// Whether it holds for a state's JSON. Cost: that of following its paths.
  public func holds(for state: JSON) -> Bool {
    StatePredicate.evaluate(expression, state)
  }

  private static func evaluate(_ expression: Expression, _ state: JSON) -> Bool {
    switch expression {
    case .exists(let path): state.value(at: path) != nil
    case .isTrue(let path): state.value(at: path) == .bool(true)
    case .compare(let left, let comparison, let right):
      compare(value(left, state), comparison, value(right, state))
    case .not(let inner): !evaluate(inner, state)
    case .all(let parts): parts.allSatisfy { evaluate($0, state) }
    case .any(let parts): parts.contains { evaluate($0, state) }
    }
  }

  private static func value(_ operand: Operand, _ state: JSON) -> JSON? {
    switch operand {
    case .value(let value): return value
    case .path(let path): return state.value(at: path)
    case .count(let path):
      switch state.value(at: path) {
      case .array(let elements): return JSON(elements.count)
      case .object(let members): return JSON(members.count)
      case .string(let text): return JSON(text.count)
      default: return nil
      }
    }
  }

  private static func compare(_ left: JSON?, _ comparison: Comparison, _ right: JSON?) -> Bool {
    switch comparison {
    case .equal: return isEqual(left, right)
    case .unequal: return !isEqual(left, right)
    case .less: return order(left, right).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(left, right).map { $0 <= 0 } ?? false
    case .greater: return order(left, right).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(left, right).map { $0 >= 0 } ?? false
    case .contains:
      guard let left, let right else { return false }
      switch (left, right) {
      case (.array(let elements), _): return elements.contains { isEqual($0, right) }
      case (.object(let members), .string(let key)):
        return members.contains { $0.key.utf8.elementsEqual(key.utf8) }
      case (.string(let text), .string(let part)):
        return part.isEmpty || text.utf8.contains(part.utf8)
      default: return false
      }
    }
  }

  /// Through the canonical form, in which the order of members and the spelling of numbers do not count.
  private static func isEqual(_ left: JSON?, _ right: JSON?) -> Bool {
    guard let left, let right else { return false }
    if left == right { return true }
    switch (left, right) {
    case (.number, .number): return JSON.compare(left, right) == 0
    case (.object, .object), (.array, .array): return canonical(left) == canonical(right)
    default: return false
    }
  }

  private static func order(_ left: JSON?, _ right: JSON?) -> Int? {
    switch (left, right) {
    case (.number?, .number?), (.string?, .string?):
      guard let left, let right else { return nil }
      return JSON.compare(left, right)
    default: return nil
    }
  }
}

/// Why a text is no condition, and where.
public struct StatePredicateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// From 1, in characters: where the first thing begins that does not fit.
  public let column: Int
  /// What was found and what was expected.
  public let message: String
  /// The text that was read.
  public let text: String

  /// The exit status of a command that ends with this: misuse.
  public var exitCode: Int32 { 64 }

  /// The message, the text and a mark under the place.
  public var description: String {
    let line = text.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
    return """
      column \(column): \(message)
        \(line)
        \(String(repeating: " ", count: max(0, column - 1)))^
      """
  }
}

extension Collection where Element: Equatable {
  /// Whether `part` stands somewhere in it. O(n · m).
  fileprivate func contains(_ part: some Collection<Element>) -> Bool {
    var rest = self[...]
    while rest.count >= part.count {
      if rest.starts(with: part) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
