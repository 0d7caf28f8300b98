import SwiftBoardJSON

/// Reads `StateExpression`s.
struct ExpressionScanner {
  static let example = #"for example items[0].name == "Rick" and count > 3"#

  private let characters: [Character]
  private var index = 0

  init(_ text: String) { characters = Array(text) }

  mutating func alternatives() throws(UsageError) -> [[StateExpression.Comparison]] {
    var alternatives: [[StateExpression.Comparison]] = [[]]
    while true {
      let comparison = try comparison()
      alternatives[alternatives.count - 1].append(comparison)
      skipBlanks()
      if index == characters.count { return alternatives }
      let start = index
      switch word() {
      case "and": continue
      case "or": alternatives.append([])
      case let other:
        throw fail(
          "'\(other)' joins no comparisons",
          help: Suggestion.advice(for: other, among: ["and", "or"]) ?? "'and' or 'or' goes here",
          at: start)
      }
    }
  }

  private mutating func comparison() throws(UsageError) -> StateExpression.Comparison {
    skipBlanks()
    let path = try path()
    skipBlanks()
    let relation = try relation()
    guard relation != .exists else {
      return StateExpression.Comparison(path: path, relation: relation, value: .null)
    }
    skipBlanks()
    return StateExpression.Comparison(path: path, relation: relation, value: try value(relation))
  }

  private mutating func path() throws(UsageError) -> JSONPath {
    let start = index
    var inString = false
    while index < characters.count {
      let character = characters[index]
      if character == "\\", inString {
        index += 1
      } else if character == "\"" {
        inString.toggle()
      } else if !inString, character.isWhitespace || "=!<>".contains(character) {
        break
      }
      index = min(index + 1, characters.count)
    }
    guard index > start else {
      throw fail("a path is missing", help: Self.example, at: min(start, characters.count))
    }
    do throws(JSONPathError) {
      return try JSONPath(parsing: String(characters[start..<index]))
    } catch {
      throw fail(
        "'\(String(characters[start..<index]))' is no path: \(error.message)", help: Self.example,
        at: start)
    }
  }

  private mutating func relation() throws(UsageError) -> StateExpression.Operator {
    let start = index
    for symbol in ["==", "!=", "<=", ">=", "<", ">"] where characters[index...].starts(with: symbol)
    {
      index += symbol.count
      if let relation = StateExpression.Operator(rawValue: symbol) { return relation }
    }
    let name = word()
    if let relation = StateExpression.Operator(rawValue: name) { return relation }
    let known = StateExpression.Operator.allCases.map(\.rawValue)
    let list = "one of \(known.joined(separator: " "))"
    if name.isEmpty {
      throw fail("a comparison is missing after the path", help: list, at: start)
    }
    let help = name == "=" ? "did you mean '=='?" : Suggestion.advice(for: name, among: known)
    throw fail("unknown comparison '\(name)'", help: help ?? list, at: start)
  }

  private mutating func value(_ relation: StateExpression.Operator) throws(UsageError) -> JSON {
    let start = index
    skipValue()
    let text = String(characters[start..<index])
    guard !text.isEmpty else {
      throw fail(
        "a JSON value is missing after '\(relation.rawValue)'", help: Self.example, at: start)
    }
    do throws(JSONError) {
      return try JSON(parsing: text)
    } catch {
      let isWord = text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      throw fail(
        "'\(text)' is not JSON",
        help: isWord ? "write \"\(text)\" for the text" : error.message, at: start)
    }
  }

  /// Up to the blank behind the value: brackets and strings are passed over whole.
  private mutating func skipValue() {
    var depth = 0
    var inString = false
    while index < characters.count {
      let character = characters[index]
      if inString {
        if character == "\\" { index += 1 }
        if character == "\"" { inString = false }
      } else {
        switch character {
        case "\"": inString = true
        case "{", "[": depth += 1
        case "}", "]": depth -= 1
        case _ where character.isWhitespace && depth <= 0: return
        default: break
        }
      }
      index = min(index + 1, characters.count)
    }
  }

  private mutating func word() -> String {
    let start = index
    while index < characters.count, !characters[index].isWhitespace { index += 1 }
    return String(characters[start..<index])
  }

  private mutating func skipBlanks() {
    while index < characters.count, characters[index].isWhitespace { index += 1 }
  }

  private func fail(_ message: String, help: String?, at start: Int) -> UsageError {
    UsageError(message, help: help, column: start + 1, length: max(1, index - start))
  }
}
