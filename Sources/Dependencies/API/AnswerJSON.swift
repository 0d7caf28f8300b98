import SwiftBoardJSON

/// Conversions of responses to JSON values.
package enum AnswerJSON {
  /// Returns the body as a JSON value, or as a string if it is not JSON. A byte-order mark is
  /// removed. A document with duplicate keys stays a string, because a value would lose one of
  /// them.
  package static func body(_ text: String) -> JSON {
    let document =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    return (try? JSON(parsing: document, limits: .strict)) ?? .string(text)
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
}
