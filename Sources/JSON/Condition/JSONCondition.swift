/// A condition on a JSON value: `a.b == 3 and c contains "x"`.
///
/// ```
/// condition  := all { 'or' all }
/// all        := comparison { 'and' comparison }          'and' binds closer than 'or'
/// comparison := PATH 'exists'
///             | PATH ('==' | '!=' | '<' | '<=' | '>' | '>=' | 'contains') JSON
/// ```
///
/// Numbers compare by value (`1 == 1.0`), objects regardless of the order of their members. `<`,
/// `<=`, `>` and `>=` compare numbers with numbers and strings with strings, and are false for
/// other values. `contains` searches for a string in a string, an element in an array, or a key in
/// an object. For a missing value, only `!=` is true.
///
/// ```swift
/// let condition = try JSONCondition(parsing: #"items[0].name == "Rick" and count > 3"#)
/// condition.holds(for: ["items": [["name": "Rick"]], "count": 4])  // true
/// ```
public struct JSONCondition: Sendable, Hashable, CustomStringConvertible {
  /// A comparison of the value at a path.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// The values are equal. Numbers compare by value, objects regardless of the order of their
    /// members.
    case equal = "=="
    /// The values are not `equal`. True for a missing value.
    case notEqual = "!="
    /// The value is less, for two numbers or two strings.
    case less = "<"
    /// The value is less or equal, for two numbers or two strings.
    case lessOrEqual = "<="
    /// The value is greater, for two numbers or two strings.
    case greater = ">"
    /// The value is greater or equal, for two numbers or two strings.
    case greaterOrEqual = ">="
    /// The value contains a substring, an element, or a key.
    case contains
    /// There is a value at the path, which may be `null`.
    case exists
  }

  struct Comparison: Sendable, Hashable {
    var path: JSONPath
    var relation: Operator
    /// The value to compare with, or `null` for `exists`.
    var value: JSON
  }

  /// The alternatives. The condition is true if all comparisons of one alternative are true.
  /// Neither level is empty.
  let alternatives: [[Comparison]]
  /// The text that was parsed.
  public let description: String

  /// Parses a condition.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public init(parsing text: String) throws(JSONConditionError) {
    try self.init(parsing: text, values: [])
  }

  /// Parses a condition into whose text values were inserted.
  ///
  /// - Parameter values: The offsets of the values in characters. No path begins there.
  /// - Complexity: O(*n*) in the length of the text.
  package init(parsing text: String, values: Set<Int>) throws(JSONConditionError) {
    var scanner = ConditionScanner(text, values: values)
    alternatives = try scanner.alternatives()
    description = text
  }

  /// Returns whether a text is a path of a condition, and nothing else.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package static func isPath(_ text: String) -> Bool {
    var scanner = ConditionScanner(text)
    return (try? scanner.path()) != nil && scanner.isAtEnd
  }

  /// The paths whose values decide, in the order of the text.
  package var paths: [JSONPath] { alternatives.joined().map(\.path) }

  /// Returns whether the condition is true for a value.
  ///
  /// - Complexity: That of the comparisons up to the deciding one.
  public func holds(for value: JSON) -> Bool {
    alternatives.contains { $0.allSatisfy { $0.holds(for: value) } }
  }
}

extension JSONCondition.Comparison {
  func holds(for root: JSON) -> Bool {
    let found = root.value(at: path)
    switch relation {
    case .exists: return found != nil
    case .equal: return found.map { Self.areEqual($0, value) } ?? false
    case .notEqual: return found.map { !Self.areEqual($0, value) } ?? true
    case .contains: return found.map { Self.contains($0, value) } ?? false
    case .less: return order(found).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(found).map { $0 <= 0 } ?? false
    case .greater: return order(found).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(found).map { $0 >= 0 } ?? false
    }
  }

  private func order(_ found: JSON?) -> Int? {
    switch (found, value) {
    case (.number?, .number), (.string?, .string): found.map { JSON.compare($0, value) }
    default: nil
    }
  }

  private static func contains(_ whole: JSON, _ part: JSON) -> Bool {
    switch (whole, part) {
    case (.string(let text), .string(let part)):
      text.end(ofFirst: part) != nil
    case (.array(let elements), _): elements.contains { areEqual($0, part) }
    case (.object, .string(let key)): whole[key] != nil
    default: false
    }
  }

  private static func areEqual(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    case (.object(let a), .object(let b)):
      // Look up by key, so that large objects do not take quadratic time.
      let members = Dictionary(b.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      return a.count == b.count
        && a.allSatisfy { member in members[member.key].map { areEqual(member.value, $0) } ?? false
        }
    default: return JSON.compare(left, right) == 0
    }
  }
}
