import SwiftBoardJSON
import SwiftBoardStore

// The uses of SwiftBoardJSON for writing lines, in one place.

/// Appends `text` as a JSON string with only the escapes that JSON requires.
func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
  bytes += canonical(.string(text))
}

/// Returns the canonical JSON of a parsed value.
func canonical(_ value: JSON) -> [UInt8] {
  CanonicalEncoder.encode(json: value)
}

/// Returns why a line with a body of `count` bytes could not be read again, or `nil` if it could.
@inline(__always)
func obstacle(toBody count: Int) -> String? {
  // A reader counts the line without its line feed.
  count > LogReader.Limits.formatLine - HashChain.tailLength
    ? "the line has more than 64 MiB" : nil
}

/// Returns why a line with these effects could not be read again, or `nil` if it could.
func obstacle(to effects: [EffectDescriptor]) -> String? {
  // The object of the line is a level, and each group with its list two.
  func isNested(_ effects: [EffectDescriptor], deeperThan levels: Int) -> Bool {
    effects.contains { effect in
      !effect.parts.isEmpty && (levels == 0 || isNested(effect.parts, deeperThan: levels - 1))
    }
  }
  return isNested(effects, deeperThan: 254) ? "the effects are nested more than 255 deep" : nil
}

/// Returns why a line with this canonical value could not be read again, or `nil` if it could.
func obstacle(to canonical: UnsafeBufferPointer<UInt8>) -> String? {
  // The object of the line is one level. The length of the whole line, including the user's input,
  // is checked when it is written.
  if canonical.count > 63 << 20 { return "the value has more than 63 MiB" }
  // Shorter values, nearly all, cannot be that deep.
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

/// Returns the text of a parsed value, with the order of members and the digits of numbers as they
/// were.
func plain(_ value: JSON) -> [UInt8] {
  var bytes: [UInt8] = []
  value.write(to: &bytes)
  return bytes
}

/// Returns whether `digest` is the digest of `value` as written, or of its canonical form. They
/// differ only if another program wrote the value.
func matches(_ digest: Digest, _ value: JSON) -> Bool {
  Digest(of: plain(value)) == digest || Digest(of: canonical(value)) == digest
}

func parseStrictly(_ line: ArraySlice<UInt8>) throws(JSONError) -> JSON {
  try JSON(parsing: line, limits: JSONLimits(duplicateKeys: .refuse, depth: 512))
}
