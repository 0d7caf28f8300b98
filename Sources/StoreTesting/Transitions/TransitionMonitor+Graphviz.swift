extension TransitionMonitor {
  /// Returns the machine as text for Graphviz (`dot -Tsvg`), with declared transitions in the order
  /// of declaration, each with its count. Transitions that never happened are dashed, and
  /// undeclared ones are red. Equal observations give equal texts.
  ///
  /// - Complexity: O(n log n) in the number of transitions that are declared or happened.
  public func graphviz(name: String = "machine") -> String {
    let counts = counts
    var lines: [String] = []
    var labels: [Label] = []
    var seen: Set<Label> = []
    func add(_ transition: Transition<Label, Event>, _ style: String) {
      for label in [transition.from, transition.to] where seen.insert(label).inserted {
        labels.append(label)
      }
      let count = counts[transition].map { " (\($0))" } ?? ""
      lines.append(
        "  \(quoted(transition.from)) -> \(quoted(transition.to)) "
          + "[label=\(quoted("\(transition.event)\(count)"))\(style)];")
    }
    for transition in table.transitions {
      add(transition, counts[transition] == nil ? ", style=dashed" : "")
    }
    for transition in undeclared { add(transition, ", color=red") }
    return
      (["digraph \(quoted(name)) {"] + labels.map { "  \(quoted($0));" } + lines + ["}"])
      .joined(separator: "\n") + "\n"
  }
}

/// Returns a value as a quoted name.
private func quoted(_ value: some Any) -> String {
  var text = "\""
  for character in String(describing: value) {
    switch character {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    default: text.append(character)
    }
  }
  return text + "\""
}
