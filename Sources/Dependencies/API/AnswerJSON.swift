import SwiftBoardJSON

/// Conversions of responses to JSON values.
package enum AnswerJSON {
  /// Returns the body as a JSON value, or as a string if it is not JSON. A byte-order mark is
  /// removed. A document with duplicate keys stays a string, because a value would lose one of
  /// them.
  package static func body(_ text: String) -> JSON {
    (try? parse(text)) ?? .string(text)
  }

  /// Returns why a body is not JSON although its headers say that it is, and where. Returns `nil`
  /// if it is, and for an empty body.
  package static func problem(ofBody text: String, _ headers: [HTTPHeader]) -> String? {
    guard !text.isEmpty, isOneDocument(headers) else { return nil }
    do throws(JSONError) {
      _ = try parse(text)
      return nil
    } catch {
      return "the body is not JSON: \(error.message) (\(error.place))"
    }
  }

  /// Returns whether the headers of a response say that its body is one JSON document, and not one
  /// in each line.
  private static func isOneDocument(_ headers: [HTTPHeader]) -> Bool {
    guard let type = headers.value(of: "Content-Type")?.lowercased().split(separator: ";").first
    else { return false }
    let name = type.filter { !$0.isWhitespace }
    return name.hasSuffix("/json") || name.hasSuffix("+json")
  }

  /// Returns whether the headers of a response say that its body is JSON.
  static func isNamed(in headers: [HTTPHeader]) -> Bool {
    headers.value(of: "Content-Type")?.lowercased().end(ofFirst: "json") != nil
  }

  private static func parse(_ text: String) throws(JSONError) -> JSON {
    let document =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    return try JSON(parsing: document, limits: .strict)
  }

  /// Returns the headers as an object with names in lower case. Repeated headers become arrays.
  package static func headers(_ headers: [HTTPHeader]) -> JSON {
    var members: [JSON.Member] = []
    var values: [String: [JSON]] = [:]
    for header in headers {
      values[header.name.lowercased(), default: []].append(.string(header.value))
    }
    for header in headers {
      guard let all = values.removeValue(forKey: header.name.lowercased()) else { continue }
      members.append(.init(header.name.lowercased(), all.count == 1 ? all[0] : .array(all)))
    }
    return .object(members)
  }

  /// Returns the value at a path in an answer, or `nil` if there is none. Behind `headers`, and
  /// `request.headers`, names ignore case, RFC 9110, 5.1.
  package static func value(at path: JSONPath, in answer: JSON) -> JSON? {
    if let value = answer.value(at: path) { return value }
    let index = path.steps.first == .key("request") ? 2 : 1
    guard path.steps.count > index, path.steps[index - 1] == .key("headers"),
      case .key(let name) = path.steps[index]
    else { return nil }
    var lowercased = path
    lowercased.steps[index] = .key(name.lowercased())
    return answer.value(at: lowercased)
  }
}
