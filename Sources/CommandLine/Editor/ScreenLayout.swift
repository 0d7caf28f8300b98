/// The rows of the terminal that a view takes, and the place of the cursor in them.
struct ScreenLayout: Sendable, Equatable {
  /// A character as it is shown.
  struct Glyph: Sendable, Equatable {
    var text: String
    /// The number of columns, at least 1.
    var width: Int
    var style: StyledText.Style?
  }

  struct Row: Sendable, Equatable {
    var glyphs: [Glyph] = []
    var width = 0
    /// Whether the row is full and the terminal itself continues it on the next one, so that a
    /// selection with the mouse has no line break.
    var isWrapped = false
  }

  struct Position: Sendable, Equatable {
    var row: Int
    /// From 0. It is the number of columns only directly after the last column was written.
    var column: Int
  }

  private(set) var rows = [Row()]
  private(set) var cursor = Position(row: 0, column: 0)
  private let columns: Int

  /// - Parameters:
  ///   - columns: The width of the terminal, at least 2.
  ///   - height: The height of the terminal. The list of candidates is limited to it.
  init(_ view: EditorView, columns: Int, height: Int) {
    self.columns = max(2, columns)
    add(view.prompt.first, .prompt)
    let characters = view.text.characters
    for index in characters.indices {
      if index == view.text.cursor { markCursor() }
      if characters[index] == "\n" {
        rows.append(Row())
        add(view.prompt.continuation, .prompt)
      } else {
        add(characters[index])
      }
    }
    if view.text.isAtEnd { markCursor() }
    addHint(view)
    addMenu(view.menu, height: height)
  }

  private mutating func markCursor() {
    if rows[rows.count - 1].width == columns { wrap(isFull: true) }
    cursor = Position(row: rows.count - 1, column: rows[rows.count - 1].width)
  }

  private mutating func wrap(isFull: Bool) {
    rows[rows.count - 1].isWrapped = isFull
    rows.append(Row())
  }

  // MARK: Characters

  private mutating func add(_ text: String, _ style: StyledText.Style? = nil) {
    for character in text { add(character, style) }
  }

  private mutating func add(_ character: Character, _ style: StyledText.Style? = nil) {
    if let ascii = character.asciiValue, (0x20..<0x7F).contains(ascii) {
      return add(Glyph(text: String(character), width: 1, style: style))
    }
    if character == "\t" {
      let column = rows[rows.count - 1].width % columns
      for _ in 0..<min(8 - column % 8, columns - column) {
        add(Glyph(text: " ", width: 1, style: style))
      }
      return
    }
    let text = escapeControls(String(character))
    let width = DisplayWidth.of(character)
    if text == String(character), width > 0, width <= columns {
      return add(Glyph(text: text, width: width, style: style))
    }
    // A control character, an accent without a letter, or marks that are wider than the terminal.
    let shown =
      text == String(character)
      ? character.unicodeScalars.map { "\\u{\(String($0.value, radix: 16))}" }.joined() : text
    for sign in shown { add(Glyph(text: String(sign), width: 1, style: style)) }
  }

  private mutating func add(_ glyph: Glyph) {
    let width = rows[rows.count - 1].width
    if width + glyph.width > columns { wrap(isFull: width == columns) }
    rows[rows.count - 1].glyphs.append(glyph)
    rows[rows.count - 1].width += glyph.width
  }

  // MARK: Around the line

  /// Adds the hint as far as it fits into the row of the cursor.
  private mutating func addHint(_ view: EditorView) {
    guard !view.hint.isEmpty, cursor.row == rows.count - 1 else { return }
    let line = view.hint.prefix { $0 != "\n" }
    let isCut = line.count < view.hint.count
    let text = escapeControls(String(line))
    let ellipsis = view.isASCII ? "..." : "\u{2026}"
    var room = columns - cursor.column
    if isCut || DisplayWidth.of(text) > room { room -= DisplayWidth.of(ellipsis) }
    guard room > 0 else { return }
    let shown = DisplayWidth.prefix(text, fitting: room)
    add(String(shown.text), .faint)
    if isCut || shown.text.count < text.count { add(ellipsis, .faint) }
  }

  /// Adds the candidates in columns, filled from top to bottom.
  private mutating func addMenu(_ labels: [String], height: Int) {
    guard !labels.isEmpty else { return }
    let labels = labels.map { escapeControls($0) }
    let widest = labels.map { DisplayWidth.of($0) }.max() ?? 0
    let width = min(columns, widest + 2)
    let perRow = max(1, (columns + 2) / max(1, width))
    let needed = (labels.count + perRow - 1) / perRow
    let room = max(1, height - rows.count - 1)
    let count = min(needed, room)
    let isCut = needed > room
    for index in 0..<count {
      rows.append(Row())
      if isCut, index == count - 1 {
        let texts = ["(\(labels.count) candidates; type more)", "(\(labels.count); type more)"]
        add(texts.first { $0.count <= columns } ?? String("(\(labels.count))".prefix(columns)))
        return
      }
      for place in stride(from: index, to: labels.count, by: needed) {
        let label = DisplayWidth.prefix(labels[place], fitting: columns)
        add(String(label.text))
        guard place + needed < labels.count else { break }
        for _ in label.width..<max(label.width, width) { add(" ") }
      }
    }
  }
}
