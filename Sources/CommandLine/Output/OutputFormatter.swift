import SwiftBoardJSON

/// Formats a result for standard output.
package struct OutputFormatter: Sendable, Hashable {
  /// The output format.
  package var format: OutputFormat
  /// The width of the terminal in columns, or `nil` for no limit, as for a pipe.
  package var width: Int?
  /// Whether the program's own text is ASCII only. Text from servers and users is kept.
  package var ascii: Bool
  /// Whether a program reads the text. CSV and plain text then have control characters as they are,
  /// except for those that would end a cell.
  package var isExact: Bool
  /// Whether a column of a table of unlimited width is padded to 200 columns at most, beyond which
  /// longer cells reach.
  package var limitsPadding: Bool
  /// Whether rows may follow those of a table, which may be wider.
  var hasLaterRows = false

  /// Creates a formatter.
  package init(
    format: OutputFormat = .table, width: Int? = nil, ascii: Bool = true, isExact: Bool = false,
    limitsPadding: Bool = true
  ) {
    self.format = format
    self.width = width
    self.ascii = ascii
    self.isExact = isExact
    self.limitsPadding = limitsPadding
  }

  /// Returns the text of a successful command, including its last newline, or an empty text if it
  /// shows nothing. Only tables, records and JSON for reading have styles.
  ///
  /// In JSON, every command gives exactly one line, even if it shows nothing otherwise.
  ///
  /// - Parameters:
  ///   - line: the line's number, from 1.
  ///   - command: the command's name, such as `api.get`.
  ///   - presentation: the output for the other formats.
  ///   - value: the output for JSON.
  ///   - milliseconds: the duration of the command.
  ///   - isOK: false for a negative answer, for example that two things differ.
  /// - Complexity: linear in the text, times the columns for a table that must shrink.
  package func render(
    line: Int, command: String, presentation: Presentation, value: JSON, milliseconds: Int,
    isOK: Bool = true
  ) -> StyledText {
    switch format {
    case .json:
      let object: JSON = [
        "line": JSON(line), "ok": .bool(isOK), "command": .string(command), "value": value,
        "ms": JSON(milliseconds),
      ]
      return StyledText(object.description + "\n")
    case .plain, .csv:
      if case .bytes(let bytes) = presentation { return StyledText(bytes: bytes) }
      return StyledText(
        format == .csv ? CSV(isExact: isExact).text(presentation) : plain(presentation))
    case .table: return table(presentation)
    }
  }

  /// Returns the names of the columns that `render` leaves out of a table because of the width.
  package func hiddenColumns(of presentation: Presentation) -> [String] {
    guard format == .table, width != nil, case .table(let columns, let rows) = presentation else {
      return []
    }
    return TableLayout(columns: columns, rows: rows, formatter: self).hiddenColumns
  }

  private func table(_ presentation: Presentation) -> StyledText {
    switch presentation {
    case .none: return StyledText()
    case .bytes(let bytes): return StyledText(bytes: bytes)
    case .text(let text): return StyledText(Self.terminated(Self.visible(text)))
    case .styled(let text):
      let visible = text.mapParts { Array(Self.visible(String(decoding: $0, as: UTF8.self)).utf8) }
      let isTerminated = visible.isEmpty || visible.bytes.last == UInt8(ascii: "\n")
      return isTerminated ? visible : visible + "\n"
    case .json(let value):
      return StyledText(value.text(JSONFormat(indent: 2, escaping: .controls)), .json) + "\n"
    case .record(let fields):
      return RecordLayout(width: width).text(fields)
    case .table(let columns, let rows):
      let layout = TableLayout(columns: columns, rows: rows, formatter: self)
      if let text = layout.text() { return text }
      let records = RecordLayout(width: width)
      var text = StyledText()
      for row in rows {
        if !text.isEmpty { text += "\n" }
        text += records.text(zip(columns, row).map { Presentation.Field($0.name, $1) })
      }
      return text
    }
  }

  private func cell(_ text: String) -> String {
    isExact ? escapeBreaks(text) : escapeControls(text)
  }

  private func plain(_ presentation: Presentation) -> String {
    switch presentation {
    case .none: ""
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .text(let text): Self.terminated(Self.visible(text))
    case .styled(let text): Self.terminated(Self.visible(text.text))
    case .json(let value): value.description + "\n"
    case .record(let fields):
      fields.map { cell($0.name) + "\t" + cell($0.value) + "\n" }.joined()
    case .table(_, let rows):
      rows.map { row in row.map(cell).joined(separator: "\t") + "\n" }.joined()
    }
  }

  private static func visible(_ text: String) -> String {
    escapeControls(text, keepsNewlines: true, keepsTabs: true)
  }

  private static func terminated(_ text: String) -> String {
    text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
  }
}
