extension StyledText {
  /// Returns a message whose lines are broken between words to fit a terminal. What a broken line
  /// goes on with is indented by two columns. A text in single quotes, such as a command, is one
  /// word, up to four times the width.
  ///
  /// Lines that begin with a blank stay as they are: their columns have a meaning. So do words that
  /// are longer than the width: the terminal breaks them, and what is copied from there is whole.
  ///
  /// - Complexity: Linear in the text.
  package func wrapped(to width: Int) -> StyledText {
    var breaks: [Int] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.count > width {
      if line.first != UInt8(ascii: " ") { breaks += Self.breaks(in: line, width) }
    }
    guard !breaks.isEmpty else { return self }
    let hanging = Array("\n  ".utf8)
    var result = StyledText()
    var start = 0
    for end in breaks {
      result.append(part(start..<end) + StyledText(bytes: hanging))
      start = end + 1
    }
    result.append(part(start..<bytes.count))
    return result
  }

  /// The lines without their line feeds and styles, which `part(_:)` returns.
  package var lines: some Sequence<ArraySlice<UInt8>> {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast(bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? 1 : 0)
  }

  /// Returns the offsets of the blanks that become line feeds.
  private static func breaks(in line: ArraySlice<UInt8>, _ width: Int) -> [Int] {
    var breaks: [Int] = []
    var column = 0
    for word in words(of: line, width) {
      let size = DisplayWidth.of(String(decoding: word, as: UTF8.self))
      if word.startIndex > line.startIndex {
        if column + 1 + size > width, column > 2 {
          breaks.append(word.startIndex - 1)
          column = 2
        } else {
          column += 1
        }
      }
      column += size
    }
    return breaks
  }

  /// Returns the parts between which a line may be broken.
  private static func words(of line: ArraySlice<UInt8>, _ width: Int) -> [ArraySlice<UInt8>] {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    var result: [ArraySlice<UInt8>] = []
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      guard word.first(where: { $0 != UInt8(ascii: "(") }) == UInt8(ascii: "'") else {
        result.append(word)
        continue
      }
      var end = index - 1
      // Bounded, so that the time does not grow with the square of the line.
      while end < words.count, !endsQuoted(words[end], isFirst: end < index),
        words[end].endIndex - word.startIndex <= 4 * width
      {
        end += 1
      }
      guard end < words.count, endsQuoted(words[end], isFirst: end < index) else {
        result.append(word)
        continue
      }
      result.append(line[word.startIndex..<words[end].endIndex])
      index = end + 1
    }
    return result
  }

  /// Returns whether a word ends a quoted text, perhaps before punctuation.
  ///
  /// - Parameter isFirst: Whether it begins the text as well.
  private static func endsQuoted(_ word: ArraySlice<UInt8>, isFirst: Bool) -> Bool {
    let end = word.lastIndex { !".,;:)?!".utf8.contains($0) }
    guard let end, word[end] == UInt8(ascii: "'") else { return false }
    return !isFirst || word[..<end].contains { $0 != UInt8(ascii: "(") }
  }

  /// Returns a part with its styles.
  package func part(_ range: Range<Int>) -> StyledText {
    var result = StyledText(bytes: Array(bytes[range]))
    for span in spans where span.range.overlaps(range) {
      let shared = span.range.clamped(to: range)
      result.spans.append(
        Span(
          range: shared.lowerBound - range.lowerBound..<shared.upperBound - range.lowerBound,
          style: span.style))
    }
    return result
  }
}
