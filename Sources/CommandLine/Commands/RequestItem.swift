import SwiftBoardJSON

/// A part of a request, written as HTTPie writes it.
///
/// The first separator decides, and of two that start at the same position the longer one: `:=`,
/// `==`, `=`, `:`, `@`. A `\` before `:`, `=`, `@`, `;` or `\` takes away its meaning, and so it
/// does before the `@` of a value that is no file.
package enum RequestItem: Sendable, Hashable {
  /// `key=text`: a text field of the body.
  case field(name: String, value: SecretTemplate)
  /// `key:=json`: any JSON value as a field of the body.
  case json(name: String, value: JSON)
  /// `key==text`: a query parameter.
  case query(name: String, value: SecretTemplate)
  /// `Header:value`; an empty value removes a header that would be sent otherwise.
  case header(name: String, value: SecretTemplate)
  /// `Header;`: a header without a value.
  case emptyHeader(name: String)
  /// `key@file`: a file to upload under that name; `key@file;type=TYPE` says what it is.
  case file(name: String, path: String, type: String?)
  /// `key=@file`: a text field of the body, from a file.
  case fieldFile(name: String, path: String)
  /// `key:=@file`: any JSON value as a field of the body, from a file.
  case jsonFile(name: String, path: String)
  /// `@file`: the file is the body.
  case body(path: String)

  /// Reads an item. Secrets may be in the values of fields, queries and headers. The separator must
  /// have been typed: what a variable or the last value puts in is data, and chooses no kind.
  ///
  /// - Throws: a `UsageError` at the word; code 65 for malformed JSON.
  package static func parse(_ argument: Argument) throws(UsageError) -> RequestItem {
    let text = Array(argument.leadingText.unicodeScalars)
    var name = String.UnicodeScalarView()
    var index = 0
    let end = argument.typedCount.map { min($0, text.count) } ?? text.count
    while index < end {
      let scalar = text[index]
      if scalar == "\\", index + 1 < end, "\\:=@;".unicodeScalars.contains(text[index + 1]) {
        name.append(text[index + 1])
        index += 2
        continue
      }
      if scalar == ":" || scalar == "=" || scalar == "@" {
        let isLong = scalar != "@" && index + 1 < end && text[index + 1] == "="
        let separator = String(scalar) + (isLong ? "=" : "")
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: text[(index + separator.count)...])
        let start = index + separator.count
        // What a variable puts in is data, and names no file.
        let mayBeFile = separator == "=" || separator == ":="
        let isFile = mayBeFile && start < end && text[start] == "@"
        let isText = start + 1 < end && text[start] == "\\" && text[start + 1] == "@"
        if isFile || mayBeFile && isText { rest.removeFirst() }
        let parts = [Argument.Part.text(String(rest))] + argument.parts.dropFirst()
        return try make(
          separator, String(name), argument.replacing(parts: parts),
          isFile: isFile)
      }
      if scalar == ";", index == text.count - 1, argument.parts.count == 1, !name.isEmpty {
        return .emptyHeader(name: String(name))
      }
      name.append(scalar)
      index += 1
    }
    guard argument.typedCount == nil else {
      throw UsageError(
        "a value that is put in is data, and says not where it belongs",
        help: "write key=VALUE, key:=VALUE, key==VALUE or Header:VALUE around it", at: argument)
    }
    throw UsageError(
      "'\(argument.shown)' is no item",
      help:
        "key=text, key:=json, key==query, Header:value, Header;, key@file, key=@file or @bodyfile",
      at: argument)
  }

  private static func make(
    _ separator: String, _ name: String, _ value: Argument, isFile: Bool
  ) throws(UsageError) -> RequestItem {
    if separator == "@" || isFile {
      var path = try value.requiredText(named: "a file's name")
      var type: String?
      if separator == "@", !name.isEmpty, let range = path.firstRange(of: ";type=") {
        type = String(path[range.upperBound...])
        path = String(path[..<range.lowerBound])
      }
      guard !path.isEmpty else { throw UsageError("a file is missing after '@'", at: value) }
      if separator == "@" {
        return name.isEmpty ? .body(path: path) : .file(name: name, path: path, type: type)
      }
      guard name.isEmpty else {
        return separator == "="
          ? .fieldFile(name: name, path: path) : .jsonFile(name: name, path: path)
      }
    }
    guard !name.isEmpty else {
      throw UsageError("a name is missing before '\(separator)'", at: value)
    }
    switch separator {
    case "=": return .field(name: name, value: value.template)
    case "==": return .query(name: name, value: value.template)
    case ":": return .header(name: name, value: value.template)
    default:
      let text = try value.requiredText(named: "a JSON field")
      do throws(JSONError) {
        return .json(name: name, value: try JSON(parsing: text))
      } catch {
        throw UsageError(
          "the value of '\(name)' is not JSON: \(error.message)",
          help: "'\(name)=\(text)' sends it as text", at: value, code: 65)
      }
    }
  }
}
