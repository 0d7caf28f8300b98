import SwiftBoardJSON

extension Word {
  /// Inserts the values of variables and of the last command; secrets stay references.
  ///
  /// An inserted value is never split or parsed again, so it cannot add a word or a command. A
  /// value that is not a string is inserted as compact JSON. Inside an unquoted JSON string, every
  /// value is escaped as JSON.
  ///
  /// - Parameters:
  ///   - variables: Returns the value of `$name`, or `nil` if there is none.
  ///   - last: Returns the part of the last value at a path (`""` for the whole, `body.id`), or
  ///     `nil` if there is none.
  /// - Throws: a `UsageError` at this word if a value is missing. Cost: linear in the result.
  public func expanded(
    variables: (String) -> String?, last: (String) -> JSON?
  ) throws(UsageError) -> Argument {
    var parts: [Argument.Part] = []
    var typedCount: Int?
    var typed = 0
    var inserted = ""
    var ranges: [Range<Int>] = []
    var end = 0
    func insert(_ text: String, inJSONString: Bool) {
      let text = inJSONString ? Self.jsonEscaped(text) : text
      parts.append(.text(text))
      if !inJSONString { inserted += text }
      typedCount = typedCount ?? typed
      let start = end
      end += text.unicodeScalars.count
      if end > start { ranges.append(start..<end) }
    }
    for segment in segments {
      switch segment {
      case .text(let text):
        parts.append(.text(text))
        let count = text.unicodeScalars.count
        typed += count
        end += count
      case .secret(let name): parts.append(.secret(name))
      case .variable(let name, let inJSONString):
        guard let value = variables(name) else { throw missingVariable(name) }
        insert(value, inJSONString: inJSONString)
      case .last(let path, let inJSONString):
        guard let value = last(path) else {
          throw missingLast(last("") == nil ? "" : path)
        }
        insert(value.stringValue ?? value.text, inJSONString: inJSONString)
      }
    }
    var argument = Argument(
      parts: parts, quoting: quoting, typedCount: typedCount,
      isInserted: quoting == .none && segments.count == 1 && typedCount != nil,
      lineOffset: lineOffset, column: column, length: length)
    argument.insertedText = inserted
    argument.insertedRanges = ranges
    return argument
  }

  private static func jsonEscaped(_ text: String) -> String {
    String(JSON.string(text).text.dropFirst().dropLast())
  }

  private func missingVariable(_ name: String) -> UsageError {
    let help =
      if name.first?.isNumber != true {
        "set \(name) VALUE first, or write \\$ for the character"
      } else if name.allSatisfy({ $0 == "0" }) {
        "the first argument of a script is $1; or write \\$ for the character"
      } else {
        "a script gets it by '-f FILE ARG' or 'source FILE ARG'; or write \\$ for the character"
      }
    return error("no variable '\(name)'", help: help)
  }

  private func missingLast(_ path: String) -> UsageError {
    path.isEmpty
      ? error("there is no last value yet", help: "run a command that prints a value first")
      : error(
        "the last value has nothing at '\(path)'", help: "echo {{last}} shows what there is")
  }

  private func error(_ message: String, help: String) -> UsageError {
    UsageError(message, help: help, column: column, length: length, lineOffset: lineOffset)
  }
}
