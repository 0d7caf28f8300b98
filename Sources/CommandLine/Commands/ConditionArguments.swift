import SwiftBoardJSON

extension JSONCondition {
  /// Parses a condition from a command's words. A single word is parsed as it is. Several words are
  /// joined by spaces, and a double-quoted word becomes a JSON string. So `assert name == "Rick"`
  /// and `assert 'name == "Rick"'` are equal. Errors refer to the words.
  ///
  /// A word that is one inserted value, such as `$name`, is JSON, or else a JSON string. It is
  /// never a path, an operator or `and`. A path may contain inserted values.
  public init(arguments words: [Argument]) throws(UsageError) {
    guard let first = words.first, let last = words.last else {
      throw UsageError("an expression is missing", help: UsageError.exampleOfCondition)
    }
    var text = ""
    var values: [Int: Argument] = [:]
    for (index, word) in words.enumerated() {
      if index > 0 { text += " " }
      if word.isInserted { values[text.count] = word }
      text += try Self.text(of: word, isOnly: words.count == 1)
    }
    do throws(JSONConditionError) {
      self = try JSONCondition(parsing: text, values: Set(values.keys))
    } catch {
      if error.kind == .missingPath, let value = values[error.column - 1] {
        throw UsageError(
          "a path is missing; an inserted value is none",
          help: "type the path; in double quotes, a whole expression may be inserted", at: value)
      }
      var placed = UsageError(error)
      placed.lineOffset = first.lineOffset
      placed.column = first.column
      placed.length =
        first.lineOffset == last.lineOffset
        ? max(1, last.column + last.length - first.column) : first.length
      throw placed
    }
  }

  private static func text(of word: Argument, isOnly: Bool) throws(UsageError) -> String {
    let text = try word.requiredText(named: "an expression")
    if word.quoting == .double { return isOnly ? text : JSON.string(text).text }
    if word.isInserted { return json(text) }
    guard word.typedCount != nil else { return text }
    let typed = word.typedText
    if typed.last.map({ "=<>".contains($0) }) == true, !typed.contains("\"") {
      return typed + json(String(text.unicodeScalars.dropFirst(typed.unicodeScalars.count)))
    }
    if let value = try? JSON(parsing: text) { return value.text }
    // What cannot be an operator or end a path leaves the meaning to what was typed.
    let isPlain = !word.insertedText.unicodeScalars.contains {
      "=<>!\"'() \t\n".unicodeScalars.contains($0)
    }
    guard isPlain || isPath(text), !Self.operatorWords.contains(text) else {
      throw UsageError(
        "'\(text)' is neither a path nor JSON",
        help: "a value inserted into a word is a part of a path; else let it be a word", at: word)
    }
    return text
  }

  /// The words of a condition that are typed, and never put together from inserted values.
  private static let operatorWords = Set(Operator.allCases.map(\.rawValue)).union(["and", "or"])

  private static func json(_ text: String) -> String {
    ((try? JSON(parsing: text)) ?? .string(text)).text
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
