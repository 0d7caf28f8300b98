/// A table fitted to a width: columns shrink first, then go by priority.
struct TableLayout {
  /// Between two columns.
  private static let gap = 2
  /// A column is not made narrower than this, so that something of its cells stays readable.
  private static let narrowest = 6

  private let columns: [Presentation.Column]
  private let cells: [[String]]
  private let natural: [Int]
  private let width: Int?
  private let ascii: Bool

  init(columns: [Presentation.Column], rows: [[String]], width: Int?, ascii: Bool) {
    self.columns = columns
    self.width = width
    self.ascii = ascii
    // Short rows are filled up: a missing cell is empty, it must not shift the others.
    cells = rows.map { row in
      columns.indices.map { $0 < row.count ? escapeControls(row[$0]) : "" }
    }
    var natural = columns.map { DisplayWidth.of($0.name) }
    for row in cells {
      for (index, cell) in row.enumerated() {
        natural[index] = max(natural[index], DisplayWidth.of(cell))
      }
    }
    self.natural = natural
  }

  /// Header, rule and rows; `nil` if less than two of several columns would fit, and records read
  /// better.
  func text(color: Bool) -> String? {
    guard !columns.isEmpty else { return "" }
    guard let (shown, widths) = fit() else { return nil }
    let rule = ascii ? "-" : "\u{2500}"
    var text = ""
    let header = line(columns.map { escapeControls($0.name) }, shown, widths)
    text += (color ? "\u{1B}[1m\(header)\u{1B}[0m" : header) + "\n"
    text +=
      widths.map { String(repeating: rule, count: $0) }
      .joined(separator: String(repeating: " ", count: Self.gap)) + "\n"
    for row in cells { text += line(row, shown, widths) + "\n" }
    return text
  }

  /// Further rows below those that decided the widths; wider cells are cut where there is a limit,
  /// and else move what is behind them. `nil` where `text(color:)` is.
  func continued(_ rows: [[String]]) -> String? {
    guard let (shown, widths) = fit() else { return nil }
    let further = TableLayout(columns: columns, rows: rows, width: width, ascii: ascii)
    return further.cells.map { row in
      further.line(row, shown, widths, isCut: width != nil) + "\n"
    }.joined()
  }

  private func fit() -> (shown: [Int], widths: [Int])? {
    var shown = Array(columns.indices)
    guard let width else { return (shown, natural) }
    while true {
      if let widths = shrink(shown, to: width) { return (shown, widths) }
      guard shown.count > 2, let last = shown.indices.min(by: isDroppedBefore(shown)) else {
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

  /// All columns get their width up to a common limit, the largest that fits; none goes below
  /// `narrowest`.
  private func shrink(_ shown: [Int], to width: Int) -> [Int]? {
    let wanted = shown.map { natural[$0] }
    let available = width - Self.gap * (shown.count - 1)
    let least = shown.count == 1 ? 1 : Self.narrowest
    func total(_ limit: Int) -> Int { wanted.reduce(0) { $0 + min($1, limit) } }
    guard total(least) <= available else { return nil }
    var low = least
    var high = max(least, wanted.max() ?? least)
    while low < high {
      let middle = (low + high + 1) / 2
      if total(middle) <= available { low = middle } else { high = middle - 1 }
    }
    var spare = available - total(low)
    return wanted.map { natural in
      guard natural > low, spare > 0 else { return min(natural, low) }
      spare -= 1
      return low + 1
    }
  }

  private func line(
    _ row: [String], _ shown: [Int], _ widths: [Int], isCut: Bool = true
  ) -> String {
    var text = ""
    for (position, index) in shown.enumerated() {
      if position > 0 { text += String(repeating: " ", count: Self.gap) }
      let cell = isCut ? Self.truncated(row[index], to: widths[position], ascii: ascii) : row[index]
      let padding = String(repeating: " ", count: max(0, widths[position] - DisplayWidth.of(cell)))
      if columns[index].alignment == .right {
        text += padding + cell
      } else {
        text += position == shown.count - 1 ? cell : cell + padding
      }
    }
    while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
    return text
  }

  /// The text itself, or its start with an ellipsis, in at most `width` columns.
  static func truncated(_ text: String, to width: Int, ascii: Bool) -> String {
    guard DisplayWidth.of(text) > width else { return text }
    let ellipsis = ascii ? "..." : "\u{2026}"
    let available = width - DisplayWidth.of(ellipsis)
    guard available > 0 else { return String(repeating: ".", count: max(0, width)) }
    return DisplayWidth.prefix(text, fitting: available).text + ellipsis
  }
}
