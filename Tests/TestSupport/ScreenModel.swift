/// A small terminal: the screen that output leaves behind.
///
/// It knows what line editors and the programs around them use. Other control sequences are in
/// `unknown`, so that a test fails instead of showing something else.
public struct ScreenModel: Sendable {
  private struct Cell: Sendable, Equatable {
    /// The character, or nothing behind a wide one.
    var text = " "
  }

  public private(set) var columns: Int
  public let rows: Int
  private var cells: [[Cell]]
  private var row = 0
  /// The column, or `columns` once the last one was written and the next character wraps.
  private var column = 0
  /// The rows that have scrolled off the top.
  public private(set) var scrollback: [String] = []
  /// Whether pasted text is marked.
  public private(set) var marksPaste = false
  public private(set) var bells = 0
  public private(set) var unknown: [String] = []
  private var sequence: [UInt8]?
  private var partial: [UInt8] = []

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The rows as text, without blanks at their ends.
  public var screen: [String] { cells.map(Self.text) }

  /// The rows down to the last one with text.
  public var text: String {
    var shown = screen
    while shown.last?.isEmpty == true { shown.removeLast() }
    return shown.joined(separator: "\n")
  }

  /// The row and the column of the cursor, from 0.
  public var cursor: (row: Int, column: Int) { (row, min(column, columns - 1)) }

  private static func text(_ cells: [Cell]) -> String {
    var text = cells.map(\.text).joined()
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  // MARK: Output

  public mutating func show(_ text: String) { show(Array(text.utf8)) }

  public mutating func show(_ bytes: [UInt8]) {
    for byte in bytes { show(byte) }
    // The rest of a character may follow.
    if let text = String(validating: partial, as: UTF8.self) { flush(text) }
  }

  private mutating func show(_ byte: UInt8) {
    // A sequence that was cut ends with the next one, and control characters act within one.
    if let started = sequence, byte >= 0x20 {
      let isEnd = started.count > 1 ? (0x40...0x7E).contains(byte) : byte != UInt8(ascii: "[")
      sequence = isEnd ? nil : started + [byte]
      if isEnd { perform(started + [byte]) }
      return
    }
    if byte >= 0x20 { return partial.append(byte) }
    // A character that was cut is replaced.
    flush(String(decoding: partial, as: UTF8.self))
    switch byte {
    case 0x07: bells += 1
    case 0x08: column = max(0, min(column, columns - 1) - 1)
    case 0x0A: lineFeed()
    case 0x0D: column = 0
    case 0x1B: sequence = [byte]
    default: unknown.append("\\x\(byte)")
    }
  }

  private mutating func flush(_ text: String) {
    partial = []
    for scalar in text.unicodeScalars { show(scalar) }
  }

  private mutating func show(_ scalar: Unicode.Scalar) {
    let width = Self.width(of: scalar)
    if let (place, joined) = previous(joining: scalar, width) {
      cells[row][place].text = joined
      return
    }
    guard width > 0 else { return }
    if column + width > columns {
      column = 0
      lineFeed()
    }
    erase(row, column..<(column + width))
    cells[row][column].text = String(scalar)
    if width == 2 { cells[row][column + 1].text = "" }
    column += width
  }

  /// Returns the place of the cell before the cursor, if the scalar is a part of it, and its text
  /// then. A scalar with a width has a cell of its own, unless it is a part of an emoji or behind a
  /// joiner, also where readers see one character.
  private func previous(joining scalar: Unicode.Scalar, _ width: Int) -> (Int, String)? {
    guard column > 0 else { return nil }
    var place = column - 1
    if cells[row][place].text.isEmpty, place > 0 { place -= 1 }
    let text = cells[row][place].text
    let isJoined = text.unicodeScalars.last?.value == 0x200D || scalar.properties.isEmoji
    guard width == 0 || isJoined, (text + String(scalar)).count == 1 else { return nil }
    return (place, text + String(scalar))
  }

  /// Blanks cells, and the other half of a wide character that is cut.
  private mutating func erase(_ row: Int, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if cells[row][range.lowerBound].text.isEmpty, range.lowerBound > 0 {
      cells[row][range.lowerBound - 1] = Cell()
    }
    if range.upperBound < columns, cells[row][range.upperBound].text.isEmpty {
      cells[row][range.upperBound] = Cell()
    }
    for place in range { cells[row][place] = Cell() }
  }

  private mutating func lineFeed() {
    guard row == rows - 1 else {
      row += 1
      return
    }
    scrollback.append(Self.text(cells.removeFirst()))
    cells.append(Array(repeating: Cell(), count: columns))
  }

  private mutating func perform(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.dropFirst(2).dropLast(), as: UTF8.self)
    let numbers = text.split(separator: ";").map { Int($0) ?? 0 }
    let first = max(1, numbers.first ?? 1)
    guard bytes[1] == UInt8(ascii: "[") else { return unknown.append("\(bytes)") }
    switch bytes[bytes.count - 1] {
    case UInt8(ascii: "A"): move(row - first, min(column, columns - 1))
    case UInt8(ascii: "B"): move(row + first, min(column, columns - 1))
    case UInt8(ascii: "C"): move(row, min(column, columns - 1) + first)
    case UInt8(ascii: "D"): move(row, min(column, columns - 1) - first)
    case UInt8(ascii: "G"): move(row, first - 1)
    case UInt8(ascii: "H"): move(first - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
    case UInt8(ascii: "J"):
      if numbers.first == 2 {
        for row in 0..<rows { erase(row, 0..<columns) }
      } else {
        erase(row, min(column, columns)..<columns)
        for row in (row + 1)..<max(rows, row + 1) { erase(row, 0..<columns) }
      }
    case UInt8(ascii: "K"): erase(row, min(column, columns)..<columns)
    case UInt8(ascii: "m"): break
    case UInt8(ascii: "h") where text == "?2004": marksPaste = true
    case UInt8(ascii: "l") where text == "?2004": marksPaste = false
    default: unknown.append(String(decoding: bytes.dropFirst(), as: UTF8.self))
    }
  }

  private mutating func move(_ row: Int, _ column: Int) {
    self.row = min(max(0, row), rows - 1)
    self.column = min(max(0, column), columns - 1)
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    let properties = scalar.properties
    if [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory) { return 0 }
    switch scalar.value {
    // Hangul vowels and finals are in the cells of their syllable.
    case 0x1160...0x11FF, 0xD7B0...0xD7FB: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
