import SwiftBoardJSON

/// A question about a JSON value with the answer yes or no: `a.b == 3 and c contains "x"`.
///
/// ```
/// expression := all { 'or' all }
/// all        := comparison { 'and' comparison }          'and' binds closer than 'or'
/// comparison := PATH 'exists'
///             | PATH ('==' | '!=' | '<' | '<=' | '>' | '>=' | 'contains') JSON
/// ```
///
/// Numbers compare by value (`1 == 1.0`), objects whatever the order of their members. `<` and its kin know numbers among
/// numbers and strings among strings; all else is no. `contains` is for a string in a string, an element in an array, a
/// key in an object. A path that leads nowhere equals nothing, so that only `!=` holds for it.
public struct StateExpression: Sendable, Hashable {
  /// What a path is compared by.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// The same value; numbers by value, objects whatever the order of their members.
    case equal = "=="
    /// Not `equal`; holds for a path that leads nowhere.
    case notEqual = "!="
    /// Numbers among numbers, strings among strings.
    case less = "<"
    /// Numbers among numbers, strings among strings.
    case lessOrEqual = "<="
    /// Numbers among numbers, strings among strings.
    case greater = ">"
    /// Numbers among numbers, strings among strings.
    case greaterOrEqual = ">="
    /// A string in a string, an element in an array, a key in an object.
    case contains
    /// The path leads somewhere, to `null` too.
    case exists
  }

  /// One comparison.
  public struct Comparison: Sendable, Hashable {
    /// What is looked up in the value.
    public var path: JSONPath
    /// How it is compared.
    public var relation: Operator
    /// `null` for `exists`.
    public var value: JSON
  }

  /// True where in one of these all hold. Neither is empty.
  public var alternatives: [[Comparison]]
  /// As it was written.
  public let text: String

  /// Reads an expression. Columns of the error count in `text`, from 1.
  public static func parse(_ text: String) throws(UsageError) -> StateExpression {
    var scanner = ExpressionScanner(text)
    return StateExpression(alternatives: try scanner.alternatives(), text: text)
  }

  /// Reads an expression from a command's words: from a single word its text; from several ones their texts with blanks
  /// between, where a word in double quotes counts as a JSON string. So `assert name == "Rick"` and
  /// `assert 'name == "Rick"'` say the same. Errors blame the words.
  public static func parse(_ words: [Argument]) throws(UsageError) -> StateExpression {
    guard let first = words.first, let last = words.last else {
      throw UsageError("an expression is missing", help: ExpressionScanner.example)
    }
    var texts: [String] = []
    for word in words {
      let text = try word.requiredText(named: "an expression")
      texts.append(words.count > 1 && word.quoting == .double ? JSON.string(text).text : text)
    }
    do throws(UsageError) {
      return try parse(texts.joined(separator: " "))
    } catch {
      var placed = error
      placed.lineOffset = first.lineOffset
      placed.column = first.column
      placed.length =
        first.lineOffset == last.lineOffset
        ? max(1, last.column + last.length - first.column) : first.length
      throw placed
    }
  }

  /// The answer for a value. Cost: the comparisons up to the one that decides.
  public func evaluate(in value: JSON) -> Bool {
    alternatives.contains { $0.allSatisfy { $0.holds(in: value) } }
  }
}

/// The short name; where Foundation's `Expression` is imported as well, use `StateExpression`.
public typealias Expression = StateExpression

extension StateExpression.Comparison {
  /// Whether it holds in a value.
  public func holds(in root: JSON) -> Bool {
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
      part.isEmpty || text.utf8.count >= part.utf8.count && text.contains(part)
    case (.array(let elements), _): elements.contains { areEqual($0, part) }
    case (.object, .string(let key)): whole[key] != nil
    default: false
    }
  }

  static func areEqual(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    case (.object(let a), .object(let b)):
      // By key, so that large objects do not cost the square of their size.
      let members = Dictionary(b.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      return a.count == b.count
        && a.allSatisfy { member in members[member.key].map { areEqual(member.value, $0) } ?? false
        }
    default: return JSON.compare(left, right) == 0
    }
  }
}
