import SwiftBoardCommandLine
import SwiftBoardJSON

/// A part of a request, in the syntax of HTTPie.
///
/// The first separator determines the kind: `:=`, `==`, `=`, `:` or `@`. If two start at the same
/// position, the longer one wins. A `\` before `:`, `=`, `@` or `;` escapes it, in the name and in
/// the value; in the name, a second `\` escapes one. Values inserted from variables are data, and
/// keep each `\`.
package enum RequestItem: Sendable, Hashable {
  /// `key=text`: a text field of the body.
  case field(name: String, value: SecretTemplate)
  /// `key:=json`: any JSON value as a field of the body, as it is typed.
  case json(name: String, value: String)
  /// `key==text`: a query parameter.
  case query(name: String, value: SecretTemplate)
  /// `Header:value`; an empty value removes a header that would be sent otherwise.
  case header(name: String, value: SecretTemplate)
  /// `Header;`: a header without a value.
  case emptyHeader(name: String)
  /// `key@file`: a file to upload under that name. `key@file;type=TYPE` sets its type.
  case file(name: String, path: String, type: String?)
  /// `key=@file`: a text field of the body, from a file.
  case fieldFile(name: String, path: String)
  /// `key:=@file`: any JSON value as a field of the body, from a file.
  case jsonFile(name: String, path: String)
  /// `@file`: the file is the body.
  case body(path: String)

  /// Parses an item. The values of fields, queries and headers may contain secrets. The separator
  /// must be typed: values inserted from variables are data and do not determine the kind.
  ///
  /// - Throws: A `UsageError` at the word, of the kind `malformedData` for malformed JSON.
  package static func parse(_ argument: Argument) throws(UsageError) -> RequestItem {
    let text = Array(argument.leadingText.unicodeScalars)
    var name: [UInt8] = []
    var index = 0
    let end = argument.typedCount.map { min($0, text.count) } ?? text.count
    while index < end {
      let scalar = text[index]
      if scalar == "\\", index + 1 < end, "\\:=@;".unicodeScalars.contains(text[index + 1]) {
        name.append(scalar: text[index + 1])
        index += 2
        continue
      }
      if scalar == ":" || scalar == "=" || scalar == "@" {
        let isLong = scalar != "@" && index + 1 < end && text[index + 1] == "="
        let separator = String(scalar) + (isLong ? "=" : "")
        let start = index + separator.count
        // A value inserted from a variable is data and names no file.
        let mayBeFile = separator == "=" || separator == ":="
        let isFile = mayBeFile && start < end && text[start] == "@"
        let valueStart = isFile ? start + 1 : start
        let parts =
          [Argument.Part.text(String(scalars: text[valueStart...]))] + argument.parts.dropFirst()
        let typed = argument.typedCount.map { $0 - valueStart }
        return try make(
          separator, String(decoding: name, as: UTF8.self),
          argument.replacing(parts: withoutEscapes(parts, typed: typed)), isFile: isFile)
      }
      if scalar == ";", index == text.count - 1, argument.parts.count == 1, !name.isEmpty {
        return .emptyHeader(name: String(decoding: name, as: UTF8.self))
      }
      name.append(scalar: scalar)
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
        "key=text, key:=json, key==query, Header:value, Header;, key@file, key=@file or @bodyfile",
      at: argument)
  }

  /// Returns a value without the `\` before each separator, as HTTPie does. Any other `\` stays, so
  /// that a JSON value keeps its escapes.
  ///
  /// - Parameter typed: The number of scalars that were typed before an inserted value, or `nil` if
  ///   none was inserted.
  private static func withoutEscapes(_ parts: [Argument.Part], typed: Int?) -> [Argument.Part] {
    var typed = typed ?? .max
    return parts.map { part in
      guard case .text(let text) = part, typed > 0, text.utf8.contains(UInt8(ascii: "\\")) else {
        return part
      }
      let scalars = Array(text.unicodeScalars)
      let end = min(typed, scalars.count)
      typed -= end
      return .text(String(scalars: withoutEscapes(scalars[..<end]) + scalars[end...]))
    }
  }

  private static func withoutEscapes(_ scalars: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var rest = scalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      result += ":=@;".unicodeScalars.contains(next) ? [next] : [scalar, next]
    }
    return result
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
        try JSON.validate(text)
        return .json(name: name, value: text)
      } catch {
        throw UsageError(
          "the value of '\(name)' is not JSON: \(error.message)",
          help: "'\(name)=\(text)' sends it as text", at: value,
          kind: .malformedData)
      }
    }
  }
}
