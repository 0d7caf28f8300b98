import SwiftBoardJSON

/// Formats a result for standard output.
package struct OutputFormatter: Sendable, Hashable {
  /// The output format.
  package var format: OutputFormat
  /// The width of the terminal in columns, or `nil` for no limit, as for a pipe.
  package var width: Int?
  /// Whether the program's own text is ASCII only. Text from servers and users is kept.
  package var ascii: Bool
  /// Whether colors may be used. JSON, CSV and plain text never use them.
  package var color: Bool

  /// Creates a formatter. The defaults suit a pipe.
  package init(
    format: OutputFormat = .table, width: Int? = nil, ascii: Bool = true, color: Bool = false
  ) {
    self.format = format
    self.width = width
    self.ascii = ascii
    self.color = color
  }

  /// Returns the output of a successful command: the bytes of the presentation if it has any,
  /// otherwise the text of `render(line:command:presentation:value:milliseconds:isOK:)`.
  package func bytes(
    line: Int, command: String, presentation: Presentation, value: JSON, milliseconds: Int,
    isOK: Bool = true
  ) -> [UInt8] {
    if format != .json, case .bytes(let bytes) = presentation { return bytes }
    return Array(
      render(
        line: line, command: command, presentation: presentation, value: value,
        milliseconds: milliseconds, isOK: isOK
      ).utf8)
  }

  /// Returns the text of a successful command, including its last newline, or an empty text if it
  /// shows nothing.
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
  ) -> String {
    switch format {
    case .json:
      let object: JSON = [
        "line": JSON(line), "ok": .bool(isOK), "command": .string(command), "value": value,
        "ms": JSON(milliseconds),
      ]
      return Self.line(object) + "\n"
    case .table: return table(presentation)
    case .plain: return plain(presentation)
    case .csv: return CSV.text(presentation)
    }
  }

  /// Returns one line with control characters escaped.
  static func line(_ value: JSON) -> String { value.text(JSONFormat(escaping: .controls)) }

  private func table(_ presentation: Presentation) -> String {
    switch presentation {
    case .none: return ""
    case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .text(let text): return Self.terminated(Self.visible(text))
    case .json(let value):
      return value.text(JSONFormat(indent: 2, escaping: .controls)) + "\n"
    case .record(let fields):
      return RecordLayout(width: width, color: color).text(fields)
    case .table(let columns, let rows):
      let layout = TableLayout(columns: columns, rows: rows, width: width, ascii: ascii)
      if let text = layout.text(color: color) { return text }
      let records = RecordLayout(width: width, color: color)
      return rows.map { row in
        records.text(zip(columns, row).map { Presentation.Field($0.name, $1) })
      }.joined(separator: "\n")
    }
  }

  private func plain(_ presentation: Presentation) -> String {
    switch presentation {
    case .none: ""
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .text(let text): Self.terminated(Self.visible(text))
    case .json(let value): Self.line(value) + "\n"
    case .record(let fields):
      fields.map { escapeControls($0.name) + "\t" + escapeControls($0.value) + "\n" }.joined()
    case .table(_, let rows):
      rows.map { row in row.map { escapeControls($0) }.joined(separator: "\t") + "\n" }.joined()
    }
  }

  private static func visible(_ text: String) -> String {
    escapeControls(text, keepsNewlines: true, keepsTabs: true)
  }

  private static func terminated(_ text: String) -> String {
    text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
  }
}
