import SwiftBoardStore

/// The causes in a recording: steps, the effects that they returned, and the steps that the effects
/// sent.
///
/// Keeps the name of each step of its range: about 200 bytes a step.
package struct CausalTree: Sendable {
  struct Node: Sendable {
    let step: Int
    let action: String
    let origin: StepOrigin
    let effects: [LogEffect]
    var children: [Int] = []
  }

  /// One node per step, from the first of the range.
  private(set) var nodes: [Node] = []
  private(set) var roots: [Int] = []
  private let first: Int
  /// Whether there are steps after the range.
  package let isTruncated: Bool
  /// The warnings of the reader about the lines that it has read.
  package let warnings: [LogWarning]

  /// Reads a single file.
  package init(
    _ file: LogFile, steps: ClosedRange<Int> = 1...10_000, nameDepth: Int = 2
  ) throws(LogReadError) {
    try self.init(RotatedLog(file), steps: steps, nameDepth: nameDepth)
  }

  /// - Parameter steps: The range of steps. A step is a root if it was sent by an effect of a step
  ///   before the range, or by an effect of an earlier file.
  package init(
    _ rotatedLog: RotatedLog, steps: ClosedRange<Int> = 1...10_000, nameDepth: Int = 2
  ) throws(LogReadError) {
    first = max(rotatedLog.firstStep + 1, steps.lowerBound)
    let reader = try RotatedLogReader(rotatedLog)
    var isTruncated = false
    while !isTruncated, let entry = try reader.next() {
      guard case .step(let step) = entry.line, step.n >= first else { continue }
      if step.n > steps.upperBound {
        isTruncated = true
        continue
      }
      let index = nodes.count
      nodes.append(
        Node(
          step: step.n, action: ActionName.of(step.action, depth: nameDepth), origin: step.origin,
          effects: step.effects))
      if case .effect(_, _, let cause) = step.origin, cause >= first {
        nodes[cause - first].children.append(index)
      } else {
        roots.append(index)
      }
    }
    self.isTruncated = isTruncated
    warnings = reader.warnings
  }

  /// The steps that effects of a step sent, in order.
  package func children(of step: Int) -> [Int] {
    guard nodes.indices.contains(step - first) else { return [] }
    return nodes[step - first].children.map { nodes[$0].step }
  }

  /// One line for each step, below its cause and indented by two: number, action, sender, and
  /// returned effects.
  package var text: String {
    var lines: [String] = []
    // Iterative, because a chain of effects may be as long as the log.
    var open = roots.reversed().map { (index: $0, level: 0) }
    while let (index, level) = open.popLast() {
      let node = nodes[index]
      // Deeper levels print their depth instead of indenting further.
      let margin =
        level <= 40
        ? String(repeating: "  ", count: level) : String(repeating: "  ", count: 40) + "(\(level)) "
      var line = "\(margin)\(node.step) \(node.action) <- \(CausalTree.text(node.origin))"
      if !node.effects.isEmpty {
        line += " -> " + node.effects.map(\.description).joined(separator: ", ")
      }
      lines.append(line)
      open += node.children.reversed().map { ($0, level + 1) }
    }
    if isTruncated { lines.append("...") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A graph for `dot`: boxes are steps, edges are labelled with the effect between two steps, and
  /// plain texts are the senders of roots.
  package var graphviz: String {
    var text = Graphviz("causes")
    for node in nodes {
      let name = "\(node.step)"
      text.node(name, label: "\(node.step) \(node.action)", ["shape=box"])
      if case .effect(let effect, let id, let cause) = node.origin, cause >= first {
        text.edge("\(cause)", name, label: id.map { "\(effect) \($0)" } ?? effect)
      } else {
        text.node("by \(name)", label: CausalTree.text(node.origin), ["shape=plaintext"])
        text.edge("by \(name)", name)
      }
    }
    return text.text
  }

  private static func text(_ origin: StepOrigin) -> String {
    let text = "\(LogTimeline.Source(origin).rawValue) \(LogTimeline.text(origin))"
    return shortened(describe(.string(text)), to: 100)
  }
}
