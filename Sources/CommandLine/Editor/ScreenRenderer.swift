/// Turns layouts into the bytes that change the screen from one to the next.
///
/// All movement is relative to the first row of the layout, so the terminal may scroll. The rows of
/// a layout that is higher than the terminal are shown around the cursor.
struct ScreenRenderer: Sendable {
  private typealias Row = ScreenLayout.Row
  private typealias Position = ScreenLayout.Position

  private(set) var columns: Int
  private(set) var height: Int
  /// Whether the prompt and hints have styles.
  private let usesColor: Bool
  /// The rows on the screen, or none if nothing is shown.
  private var rows: [Row] = []
  private var cursor = Position(row: 0, column: 0)
  /// The first shown row of a layout that is higher than the terminal.
  private var top = 0
  private var output = ""

  init(columns: Int, height: Int, usesColor: Bool) {
    self.columns = max(2, columns)
    self.height = max(1, height)
    self.usesColor = usesColor
  }

  var isShown: Bool { !rows.isEmpty }

  /// Shows a layout in place of the last one, or at the cursor, which is at the start of a row.
  mutating func draw(_ view: EditorView) -> String {
    var layout = ScreenLayout(view, columns: columns, height: height)
    if layout.rows.count > height, !view.menu.isEmpty {
      var view = view
      view.menu = []
      layout = ScreenLayout(view, columns: columns, height: height)
    }
    top = min(top, max(0, layout.rows.count - height))
    if layout.cursor.row < top { top = layout.cursor.row }
    if layout.cursor.row >= top + height { top = layout.cursor.row - height + 1 }
    let next = Array(layout.rows[top..<min(layout.rows.count, top + height)])
    for index in next.indices { replaceRow(index, with: next[index]) }
    if next.count < rows.count {
      move(to: Position(row: next.count, column: 0))
      output += "\u{1B}[J"
    }
    rows = next
    move(to: Position(row: layout.cursor.row - top, column: layout.cursor.column))
    return takeOutput()
  }

  /// Shows the whole of a view that is finished, and moves to the row below it.
  mutating func finish(_ view: EditorView) -> String {
    var view = view
    (view.hint, view.menu) = ("", [])
    let layout = ScreenLayout(view, columns: columns, height: height)
    if layout.rows.count > height {
      // The rows above and below the shown ones have to be on the screen too.
      output = clear()
      for (index, row) in layout.rows.enumerated() {
        write(row.glyphs)
        if !row.isWrapped || index == layout.rows.count - 1 { output += "\r\n" }
      }
      forget()
      return takeOutput()
    }
    output = draw(view)
    moveVertically(to: rows.count - 1)
    let isEmptyRow =
      rows.count > 1 && rows[rows.count - 1].glyphs.isEmpty
      && rows[rows.count - 2].isWrapped
    if !isEmptyRow { output += "\r\n" }
    forget()
    return takeOutput()
  }

  /// Removes the layout from the screen. The cursor is where its first row began.
  mutating func clear() -> String {
    guard isShown else { return "" }
    move(to: Position(row: 0, column: 0))
    output += Self.eraseBelow
    forget()
    return takeOutput()
  }

  /// Forgets what is on the screen. The next layout begins at the cursor.
  mutating func forget() {
    rows = []
    cursor = Position(row: 0, column: 0)
    top = 0
  }

  /// Removes the layout after the terminal has changed its size, and with it how its rows wrap.
  mutating func resize(columns: Int, height: Int) -> String {
    let columns = max(2, columns)
    let above = min(rowsAboveCursor(at: columns), max(1, height) - 1)
    (self.columns, self.height) = (columns, max(1, height))
    guard isShown else { return "" }
    forget()
    return (above > 0 ? "\u{1B}[\(above)A" : "") + Self.eraseBelow
  }

  /// Erases the row of the cursor and those below. The row is erased by itself, because tmux adds a
  /// screen that is erased from its first column on to the scrollback.
  static let eraseBelow = "\r\u{1B}[K\u{1B}[2G\u{1B}[J\r"

  /// Returns how many rows are above the cursor once the terminal has wrapped the rows again.
  private func rowsAboveCursor(at columns: Int) -> Int {
    var above = 0
    var width = 0
    for (index, row) in rows.enumerated() {
      if index == cursor.row { return above + (width + cursor.column) / columns }
      width += row.width
      if !row.isWrapped {
        above += max(1, (width + columns - 1) / columns)
        width = 0
      }
    }
    return above
  }

  // MARK: Writing

  /// Changes the part of a row that differs.
  private mutating func replaceRow(_ index: Int, with row: Row) {
    let old = index < rows.count ? rows[index] : Row()
    let isNew = index >= rows.count
    let same = zip(old.glyphs, row.glyphs).prefix { $0 == $1 }
    guard isNew || old.glyphs != row.glyphs else { return }
    let column = same.reduce(0) { $0 + $1.0.width }
    move(
      to: Position(row: index, column: column), isNew: isNew, writes: same.count < row.glyphs.count)
    write(row.glyphs[same.count...])
    cursor.column = row.width
    if old.width > row.width { output += "\u{1B}[K" }
    if isNew { rows.append(row) } else { rows[index] = row }
  }

  private mutating func write(_ glyphs: some Sequence<ScreenLayout.Glyph>) {
    var style: StyledText.Style?
    for glyph in glyphs {
      if usesColor, style != glyph.style {
        if style != nil { output += Palette.reset }
        if let next = glyph.style { output += Palette.escapeSequence(next) }
        style = glyph.style
      }
      output += glyph.text
    }
    if style != nil { output += Palette.reset }
  }

  /// Moves the cursor.
  ///
  /// - Parameters:
  ///   - isNew: Whether the row is the first one below those on the screen.
  ///   - writes: Whether a character is written there next.
  private mutating func move(to target: Position, isNew: Bool = false, writes: Bool = false) {
    defer { cursor = target }
    if isNew, target.row > 0 {
      if cursor.row == target.row - 1, cursor.column == columns, rows[cursor.row].width == columns {
        // The terminal wraps the row itself with the next character.
        if !writes { output += " \r" }
        return
      }
      moveVertically(to: target.row - 1)
      output += "\r\n"
      return
    }
    guard target != cursor else { return }
    let isPending = cursor.column >= columns
    moveVertically(to: target.row)
    guard isPending || target.column != cursor.column else { return }
    output += target.column == 0 ? "\r" : "\u{1B}[\(target.column + 1)G"
  }

  private mutating func moveVertically(to row: Int) {
    if row < cursor.row { output += "\u{1B}[\(cursor.row - row)A" }
    if row > cursor.row { output += "\u{1B}[\(row - cursor.row)B" }
  }

  private mutating func takeOutput() -> String {
    defer { output = "" }
    return output
  }
}
