/// The parser of `JSONCondition`.
struct ConditionScanner {
  private let characters: [Character]
  /// The indices at which inserted values begin.
  private let values: Set<Int>
  private var index = 0

  init(_ text: String, values: Set<Int> = []) {
    characters = Array(text)
    self.values = values
  }

  var isAtEnd: Bool { index == characters.count }

  mutating func alternatives() throws(JSONConditionError) -> [[JSONCondition.Comparison]] {
    var alternatives: [[JSONCondition.Comparison]] = [[]]
    while true {
      let comparison = try comparison()
      alternatives[alternatives.count - 1].append(comparison)
      skipBlanks()
      if isAtEnd { return alternatives }
      let start = index
      switch word() {
      case "and": continue
      case "or": alternatives.append([])
      case let other:
        throw fail(.unknownConjunction(other), at: start)
      }
    }
  }

  private mutating func comparison() throws(JSONConditionError) -> JSONCondition.Comparison {
    skipBlanks()
    let path = try path()
    skipBlanks()
    let relation = try relation()
    guard relation != .exists else {
      return JSONCondition.Comparison(path: path, relation: relation, value: .null)
    }
    skipBlanks()
    return JSONCondition.Comparison(path: path, relation: relation, value: try value(relation))
  }

  mutating func path() throws(JSONConditionError) -> JSONPath {
    let start = index
    guard !values.contains(start) else { throw fail(.missingPath, at: start) }
    var inString = false
    while index < characters.count {
      let character = characters[index]
      if character.ascii == "\\", inString {
        index += 1
      } else if character.ascii == "\"" {
        inString.toggle()
      } else if !inString, character.isWhitespace || "=!<>".contains(character) {
        break
      }
      index = min(index + 1, characters.count)
    }
    guard index > start else {
      throw fail(.missingPath, at: min(start, characters.count))
    }
    let text = String(characters[start..<index])
    do throws(JSONPathError) {
      return try JSONPath(parsing: text)
    } catch {
      throw fail(.malformedPath(text, reason: error.message), at: start)
    }
  }

  private mutating func relation() throws(JSONConditionError) -> JSONCondition.Operator {
    let start = index
    for symbol in ["==", "!=", "<=", ">=", "<", ">"] where characters[index...].starts(with: symbol)
    {
      index += symbol.count
      if let relation = JSONCondition.Operator(rawValue: symbol) { return relation }
    }
    let name = word()
    if let relation = JSONCondition.Operator(rawValue: name) { return relation }
    throw fail(name.isEmpty ? .missingOperator : .unknownOperator(name), at: start)
  }

  private mutating func value(_ relation: JSONCondition.Operator) throws(JSONConditionError) -> JSON
  {
    let start = index
    skipValue()
    let text = String(characters[start..<index])
    guard !text.isEmpty else { throw fail(.missingValue(after: relation), at: start) }
    do throws(JSONError) {
      return try JSON(parsing: text)
    } catch {
      throw fail(.malformedValue(text, reason: error.message), at: start)
    }
  }

  /// Skips a value up to the blank after it, including its brackets and strings.
  private mutating func skipValue() {
    var depth = 0
    var inString = false
    while index < characters.count {
      let character = characters[index]
      if inString {
        if character.ascii == "\\" { index += 1 }
        if character.ascii == "\"" { inString = false }
      } else {
        switch character.ascii {
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

  private func fail(_ kind: JSONConditionError.Kind, at start: Int) -> JSONConditionError {
    JSONConditionError(kind: kind, column: start + 1, length: max(1, index - start))
  }
}

extension Character {
  /// The scalar of JSON's syntax that the character may be. A quote before a combining mark, or
  /// after a prepended one, is one character with it.
  fileprivate var ascii: Unicode.Scalar? { unicodeScalars.first(where: \.isASCII) }
}
