import SwiftBoardBoard

/// The value of a `Content-Type` that a line gives to a multipart body (RFC 2046, 5.1).
struct MultipartType {
  private let value: String
  /// The text between the parts, or `nil` if the type does not say it.
  let boundary: String?

  /// - Throws: `Failure` if the type is another one, or its boundary is invalid.
  init(_ value: String) throws(Failure) {
    guard value.lowercased().hasPrefix("multipart/") else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "the body is multipart, and its Content-Type is '\(value)'",
        help: "give one that begins with multipart/, or none")
    }
    let boundary = Self.parameters(of: value).first { $0.name == "boundary" }?.value
    if let boundary {
      guard (1...70).contains(boundary.utf8.count), boundary.utf8.last != UInt8(ascii: " "),
        boundary.unicodeScalars.allSatisfy(Self.isAllowed)
      else {
        throw Failure(
          code: ExitCode.usage, error: "usage",
          message: "the boundary of '\(value)' has not 1 to 70 characters of those allowed",
          help: "leave the boundary out, and one is chosen")
      }
    }
    self.value = value
    self.boundary = boundary
  }

  /// Returns the value with a boundary.
  func adding(_ boundary: String) -> String {
    var start = Substring(value)
    while let last = start.last, last == ";" || last == " " { start.removeLast() }
    return "\(start); boundary=\(boundary)"
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z": true
    default: "'()+_,-./:=? ".unicodeScalars.contains(scalar)
    }
  }

  /// Returns the parameters behind the type, with names in lower case and values without quotes.
  private static func parameters(of value: String) -> [(name: String, value: String)] {
    var isQuoted = false
    var pieces = [""]
    for character in value {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == ";", !isQuoted {
        pieces.append("")
      } else {
        pieces[pieces.count - 1].append(character)
      }
    }
    return pieces.dropFirst().compactMap { piece in
      guard let sign = piece.firstIndex(of: "=") else { return nil }
      let name = piece[..<sign].filter { $0 != " " && $0 != "\t" }
      return (name.lowercased(), String(piece[piece.index(after: sign)...]))
    }
  }
}
