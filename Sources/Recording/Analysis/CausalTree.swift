import SwiftBoardJSON
import SwiftBoardStore

/// The causes in a recording: steps, the effects that they returned, and the steps that the effects
/// sent.
///
/// Keeps the name of each step of its range: about 200 bytes a step.
package struct CausalTree: Sendable {
  private struct Node: Sendable {
    let step: Int
    let action: String
    let origin: StepOrigin
  }

  /// One node per step, from the first of the range.
  private var nodes: [Node] = []
  private let first: Int
  /// Whether there are steps after the range.
  package let isTruncated: Bool
  /// The warnings of the reader about the lines that it has read.
  package let warnings: [LogWarning]

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
      nodes.append(
        Node(
          step: step.n, action: ActionName.of(step.action, depth: nameDepth), origin: step.origin))
    }
    self.isTruncated = isTruncated
    warnings = reader.warnings
  }

  /// Returns a graph for `dot`: boxes are steps, edges are labelled with the effect between two
  /// steps, and plain texts are the senders of roots.
  ///
  /// - Parameter transform: Returns the text of a sender to show, before it is shortened.
  package func graphviz(mapValues transform: (JSON) -> JSON = { $0 }) -> String {
    var text = Graphviz("causes")
    for node in nodes {
      let name = "\(node.step)"
      text.node(name, label: "\(node.step) \(node.action)", ["shape=box"])
      if case .effect(let effect, let id, let cause) = node.origin, cause >= first {
        text.edge("\(cause)", name, label: id.map { "\(effect) \($0)" } ?? effect)
      } else {
        text.node("by \(name)", label: CausalTree.text(node.origin, transform), ["shape=plaintext"])
        text.edge("by \(name)", name)
      }
    }
    return text.text
  }

  private static func text(_ origin: StepOrigin, _ transform: (JSON) -> JSON) -> String {
    let text = "\(LogTimeline.Source(origin).rawValue) \(LogTimeline.text(origin))"
    return shortened(describe(transform(.string(text))), to: 100)
  }
}
