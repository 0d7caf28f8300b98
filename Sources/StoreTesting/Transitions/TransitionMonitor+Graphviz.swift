import SwiftBoardRecording

extension TransitionMonitor {
  /// Returns the machine as text for Graphviz (`dot -Tsvg`), with declared transitions in the order
  /// of declaration, each with its count. Transitions that never happened are dashed, and
  /// undeclared ones are red. Equal observations give equal texts.
  ///
  /// - Complexity: O(n log n) in the number of transitions that are declared or happened.
  public func graphviz(name: String = "machine") -> String {
    let counts = counts
    let declared = table.transitions
    let all = declared + undeclared
    var graph = Graphviz(name)
    var seen: Set<Label> = []
    for transition in all {
      for label in [transition.from, transition.to] where seen.insert(label).inserted {
        graph.node("\(label)")
      }
    }
    for (index, transition) in all.enumerated() {
      let count = counts[transition]
      let style: [String] =
        index >= declared.count ? ["color=red"] : count == nil ? ["style=dashed"] : []
      graph.edge(
        "\(transition.from)", "\(transition.to)",
        label: "\(transition.event)\(count.map { " (\($0))" } ?? "")", style)
    }
    return graph.text
  }
}
