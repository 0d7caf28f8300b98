import SwiftBoardJSON

/// The parsed status line and header fields of a response.
struct ResponseHead {
  var httpVersion: String
  var status: Int
  var headers: [HTTPHeader] = []
  /// The first `Location` if it is not UTF-8, with its bytes beyond ASCII percent-encoded.
  private var encodedLocation: String?

  /// The target of a redirect.
  var location: String? { encodedLocation ?? headers.value(of: "Location") }

  /// Parses a head. Returns `nil` if there is no status line. Skips fields without a name, and
  /// joins folded lines.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    let words = Self.line(from: &rest).split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count > 1, words[0].starts(with: "HTTP/".utf8),
      let status = Int(String(decoding: words[1], as: UTF8.self)), (100...999).contains(status)
    else { return nil }
    self.status = status
    httpVersion = String(decoding: words[0].dropFirst(5), as: UTF8.self)
    while !rest.isEmpty {
      let line = Self.line(from: &rest)
      if let begin = line.first, begin == UInt8(ascii: " ") || begin == UInt8(ascii: "\t") {
        if let last = headers.indices.last { headers[last].value += " " + Self.text(line) }
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
        continue
      }
      let header = HTTPHeader(Self.text(line[..<colon]), Self.text(line[(colon + 1)...]))
      if header.isNamed("Location"),
        headers.value(of: "Location") == nil,
        String(validating: line, as: UTF8.self) == nil
      {
        encodedLocation = PercentEncoding.encodedBeyondASCII(Self.trimmed(line[(colon + 1)...]))
      }
      headers.append(header)
    }
  }

  enum LengthProblem {
    /// Not a number, negative, or beyond 64 bits.
    case malformed
    /// Several different values.
    case conflicting
  }

  /// The problem with `Content-Length`, or `nil` if there is none. RFC 9112, 6.3, requires a number
  /// and permits repeating it. The length of a `chunked` response is ignored.
  var lengthProblem: LengthProblem? {
    func values(_ name: String) -> [String] {
      headers.filter { $0.isNamed(name) }
        .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
        .map { Self.text(Array($0.utf8)[...]) }
    }
    if values("transfer-encoding").contains(where: { $0.lowercased() == "chunked" }) { return nil }
    var length: Int64?
    for value in values("content-length") {
      guard value.utf8.allSatisfy(isDigit), let number = Int64(value) else { return .malformed }
      if let length, length != number { return .conflicting }
      length = number
    }
    return nil
  }

  /// The transfer codings of the response if there is one besides `chunked` and `identity`.
  var unknownCoding: String? {
    let codings = headers.filter { $0.isNamed("transfer-encoding") }.map(\.value)
      .joined(separator: ", ")
    let isKnown = codings.lowercased().split(separator: ",").allSatisfy {
      ["", "chunked", "identity"].contains($0.filter { $0 != " " && $0 != "\t" })
    }
    return isKnown ? nil : codings
  }

  /// Takes the next line, without its line break.
  private static func line(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
    let line = rest[..<end]
    rest = rest[min(end + 1, rest.endIndex)...]
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// Returns the text without surrounding spaces. Bytes that are not UTF-8 are read as Latin-1, so
  /// that none is lost.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let trimmed = trimmed(bytes)
    if let text = String(validating: trimmed, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var trimmed = bytes.drop(while: isSpace)
    while let last = trimmed.last, isSpace(last) { trimmed.removeLast() }
    return trimmed
  }
}
