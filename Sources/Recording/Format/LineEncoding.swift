import SwiftBoardJSON

// What this module asks of SwiftBoardJSON, in one place.

/// `text` as a JSON string with only the escapes that JSON demands.
func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
  bytes.append(UInt8(ascii: "\""))
  var text = text
  text.withUTF8 { utf8 in
    var plain = 0
    for index in utf8.indices {
      let byte = utf8[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      bytes.append(contentsOf: utf8[plain..<index])
      plain = index + 1
      bytes.append(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
      case 0x08: bytes.append(UInt8(ascii: "b"))
      case 0x09: bytes.append(UInt8(ascii: "t"))
      case 0x0A: bytes.append(UInt8(ascii: "n"))
      case 0x0C: bytes.append(UInt8(ascii: "f"))
      case 0x0D: bytes.append(UInt8(ascii: "r"))
      default:
        bytes.append(contentsOf: "u00".utf8)
        for digit in [byte >> 4, byte & 15] {
          bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
        }
      }
    }
    bytes.append(contentsOf: utf8[plain...])
  }
  bytes.append(UInt8(ascii: "\""))
}

/// UTC with six digits. A clock that is off by thousands of years gives the year 1970 rather than
/// no recording.
func timestamp(_ microseconds: Int64) -> String {
  Timestamp.text(microseconds: Int(microseconds)) ?? "1970-01-01T00:00:00.000000Z"
}

/// The canonical JSON of a value that was read.
func canonical(_ value: JSON) -> [UInt8] {
  CanonicalEncoder.encode(json: value)
}

/// Why a line whose body has so many bytes could not be read again; nil if it could.
@inline(__always)
func obstacle(toBody count: Int) -> String? {
  // A reader counts the line without its line feed.
  count > LogReader.Limits.formatLine - HashChain.tailLength
    ? "the line has more than 64 MiB" : nil
}

/// Why a line with this canonical value could not be read again; nil if it could.
func obstacle(to canonical: UnsafeBufferPointer<UInt8>) -> String? {
  // The line's own object is one level. The whole line, which also says what was typed, is measured
  // when it is written.
  if canonical.count > 63 << 20 { return "the value has more than 63 MiB" }
  // Shorter ones cannot be so deep; nearly all are.
  guard canonical.count > 2 * 511 else { return nil }
  var (depth, deepest, inText, escaped) = (0, 0, false, false)
  for byte in canonical {
    if inText {
      if escaped {
        escaped = false
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
      } else if byte == UInt8(ascii: "\"") {
        inText = false
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): inText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
  }
  return deepest > 511 ? "the value is nested more than 511 levels deep" : nil
}

/// The text of a value as it was read: members in their order, numbers with their digits.
func plain(_ value: JSON) -> [UInt8] {
  var bytes: [UInt8] = []
  value.write(to: &bytes)
  return bytes
}

/// Whether `digest` is that of `value`: as it was written, which is canonical where our own encoder
/// wrote it, or of its canonical form where another program chose other spellings.
func matches(_ digest: Digest, _ value: JSON) -> Bool {
  Digest(of: plain(value)) == digest || Digest(of: canonical(value)) == digest
}

/// One line that is safe on a terminal.
func compactText(_ value: JSON) -> String {
  value.description
}

func parseStrictly(_ line: ArraySlice<UInt8>) throws(JSONError) -> JSON {
  try JSON(parsing: line, limits: JSONLimits(duplicateKeys: .refuse, depth: 512))
}
