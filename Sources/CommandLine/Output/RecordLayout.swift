/// Names and values, one below the other; long values continue in the next line, at the same
/// position.
struct RecordLayout {
  var width: Int?
  var color: Bool

  func text(_ fields: [Presentation.Field]) -> String {
    let fields = fields.map { Presentation.Field(escapeControls($0.name), $0.value) }
    let column = (fields.map { DisplayWidth.of($0.name) }.max() ?? 0) + 2
    // Too narrow for two columns: the value goes below its name.
    let isStacked = width.map { column + 8 > $0 } ?? false
    let indent = isStacked ? 2 : column
    var text = ""
    for field in fields {
      let value = escapeControls(field.value, keepsNewlines: true)
      var lines = value.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
        wrap(String($0), width.map { max(1, $0 - indent) })
      }
      let name = wrap(field.name, width).map(styled).joined(separator: "\n")
      if isStacked {
        text += name + "\n"
      } else {
        let padding = String(repeating: " ", count: column - DisplayWidth.of(field.name))
        let first = lines.removeFirst()
        text += (first.isEmpty ? name : name + padding + first) + "\n"
      }
      for line in lines {
        text += line.isEmpty ? "\n" : String(repeating: " ", count: indent) + line + "\n"
      }
    }
    return text
  }

  private func styled(_ name: String) -> String { color ? "\u{1B}[1m\(name)\u{1B}[0m" : name }

  private func wrap(_ text: String, _ width: Int?) -> [String] {
    guard let width, DisplayWidth.of(text) > width else { return [text] }
    var lines: [String] = []
    var rest = text
    while !rest.isEmpty {
      var line = DisplayWidth.prefix(rest, fitting: width).text
      // A character wider than the line still has to go somewhere.
      if line.isEmpty { line = rest.prefix(1) }
      lines.append(String(line))
      rest = String(rest[line.endIndex...])
    }
    return lines
  }
}
