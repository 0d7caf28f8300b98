import SwiftBoardJSON

/// Text in the language of Graphviz.
struct Graphviz {
  private(set) var lines: [String]

  init(_ name: String) {
    lines = ["digraph \(Graphviz.quoted(name)) {"]
  }

  mutating func node(_ id: String, label: String? = nil, _ attributes: String...) {
    let all = (label.map { ["label=\(Graphviz.quoted($0))"] } ?? []) + attributes
    lines.append("  \(Graphviz.quoted(id)) [\(all.joined(separator: ", "))];")
  }

  mutating func edge(_ from: String, _ to: String, label: String? = nil, _ attributes: String...) {
    let all = (label.map { ["label=\(Graphviz.quoted($0))"] } ?? []) + attributes
    let suffix = all.isEmpty ? "" : " [\(all.joined(separator: ", "))]"
    lines.append("  \(Graphviz.quoted(from)) -> \(Graphviz.quoted(to))\(suffix);")
  }

  /// Returns `text` as a quoted string, with its special characters escaped.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: quoted += " "
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  var text: String { (lines + ["}"]).joined(separator: "\n") + "\n" }
}
