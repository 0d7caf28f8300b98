/// Escapes characters that could control a terminal or reorder a line: C0 and C1 controls, DEL,
/// line separators and the bidi controls become `\u{1b}` and the like.
///
/// Use it for all text from a server, a file or a log. Newlines, carriage returns and tabs become
/// `\n`, `\r` and `\t` unless they are kept. With `keepsNewlines`, CR LF becomes a line feed.
///
/// - Complexity: linear. Text without controls is returned unchanged.
public func escapeControls(
  _ text: String, keepsNewlines: Bool = false, keepsTabs: Bool = false
) -> String {
  if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  // This appends bytes, because appending to a view of scalars copies all of it each time.
  var result: [UInt8] = []
  result.reserveCapacity(text.utf8.count)
  var hadReturn = false
  for scalar in text.unicodeScalars {
    if keepsNewlines, hadReturn, scalar != "\n" { result.append(contentsOf: "\\r".utf8) }
    hadReturn = scalar == "\r"
    switch scalar {
    case "\n" where keepsNewlines, "\t" where keepsTabs:
      result.append(contentsOf: UTF8.encode(scalar) ?? .init())
    case "\r" where keepsNewlines: break
    case "\n": result.append(contentsOf: "\\n".utf8)
    case "\r": result.append(contentsOf: "\\r".utf8)
    case "\t": result.append(contentsOf: "\\t".utf8)
    case _ where isControl(scalar):
      result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
    default: result.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }
  }
  if keepsNewlines, hadReturn { result.append(contentsOf: "\\r".utf8) }
  return String(decoding: result, as: UTF8.self)
}

/// Escapes the character that stands for bytes that are not UTF-8. It is this program's own and not
/// what was typed, so ASCII output must not contain it.
///
/// - Parameter isJSON: Whether the text is JSON, which then has the same value.
/// - Complexity: linear. Text without the character is returned unchanged.
package func escapeReplacements(_ text: String, isJSON: Bool = false) -> String {
  // These are bytes, because a text may be a body of some MiB, and because the character may be a
  // part of a larger one, with a mark behind it.
  guard text.utf8.contains(0xEF) else { return text }
  let escape = Array((isJSON ? "\\ufffd" : "\\u{fffd}").utf8)
  var text = text
  let result = text.withUTF8 { bytes -> [UInt8]? in
    var result: [UInt8] = []
    var copied = 0
    var index = 0
    while index + 2 < bytes.count {
      guard bytes[index] == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] == 0xBD else {
        index += 1
        continue
      }
      result += bytes[copied..<index]
      result += escape
      index += 3
      copied = index
    }
    guard copied > 0 else { return nil }
    result += bytes[copied...]
    return result
  }
  return result.map { String(decoding: $0, as: UTF8.self) } ?? text
}

/// Escapes what `escapeControls` does, blanks and marks that look like a space or like nothing, and
/// the character that stands for bytes that are not UTF-8. For messages about lines, in which they
/// are often pasted by mistake. Linear.
package func escapeInvisible(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return escapeControls(text) }
  var result: [UInt8] = []
  result.reserveCapacity(text.utf8.count)
  var previous: Unicode.Scalar = " "
  for scalar in text.unicodeScalars {
    let isInvisible =
      switch scalar.value {
      case 0xA0, 0x200B, 0x2060, 0x3000, 0xFEFF, 0xFFFD: true
      // They join emoji and the letters of some scripts.
      case 0x200C, 0x200D: previous.isASCII
      default: false
      }
    if isInvisible {
      result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
    } else {
      result.append(scalar: scalar)
    }
    previous = scalar
  }
  return escapeControls(String(decoding: result, as: UTF8.self))
}

/// Escapes the characters that would end a cell or a line of plain text, and no others.
func escapeBreaks(_ text: String) -> String {
  guard text.utf8.contains(where: { [0x09, 0x0A, 0x0D].contains($0) }) else { return text }
  return text.replacing("\r\n", with: "\\r\\n").replacing("\n", with: "\\n")
    .replacing("\r", with: "\\r").replacing("\t", with: "\\t")
}

/// Returns whether a terminal may interpret the character instead of displaying it.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x20...0x7E: false
  case 0...0x1F, 0x7F...0x9F: true
  case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
