import SwiftBoardJSON

extension JSONCondition {
  /// Parses a condition from a command's words. A single word is parsed as it is. Several words are
  /// joined by spaces, and a double-quoted word becomes a JSON string. So `assert name == "Rick"`
  /// and `assert 'name == "Rick"'` are equal. Errors refer to the words.
  public init(arguments words: [Argument]) throws(UsageError) {
    guard let first = words.first, let last = words.last else {
      throw UsageError("an expression is missing", help: UsageError.exampleOfCondition)
    }
    var texts: [String] = []
    for word in words {
      let text = try word.requiredText(named: "an expression")
      texts.append(words.count > 1 && word.quoting == .double ? JSON.string(text).text : text)
    }
    do throws(JSONConditionError) {
      self = try JSONCondition(parsing: texts.joined(separator: " "))
    } catch {
      var placed = UsageError(error)
      placed.lineOffset = first.lineOffset
      placed.column = first.column
      placed.length =
        first.lineOffset == last.lineOffset
        ? max(1, last.column + last.length - first.column) : first.length
      throw placed
    }
  }
}

extension UsageError {
  fileprivate static let exampleOfCondition =
    #"for example items[0].name == "Rick" and count > 3"#

  /// Creates the error of a condition, with columns in its text and advice.
  public init(_ error: JSONConditionError) {
    let operators = JSONCondition.Operator.allCases.map(\.rawValue)
    let help: String =
      switch error.kind {
      case .missingPath, .malformedPath, .missingValue: Self.exampleOfCondition
      case .missingOperator: "one of \(operators.joined(separator: " "))"
      case .unknownOperator("="): "did you mean '=='?"
      case .unknownOperator(let name):
        Suggestion.advice(for: name, among: operators)
          ?? "one of \(operators.joined(separator: " "))"
      case .malformedValue(let text, let reason):
        text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
          ? "write \"\(text)\" for the text" : reason
      case .unknownConjunction(let word):
        Suggestion.advice(for: word, among: ["and", "or"]) ?? "'and' or 'or' goes here"
      }
    self.init(error.description, help: help, column: error.column, length: error.length)
  }
}
