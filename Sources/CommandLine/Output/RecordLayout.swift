/// Lays out names and values, one pair below the other. Long values continue on the next line in
/// the same column, broken between words.
struct RecordLayout {
  var width: Int?

  func text(_ fields: [Presentation.Field]) -> StyledText {
    let fields = fields.map { Presentation.Field(escapeControls($0.name), $0.value) }
    let column = (fields.map { DisplayWidth.of($0.name) }.max() ?? 0) + 2
    // If the width is too small for two columns, the value goes below its name.
    let isStacked = width.map { column + 8 > $0 } ?? false
    let indent = isStacked ? 2 : column
    var text = StyledText()
    for field in fields {
      let value = escapeControls(field.value, keepsNewlines: true)
      var lines = value.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
        wrap(String($0), width.map { max(1, $0 - indent) })
      }
      text.append(wrap(field.name, width).joined(separator: "\n"), .name)
      if !isStacked {
        let padding = String(repeating: " ", count: column - DisplayWidth.of(field.name))
        let first = lines.removeFirst()
        if !first.isEmpty { text.append(padding + first) }
      }
      text.append("\n")
      for line in lines {
        text.append(line.isEmpty ? "\n" : String(repeating: " ", count: indent) + line + "\n")
      }
    }
    return text
  }

  private func wrap(_ text: String, _ width: Int?) -> [String] {
    width.map { DisplayWidth.lines(of: text, fitting: $0) } ?? [text]
  }
}
