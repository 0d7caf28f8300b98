/// A table fitted to a width. Columns shrink first, then are removed by priority. Beside a column
/// whose cells go on below, the others do not shrink. Identifiers do neither, and numbers do not
/// shrink: one that is cut looks like another.
struct TableLayout {
  /// The number of spaces between two columns.
  private static let gap = 2
  /// The minimum width of a column, so that its cells stay readable.
  private static let narrowest = 6
  /// The least width of a column whose cells go on below, and the usual one if rows may follow,
  /// which may be wider than those that are known.
  private static let folded = (least: 20, usual: 40)
  /// The width to which cells are padded at most where the width is unlimited. One long cell would
  /// otherwise multiply the size of the table by the number of its rows.
  private static let widestPadded = 200

  private let columns: [Presentation.Column]
  private let cells: [[String]]
  /// The widths of the columns before they are fitted.
  private let natural: [Int]
  private let width: Int?
  private let ascii: Bool
  private let hasLaterRows: Bool

  init(
    columns: [Presentation.Column], rows: [[String]], formatter: OutputFormatter
  ) {
    self.columns = columns
    width = formatter.width
    ascii = formatter.ascii
    hasLaterRows = formatter.hasLaterRows
    cells = rows.map { Self.cells($0, columns) }
    var natural = columns.map { DisplayWidth.of($0.name) }
    for row in cells {
      for (index, cell) in row.enumerated() {
        natural[index] = max(natural[index], DisplayWidth.of(cell))
      }
    }
    let isLimited = formatter.limitsPadding && formatter.width == nil
    self.natural = isLimited ? natural.map { min($0, Self.widestPadded) } : natural
  }

  /// Returns a row's cells. Short rows are padded with empty cells, so that a missing cell does not
  /// shift the others.
  private static func cells(_ row: [String], _ columns: [Presentation.Column]) -> [String] {
    columns.indices.map { $0 < row.count ? escapeControls(row[$0]) : "" }
  }

  /// Returns header, rule and rows, or `nil` if fewer than two of several columns fit, or what
  /// is never cut does not, so that records are easier to read.
  func text() -> StyledText? {
    guard !columns.isEmpty else { return StyledText() }
    guard let (shown, widths) = fit() else { return nil }
    let rule = ascii ? "-" : "\u{2500}"
    let header = line(columns.map { escapeControls($0.name) }, shown, widths)
    var text = StyledText(header, .header)
    text.append("\n")
    text.append(
      widths.map { String(repeating: rule, count: $0) }
        .joined(separator: String(repeating: " ", count: Self.gap)) + "\n")
    for row in cells { text.append(line(row, shown, widths) + "\n") }
    return text
  }

  /// The names of the columns that are left out although they have cells. Records have all columns.
  var hiddenColumns: [String] {
    guard let (shown, _) = fit() else { return [] }
    return columns.indices.filter { index in
      !shown.contains(index) && cells.contains { !$0[index].isEmpty }
    }.map { columns[$0].name }
  }

  /// Whether cells that are wider than their columns are truncated. Otherwise they shift the
  /// following cells.
  private var isCut: Bool { width != nil }

  /// Returns further rows with the same widths. Returns `nil` if `text()` does, and if a cell would
  /// be truncated that never is.
  func continued(_ rows: [[String]]) -> String? {
    guard let (shown, widths) = fit() else { return nil }
    let rows = rows.map { Self.cells($0, columns) }
    let areWhole = rows.allSatisfy { row in
      zip(shown, widths).allSatisfy { index, width in
        shrinks(index) || DisplayWidth.of(row[index]) <= width
      }
    }
    guard areWhole || !isCut else { return nil }
    return rows.map { line($0, shown, widths) + "\n" }.joined()
  }

  private func fit() -> (shown: [Int], widths: [Int])? {
    var shown = Array(columns.indices)
    guard let width else { return (shown, natural) }
    while true {
      if let widths = fold(shown, to: width) ?? shrink(shown, to: width) {
        return (shown, widths)
      }
      let removable = shown.indices.filter { index in
        !columns[shown[index]].isIdentifier && columns[shown[index]].leastWidth == 0
      }
      guard shown.count > 2, let last = removable.min(by: isDroppedBefore(shown)) else {
        return nil
      }
      shown.remove(at: last)
    }
  }

  private func isDroppedBefore(_ shown: [Int]) -> (Int, Int) -> Bool {
    { a, b in
      let (left, right) = (columns[shown[a]].priority, columns[shown[b]].priority)
      return left == right ? a > b : left < right
    }
  }

  /// Gives a column whose cells go on below what the others leave, if it has enough then; `nil`
  /// otherwise, and without such a column.
  private func fold(_ shown: [Int], to width: Int) -> [Int]? {
    guard let folded = shown.firstIndex(where: { columns[$0].isFolded }) else { return nil }
    var widths = shown.map { natural[$0] }
    let others = widths.reduce(-widths[folded], +) + Self.gap * (shown.count - 1)
    let widest = widths[folded]
    let wanted = hasLaterRows ? max(widest, Self.folded.usual) : widest
    widths[folded] = min(width - others, wanted)
    return widths[folded] >= min(Self.folded.least, wanted) ? widths : nil
  }

  /// Whether columns are removed before any of them shrinks.
  private func foldsAfterRemoval(_ shown: [Int]) -> Bool {
    shown.count > 2 && shown.contains { columns[$0].isFolded }
  }

  private func shrinks(_ index: Int) -> Bool {
    !columns[index].isIdentifier && columns[index].alignment == .left
  }

  /// Limits all columns that shrink to the largest common width that fits, but at least
  /// `narrowest`.
  private func shrink(_ shown: [Int], to width: Int) -> [Int]? {
    guard !foldsAfterRemoval(shown) else { return nil }
    let available = width - Self.gap * (shown.count - 1)
    let least = shown.count == 1 ? 1 : Self.narrowest
    func limited(_ index: Int, _ limit: Int) -> Int {
      shrinks(index)
        ? min(natural[index], max(limit, columns[index].leastWidth)) : natural[index]
    }
    func total(_ limit: Int) -> Int { shown.reduce(0) { $0 + limited($1, limit) } }
    guard total(least) <= available else { return nil }
    var low = least
    var high = max(least, shown.map { natural[$0] }.max() ?? least)
    while low < high {
      let middle = (low + high + 1) / 2
      if total(middle) <= available { low = middle } else { high = middle - 1 }
    }
    var spare = available - total(low)
    return shown.map { index in
      let width = limited(index, low)
      guard width < natural[index], spare > 0 else { return width }
      spare -= 1
      return width + 1
    }
  }

  /// Returns a row, which is several lines where a cell goes on below.
  private func line(_ row: [String], _ shown: [Int], _ widths: [Int]) -> String {
    guard isCut,
      let position = shown.firstIndex(where: { columns[$0].isFolded }),
      DisplayWidth.of(row[shown[position]]) > widths[position]
    else { return singleLine(row, shown, widths) }
    var rest = row
    let parts = DisplayWidth.lines(of: row[shown[position]], fitting: widths[position])
    return parts.map { part in
      rest[shown[position]] = part
      defer { rest = row.map { _ in "" } }
      return singleLine(rest, shown, widths)
    }
    .joined(separator: "\n")
  }

  private func singleLine(_ row: [String], _ shown: [Int], _ widths: [Int]) -> String {
    var text = ""
    for (position, index) in shown.enumerated() {
      if position > 0 { text += String(repeating: " ", count: Self.gap) }
      let cell = isCut ? Self.truncated(row[index], to: widths[position], ascii: ascii) : row[index]
      let isRight = columns[index].alignment == .right
      guard isRight || position < shown.count - 1 else {
        text += cell
        continue
      }
      let padding = String(repeating: " ", count: max(0, widths[position] - DisplayWidth.of(cell)))
      text += isRight ? padding + cell : cell + padding
    }
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }
    return end.map { String(text[...$0]) } ?? ""
  }

  /// Returns the text, truncated with an ellipsis to at most `width` columns.
  static func truncated(_ text: String, to width: Int, ascii: Bool) -> String {
    guard DisplayWidth.of(text) > width else { return text }
    let ellipsis = ascii ? "..." : "\u{2026}"
    let available = width - DisplayWidth.of(ellipsis)
    guard available > 0 else { return String(repeating: ".", count: max(0, width)) }
    return DisplayWidth.prefix(text, fitting: available).text + ellipsis
  }
}
