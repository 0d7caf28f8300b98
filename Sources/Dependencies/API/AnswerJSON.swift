import SwiftBoardJSON

/// The parts of an answer as values.
package enum AnswerJSON {
  /// A body as a value: JSON where it is, text where it is text. An empty one is an empty text. A
  /// byte-order mark before a document is none of it, and a document that names a member twice is
  /// the text it is, since a value would lose one of the two.
  package static func body(_ text: String) -> JSON {
    let document =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    return (try? JSON(parsing: document, limits: .strict)) ?? .string(text)
  }

  /// Headers as a value, under names in small letters; repeated ones are arrays.
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
