import SwiftBoardSystem

/// An SVG image of a terminal window.
///
/// Each run of characters has its place and its width in the image, so that columns line up in any
/// font with fixed width.
package struct TerminalImage: Sendable {
  private struct Run {
    var text: String
    var style: StyledText.Style?
    var column: Int
    var width: Int
  }

  private static let (cellWidth, cellHeight) = (8, 18)
  private static let (margin, titleHeight) = (16, 36)

  private let columns: Int
  private let title: String

  /// Creates an image.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal. Longer lines continue in the next row.
  ///   - title: The title of the window.
  package init(columns: Int, title: String) {
    self.columns = min(max(columns, 1), 1000)
    self.title = title
  }

  /// Returns the image with all lines of a text, in ASCII.
  package func svg(of text: StyledText) -> String {
    let rows = rows(of: text)
    let width = columns * Self.cellWidth + 2 * Self.margin
    let height = Self.titleHeight + max(1, rows.count) * Self.cellHeight + Self.margin
    let title = title.escapedForXML(asciiOnly: true)
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" aria-label="\(title)">
      <rect width="\(width)" height="\(height)" rx="8" fill="#0d1117"/>
      <circle cx="18" cy="18" r="6" fill="#ff5f56"/>
      <circle cx="38" cy="18" r="6" fill="#ffbd2e"/>
      <circle cx="58" cy="18" r="6" fill="#27c93f"/>
      <g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" \
      fill="#e6edf3" xml:space="preserve">
      <text x="\(width / 2)" y="23" text-anchor="middle" fill="#8b949e">\(title)</text>

      """
    for (index, row) in rows.enumerated() {
      let y = Self.titleHeight + index * Self.cellHeight + 14
      for run in row { svg += element(run, y) }
    }
    return svg + "</g>\n</svg>\n"
  }

  private func element(_ run: Run, _ y: Int) -> String {
    let x = Self.margin + run.column * Self.cellWidth
    let appearance = run.style.map(Palette.appearance)
    let color = appearance?.color.map { " fill=\"\($0.hex)\"" } ?? ""
    let weight = appearance?.isBold == true ? " font-weight=\"bold\"" : ""
    return
      "<text x=\"\(x)\" y=\"\(y)\" textLength=\"\(run.width * Self.cellWidth)\"\(color)\(weight)>"
      + run.text.escapedForXML(asciiOnly: true) + "</text>\n"
  }

  /// Divides the text into rows, and each row into runs. Blanks around a run are left out.
  private func rows(of text: StyledText) -> [[Run]] {
    var rows: [[Run]] = [[]]
    var column = 0
    text.forEachToken { part, style in
      var isNew = true
      for character in String(decoding: part, as: UTF8.self) {
        if character.isNewline {
          rows.append([])
          (column, isNew) = (0, true)
          continue
        }
        let width = DisplayWidth.of(character)
        if column + width > columns {
          rows.append([])
          (column, isNew) = (0, true)
        }
        if isNew {
          rows[rows.count - 1].append(Run(text: "", style: style, column: column, width: 0))
        }
        rows[rows.count - 1][rows[rows.count - 1].count - 1].text.append(character)
        rows[rows.count - 1][rows[rows.count - 1].count - 1].width += width
        column += width
        isNew = false
      }
    }
    if rows.last?.isEmpty == true { rows.removeLast() }
    return rows.map { $0.flatMap(Self.words) }
  }

  /// Divides a run at two or more blanks, without the blanks, which a viewer may not keep.
  private static func words(of run: Run) -> [Run] {
    var words: [Run] = []
    var word = Run(text: "", style: run.style, column: run.column, width: 0)
    var column = run.column
    var blanks = 0
    for character in run.text {
      let width = DisplayWidth.of(character)
      defer { column += width }
      guard character != " " else {
        blanks += 1
        continue
      }
      if blanks > 1 || word.text.isEmpty {
        if !word.text.isEmpty { words.append(word) }
        word = Run(text: "", style: run.style, column: column, width: 0)
      } else if blanks == 1 {
        word.text.append(" ")
        word.width += 1
      }
      blanks = 0
      word.text.append(character)
      word.width += width
    }
    if !word.text.isEmpty { words.append(word) }
    return words
  }
}
