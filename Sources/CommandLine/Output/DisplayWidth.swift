/// The number of terminal columns that a text takes.
package enum DisplayWidth {
  /// Returns the width of a text. Controls count as 0, so escape them first. Linear.
  package static func of(_ text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Returns the columns of a character: 2 for East Asian wide characters, emoji and flags, 0 for
  /// accents alone. Like terminals, it counts the spacing marks and the further consonants of Indic
  /// and Southeast Asian scripts as columns of their own, so that a character may have more than 2.
  /// What is behind a zero-width joiner has no column, as in tmux.
  package static func of(_ character: Character) -> Int {
    var width = 0
    var isJoined = false
    for scalar in character.unicodeScalars {
      if scalar.value == 0xFE0F || isModifier(scalar) {
        // An emoji presentation or a skin tone.
        width = 2
      } else if !isJoined {
        // The halves of a flag have a column each.
        width += of(scalar)
      }
      isJoined = scalar.value == 0x200D
    }
    return width
  }

  /// Returns the number of rows of a terminal that a line takes, without its line feed.
  package static func rows(of line: ArraySlice<UInt8>, columns: Int) -> Int {
    // A character takes at most as many columns as it has bytes.
    guard line.count > columns else { return 1 }
    return max(1, (of(String(decoding: line, as: UTF8.self)) + columns - 1) / max(1, columns))
  }

  /// Returns the longest prefix of `text` that fits in `width` columns, and its width.
  package static func prefix<Text: StringProtocol>(
    _ text: Text, fitting width: Int
  ) -> (text: Text.SubSequence, width: Int) {
    var used = 0
    var end = text.startIndex
    while end < text.endIndex {
      let next = of(text[end])
      if used + next > width { break }
      used += next
      end = text.index(after: end)
    }
    return (text[..<end], used)
  }

  /// Returns the lines of a text that fit in `width` columns, broken between words, or within a
  /// word that is too long. A character wider than the width gets a line of its own.
  package static func lines(of text: String, fitting width: Int) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while true {
      var end = prefix(rest, fitting: width).text.endIndex
      guard end < rest.endIndex else { break }
      if end == rest.startIndex { end = rest.index(after: end) }
      if end < rest.endIndex, rest[end] != " ",
        let blank = rest[..<end].lastIndex(of: " "), blank > rest.startIndex,
        isWord(rest[rest.index(after: blank)...], atMost: width)
      {
        end = blank
      }
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
  }

  /// Whether a text begins with a word of at most `width` columns.
  private static func isWord(_ text: Substring, atMost width: Int) -> Bool {
    let end = prefix(text, fitting: width).text.endIndex
    return end == text.endIndex || text[..<text.index(after: end)].contains(" ")
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func isModifier(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F3FB...0x1F3FF).contains(scalar.value)
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 {
      return value < 0x20 || (0x7F...0x9F).contains(value) || value == 0xAD ? 0 : 1
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // Hangul vowels and finals join the preceding syllable.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value) { return 0 }
    return isWide(value) || (scalar.properties.isEmojiPresentation && !isRegional(scalar)) ? 2 : 1
  }

  /// The wide and fullwidth ranges of UAX #11, merged across unassigned code points.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1AFF0...0x1B2FF,
      0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
