import SwiftBoardJSON

/// Writes the rows of a command in parts, so that memory use depends on the size of a part and not
/// on the number of rows.
package struct RowStream: Sendable {
  private var formatter: OutputFormatter
  private let line: Int
  private let command: String
  /// The layout of the first rows, which determine the widths.
  private var layout: TableLayout?
  /// Whether the beginning of the output is written.
  package var hasBegun = false
  /// The names of the columns that were left out because of the width.
  package private(set) var hiddenColumns: [String] = []

  /// Creates a stream without rows.
  ///
  /// - Parameters:
  ///   - line: the line's number, from 1.
  ///   - command: the command's name, such as `db.list`.
  package init(_ formatter: OutputFormatter, line: Int, command: String) {
    self.formatter = formatter
    self.formatter.hasLaterRows = true
    self.line = line
    self.command = command
  }

  /// Lays further rows out for another width, below their header.
  package mutating func resize(to width: Int?) {
    guard formatter.width != width else { return }
    formatter.width = width
    layout = nil
  }

  /// Returns the text of further rows. The first call includes the header.
  ///
  /// - Parameters:
  ///   - columns: The columns, the same in each call.
  ///   - values: The value of each row, for JSON.
  package mutating func text(
    _ columns: [Presentation.Column], _ rows: @autoclosure () -> [[String]],
    values: @autoclosure () -> [JSON]
  ) -> StyledText {
    defer { hasBegun = true }
    if formatter.format == .json {
      let start = "{\"line\":\(line),\"command\":\(JSON.string(command).text),\"value\":["
      return StyledText(
        (hasBegun ? "," : start) + values().map(\.description).joined(separator: ","))
    }
    let rows = rows()
    let csv = CSV(isExact: formatter.isExact)
    switch formatter.format {
    case .csv:
      return StyledText((hasBegun ? "" : csv.row(columns.map(\.name))) + rows.map(csv.row).joined())
    case .table:
      if hasBegun, let text = layout?.continued(rows) { return StyledText(text) }
      let next = TableLayout(columns: columns, rows: rows, formatter: formatter)
      layout = next
      hiddenColumns += next.hiddenColumns.filter { !hiddenColumns.contains($0) }
    case .plain, .json: break
    }
    let text = formatter.render(
      line: line, command: command, presentation: .table(columns: columns, rows: rows),
      value: .null, milliseconds: 0)
    // Records, and tables of another width, are separated by an empty line.
    let isSeparate = formatter.format == .table && hasBegun
    return isSeparate ? "\n" + text : text
  }

  /// Returns a line with a JSON object for each row.
  package static func lines(_ values: [JSON], line: Int, command: String) -> String {
    values.map { value in
      let object: JSON = ["line": JSON(line), "command": .string(command), "value": value]
      return object.description + "\n"
    }.joined()
  }

  /// Returns the end of the output. Only JSON has one, which contains the command's result.
  ///
  /// - Parameter failure: The members that describe the failure of the command.
  package func end(milliseconds: Int, isOK: Bool, failure: [JSON.Member]) -> String {
    guard formatter.format == .json else { return "" }
    let members = [.init("ms", JSON(milliseconds)), .init("ok", .bool(isOK))] + failure
    return "]," + JSON.object(members).description.dropFirst() + "\n"
  }
}
