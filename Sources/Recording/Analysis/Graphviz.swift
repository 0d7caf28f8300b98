/// Text in the language of Graphviz.
package struct Graphviz {
  private(set) var lines: [String]

  package init(_ name: String) {
    lines = ["digraph \(Graphviz.quoted(name)) {"]
  }

  package mutating func node(_ id: String, label: String? = nil, _ attributes: [String] = []) {
    add(Graphviz.quoted(id), label, attributes)
  }

  package mutating func edge(
    _ from: String, _ to: String, label: String? = nil, _ attributes: [String] = []
  ) {
    add("\(Graphviz.quoted(from)) -> \(Graphviz.quoted(to))", label, attributes)
  }

  private mutating func add(_ subject: String, _ label: String?, _ attributes: [String]) {
    let all = (label.map { ["label=\(Graphviz.quoted($0))"] } ?? []) + attributes
    let suffix = all.isEmpty ? "" : " [\(all.joined(separator: ", "))]"
    lines.append("  \(subject)\(suffix);")
  }

  /// Returns `text` as a quoted string, with its special characters escaped. U+FFFE and U+FFFF are
  /// shown by their codes, since no XML may contain them, and so no picture in SVG.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\u{FFFE}", "\u{FFFF}": quoted += "\\\\u{\(String(scalar.value, radix: 16))}"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: quoted += " "
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  package var text: String { (lines + ["}"]).joined(separator: "\n") + "\n" }
}
