import SwiftBoardCommandLine
import SwiftBoardJSON

extension APIItem {
  /// Parses an item in the syntax of HTTPie. The values of fields, queries and headers may contain
  /// secrets.
  ///
  /// The first separator determines the kind: `:=`, `==`, `=`, `:` or `@`. If two start at the same
  /// position, the longer one wins. It must be typed: values inserted from variables are data and
  /// do not determine the kind. An empty value of a header removes one that would be sent
  /// otherwise. `key@file;type=TYPE` sets the type of a file.
  ///
  /// Brackets make the name of a member a path into a JSON body, see `MemberTree`. A query item and
  /// a header take no file, unlike in HTTPie.
  ///
  /// A `\` before `:`, `=`, `@` or `;` escapes it, in the name and in the value, so that
  /// `key@a\;type=b` is a file without a type; in the name, a second `\` escapes one. Values
  /// inserted from variables keep each `\`.
  ///
  /// - Parameter refusesFiles: Whether a typed `@` at the beginning of the value of a query item or
  ///   a header is refused. If not, it belongs to the value, which may be a secret.
  /// - Throws: A `UsageError` at the word, of the kind `malformedData` for malformed JSON.
  static func parse(
    _ argument: Argument, refusesFiles: Bool = true
  ) throws(UsageError) -> APIItem {
    let text = Array(argument.leadingText.unicodeScalars)
    var index = 0
    let end = argument.typedCount.map { min($0, text.count) } ?? text.count
    while index < end {
      let scalar = text[index]
      if scalar == "\\", index + 1 < end {
        index += 2
        continue
      }
      if scalar == ":" || scalar == "=" || scalar == "@" {
        let isLong = scalar != "@" && index + 1 < end && text[index + 1] == "="
        let separator = String(scalar) + (isLong ? "=" : "")
        let start = index + separator.count
        // A value inserted from a variable is data and names no file.
        let namesFile = start < end && text[start] == "@"
        let isFile = namesFile && (separator == "=" || separator == ":=")
        let valueStart = isFile ? start + 1 : start
        let name = Self.name(of: argument, to: index)
        if refusesFiles, namesFile, separator == "==" || separator == ":" {
          throw UsageError(
            "\(separator == ":" ? "a header" : "a query item") takes no file: '\(argument.shown)'",
            help: "a value that begins with @: \(name)\(separator)\\@VALUE", at: argument)
        }
        if separator == "@", !name.isEmpty,
          let typeStart = argument.firstUnescaped(";type=", from: valueStart)
        {
          return try typedFile(name, argument, from: valueStart, typeStart)
        }
        let value = argument.unescaped(before: Argument.escapedInValues, from: valueStart)
        var item = try make(separator, name, argument.replacing(parts: value), isFile: isFile)
        if item.isMember, name.utf8.contains(where: { "[]".utf8.contains($0) }) {
          item.isPath = true
        }
        return item
      }
      if scalar == ";", index == text.count - 1, argument.parts.count == 1, index > 0 {
        return APIItem(kind: .emptyHeader, name: name(of: argument, to: index), value: "")
      }
      index += 1
    }
    guard argument.typedCount == nil else {
      throw UsageError(
        "a value that is put in is data, and says not where it belongs",
        help: "write key=VALUE, key:=VALUE, key==VALUE or Header:VALUE around it", at: argument)
    }
    throw UsageError(
      "'\(argument.shown)' is not an item",
      help:
        "key=text, key:=json, key==query, Header:value, 'Header;', key@file, key=@file or @bodyfile; "
        + "a ';' needs quotes",
      at: argument)
  }

  private static func name(of argument: Argument, to end: Int) -> String {
    let parts = argument.unescaped(before: Argument.escapedInNames, to: end)
    return argument.replacing(parts: parts).leadingText
  }

  /// Returns the item of a file with a type, `;type=` being at an index of the word.
  private static func typedFile(
    _ name: String, _ argument: Argument, from start: Int, _ typeStart: Int
  ) throws(UsageError) -> APIItem {
    _ = try argument.requiredText(named: "a file's name")
    func text(from start: Int, to end: Int? = nil) -> String {
      let parts = argument.unescaped(before: Argument.escapedInValues, from: start, to: end)
      return argument.replacing(parts: parts).leadingText
    }
    let path = argument.expandingHome(in: text(from: start, to: typeStart))
    guard !path.isEmpty else { throw UsageError("a file is missing after '@'", at: argument) }
    return APIItem(
      kind: .file, name: name, value: SecretTemplate(path),
      type: text(from: typeStart + ";type=".count))
  }

  private static func make(
    _ separator: String, _ name: String, _ value: Argument, isFile: Bool
  ) throws(UsageError) -> APIItem {
    if separator == "@" || isFile {
      let path = value.expandingHome(in: try value.requiredText(named: "a file's name"))
      guard !path.isEmpty else { throw UsageError("a file is missing after '@'", at: value) }
      if separator == "@" {
        return APIItem(
          kind: name.isEmpty ? .bodyFile : .file, name: name, value: SecretTemplate(path))
      }
      guard name.isEmpty else {
        return APIItem(
          kind: separator == "=" ? .textFile : .jsonFile, name: name, value: SecretTemplate(path))
      }
    }
    guard !name.isEmpty else {
      throw UsageError("a name is missing before '\(separator)'", at: value)
    }
    switch separator {
    case "=": return APIItem(kind: .text, name: name, value: value.template)
    case "==": return APIItem(kind: .query, name: name, value: value.template)
    case ":": return APIItem(kind: .header, name: name, value: value.template)
    default:
      let text = try value.requiredText(named: "a JSON field")
      do throws(JSONError) {
        try JSON.validate(text)
        return APIItem(kind: .json, name: name, value: SecretTemplate(text))
      } catch {
        throw UsageError(
          "the value of '\(name)' is not JSON: \(error.message) (\(error.place))",
          help: "'\(name)=\(text)' sends it as text", at: value,
          kind: .malformedData)
      }
    }
  }
}
