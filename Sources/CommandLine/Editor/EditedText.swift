/// A text and a cursor in it. Positions count characters as a reader sees them: an accent, an emoji
/// or a flag is part of one character.
package struct EditedText: Sendable, Equatable {
  /// The characters. Their concatenation has the same characters.
  package private(set) var characters: [Character]
  /// The position of the cursor, from 0 to the number of characters.
  package private(set) var cursor: Int

  /// Creates a text with the cursor at its end.
  package init(_ text: String = "") {
    characters = Array(Self.normalized(text))
    cursor = characters.count
  }

  /// Creates a text with the cursor at a position, which is limited to the text.
  package init(_ text: String, cursor: Int) {
    self.init(text)
    self.cursor = min(max(0, cursor), characters.count)
  }

  package var string: String { String(characters) }
  package var isEmpty: Bool { characters.isEmpty }
  package var isAtEnd: Bool { cursor == characters.count }
  package var beforeCursor: String { String(characters[..<cursor]) }

  /// Returns a text in which every line break is a line feed.
  private static func normalized(_ text: String) -> String {
    guard text.utf8.contains(0x0D) else { return text }
    var result = ""
    for character in text {
      result.append(character == "\r\n" || character == "\r" ? "\n" : character)
    }
    return result
  }

  // MARK: Editing

  /// Inserts a text before the cursor.
  package mutating func insert(_ text: String) {
    replace(cursor..<cursor, with: text)
  }

  /// Replaces characters. The cursor moves behind the new text.
  package mutating func replace(_ range: Range<Int>, with text: String) {
    let text = Self.normalized(text)
    let removesOnly = text.isEmpty
    let isSimple =
      text.utf8.allSatisfy { $0 < 0x80 }
      && (range.lowerBound == 0 || characters[range.lowerBound - 1].isASCII)
      && (range.upperBound == characters.count || characters[range.upperBound].isASCII)
    let inserted = Array(text)
    characters.replaceSubrange(range, with: inserted)
    cursor = range.lowerBound + inserted.count
    // Characters may join where they meet: a letter and an accent, the halves of a flag.
    if !isSimple, !(removesOnly && characters.count < 2) { rejoin() }
  }

  /// Finds the characters of the text again. The cursor stays behind the same scalar, or moves
  /// behind the character that contains it.
  private mutating func rejoin() {
    let before = characters[..<cursor].reduce(0) { $0 + $1.unicodeScalars.count }
    characters = Array(String(characters))
    var scalars = 0
    cursor = 0
    while scalars < before, cursor < characters.count {
      scalars += characters[cursor].unicodeScalars.count
      cursor += 1
    }
  }

  /// Removes characters, and returns their text. The cursor moves to the place.
  package mutating func remove(_ range: Range<Int>) -> String {
    let removed = String(characters[range])
    replace(range, with: "")
    return removed
  }

  /// Swaps the characters around the cursor, or the last two if it is at the end of its line.
  ///
  /// - Returns: Whether there are two.
  package mutating func transpose() -> Bool {
    let line = self.line
    let second = cursor == line.upperBound ? cursor - 1 : cursor
    guard second > line.lowerBound, second < line.upperBound else { return false }
    let pair = String([characters[second], characters[second - 1]])
    replace((second - 1)..<(second + 1), with: pair)
    return true
  }

  /// Swaps the word at or after the cursor and the word before it, or the last two if there is none
  /// after it. The cursor moves behind both.
  ///
  /// - Returns: Whether there are two.
  package mutating func transposeWords() -> Bool {
    var place = self
    place.cursor = place.wordEnd
    place.cursor = place.wordStart
    let secondStart = place.cursor
    let secondEnd = place.wordEnd
    place.cursor = place.wordStart
    let first = place.cursor..<place.wordEnd
    guard first.lowerBound < secondStart, first.upperBound <= secondStart else { return false }
    let swapped =
      characters[secondStart..<secondEnd] + characters[first.upperBound..<secondStart]
      + characters[first]
    replace(first.lowerBound..<secondEnd, with: String(swapped))
    return true
  }

  // MARK: Moving

  /// Moves the cursor to a place of a character behind it.
  ///
  /// - Parameter count: The number of the place, from 1.
  /// - Returns: Whether there is such a place.
  package mutating func move(to character: Character, count: Int) -> Bool {
    let places = characters.indices.dropFirst(cursor + 1).filter { characters[$0] == character }
    guard let place = places.dropFirst(max(0, count - 1)).first else { return false }
    cursor = place
    return true
  }

  package mutating func move(to position: Int) {
    cursor = min(max(0, position), characters.count)
  }

  /// The range of the line that the cursor is in, without its newline.
  package var line: Range<Int> {
    var start = cursor
    while start > 0, characters[start - 1] != "\n" { start -= 1 }
    var end = cursor
    while end < characters.count, characters[end] != "\n" { end += 1 }
    return start..<end
  }

  /// Moves the cursor to the previous or next line, to the same column if the line has it.
  ///
  /// - Returns: `false` if there is no such line.
  package mutating func moveLine(by step: Int) -> Bool {
    let line = self.line
    let column = cursor - line.lowerBound
    var target = self
    if step < 0 {
      guard line.lowerBound > 0 else { return false }
      target.cursor = line.lowerBound - 1
    } else {
      guard line.upperBound < characters.count else { return false }
      target.cursor = line.upperBound + 1
    }
    let other = target.line
    cursor = min(other.lowerBound + column, other.upperBound)
    return true
  }

  /// The end of the word at or after the cursor. A word has letters and digits.
  package var wordEnd: Int {
    var position = cursor
    while position < characters.count, !Self.isWord(characters[position]) { position += 1 }
    while position < characters.count, Self.isWord(characters[position]) { position += 1 }
    return position
  }

  /// The start of the word before the cursor.
  package var wordStart: Int {
    var position = cursor
    while position > 0, !Self.isWord(characters[position - 1]) { position -= 1 }
    while position > 0, Self.isWord(characters[position - 1]) { position -= 1 }
    return position
  }

  /// The start of the text without blanks before the cursor.
  package var blankWordStart: Int {
    var position = cursor
    while position > 0, characters[position - 1].isWhitespace { position -= 1 }
    while position > 0, !characters[position - 1].isWhitespace { position -= 1 }
    return position
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}

extension EditedText: Codable {
  private enum CodingKeys: CodingKey { case text, cursor }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .text),
      cursor: try container.decode(Int.self, forKey: .cursor))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(string, forKey: .text)
    try container.encode(cursor, forKey: .cursor)
  }
}
