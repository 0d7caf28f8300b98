import SwiftBoardJSON
import SwiftBoardSystem

/// The members of a body: texts, JSON and files, by name.
struct RequestForm {
  enum Value {
    case text(String)
    /// JSON text, sent unchanged.
    case json(String)
    case file(path: String, shown: String, type: String?)
  }

  var members: [(name: String, value: Value, isPath: Bool)] = []

  /// Returns the members except files as JSON text: an object, unless a path begins with brackets.
  func json() throws(MemberTree.Problem) -> String {
    let tree = try MemberTree(
      members.enumerated().compactMap { id, member in
        if case .file = member.value { nil } else { (id, member.name, member.isPath) }
      })
    if case .nothing = tree.root { return "{}" }
    return json(tree.root)
  }

  private func json(_ node: MemberTree.Node) -> String {
    switch node {
    case .nothing: "null"
    case .value(let id):
      switch members[id].value {
      case .text(let text): JSON.string(text).text
      case .json(let text): text
      case .file: "null"
      }
    case .object(let object):
      "{\(object.entries.map { "\(JSON.string($0.key).text):\(json($0.node))" }.joined(separator: ","))}"
    case .array(let elements): "[\(elements.map(json).joined(separator: ","))]"
    }
  }

  /// The members as `name=value&name=value`.
  var urlEncoded: String {
    members.compactMap { member in
      text(member.value).map {
        "\(PercentEncoding.encoded(member.name))=\(PercentEncoding.encoded($0))"
      }
    }.joined(separator: "&")
  }

  /// Returns the parts of `multipart/form-data` (RFC 7578).
  func multipart(boundary: String) -> [RequestBody.Part] {
    var parts: [RequestBody.Part] = []
    var text = ""
    for (name, value, _) in members {
      text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\""
      switch value {
      case .file(let path, let shown, let type):
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let type = type ?? FileType.of(path) ?? "application/octet-stream"
        text += "; filename=\"\(Self.quoted(file))\"\r\nContent-Type: \(type)\r\n\r\n"
        parts += [.data(Data(text.utf8)), .file(path: path, shown: shown)]
        text = "\r\n"
      case .text, .json: text += "\r\n\r\n\(self.text(value) ?? "")\r\n"
      }
    }
    return parts + [.data(Data("\(text)--\(boundary)--\r\n".utf8))]
  }

  private func text(_ value: Value) -> String? {
    switch value {
    case .text(let text): return text
    case .json(let text):
      if text.utf8.first == UInt8(ascii: "\""), case .string(let string)? = try? JSON(parsing: text)
      {
        return string
      }
      return text
    case .file: return nil
    }
  }

  /// Percent-encodes the characters that would end the name, as browsers do.
  private static func quoted(_ text: String) -> String {
    String(
      text.unicodeScalars.reduce(into: String.UnicodeScalarView()) { result, scalar in
        switch scalar {
        case "\"": result.append(contentsOf: "%22".unicodeScalars)
        case "\r": result.append(contentsOf: "%0D".unicodeScalars)
        case "\n": result.append(contentsOf: "%0A".unicodeScalars)
        default: result.append(scalar)
        }
      })
  }
}
