import SwiftBoardJSON

/// Formats comma-separated values according to RFC 4180, with a header, CR LF, and quotes where
/// needed.
struct CSV {
  /// Whether control characters stay as they are.
  var isExact = false

  func text(_ presentation: Presentation) -> String {
    switch presentation {
    case .none: return ""
    case .text(let text): return row(["value"]) + row([text])
    case .styled(let text): return row(["value"]) + row([text.text])
    case .bytes(let bytes): return row(["value"]) + row([String(decoding: bytes, as: UTF8.self)])
    case .table(let columns, let rows):
      return row(columns.map(\.name)) + rows.map(row).joined()
    case .record(let fields):
      return row(fields.map(\.name)) + row(fields.map(\.value))
    case .json(let value):
      guard let (names, rows) = table(value) else { return row(["value"]) + row([cell(value)]) }
      return row(names) + rows.map(row).joined()
    }
  }

  /// Converts an array of objects to a table with their keys in order of first appearance.
  private func table(_ value: JSON) -> (names: [String], rows: [[String]])? {
    guard let elements = value.elements, !elements.isEmpty else { return nil }
    var names: [String] = []
    var seen: Set<String> = []
    for element in elements {
      guard let members = element.members else { return nil }
      for member in members where seen.insert(member.key).inserted { names.append(member.key) }
    }
    guard !names.isEmpty else { return nil }
    return (names, elements.map { element in names.map { element[$0].map(cell) ?? "" } })
  }

  private func cell(_ value: JSON) -> String {
    value.isNull ? "" : value.stringValue ?? value.description
  }

  /// Readers skip an empty row, so a single empty cell is quoted.
  func row(_ cells: [String]) -> String {
    if cells == [""] { return "\"\"\r\n" }
    return cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  private func quoted(_ cell: String) -> String {
    let text =
      isExact ? cell : escapeControls(cell, keepsNewlines: true, keepsTabs: true)
    let needsQuotes = text.utf8.contains {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
        || $0 == UInt8(ascii: "\r")
    }
    guard needsQuotes else { return text }
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
