import SwiftBoardJSON
import SwiftBoardStore

/// The state machine observed in a recording: the labels of states, and the actions between them
/// with their counts.
package struct StateGraph: Sendable, Hashable {
  /// An action that led from one label to another.
  package struct Edge: Sendable, Hashable {
    /// The label before.
    package let from: String
    /// The action's name.
    package let action: String
    /// The label afterwards.
    package let to: String
  }

  /// The number of times each label was reached. The first state counts once.
  package private(set) var nodes: [String: Int] = [:]
  /// The number of times each edge was taken.
  package private(set) var edges: [Edge: Int] = [:]
  /// The label of the first state.
  package let first: String
  /// The label of all states beyond the limit of labels.
  package static let other = "..."

  private let limit: Int

  init(first: String, limit: Int) {
    self.limit = max(1, limit)
    self.first = first
    nodes[first] = 1
  }

  /// Adds an edge and returns the label under which the state is kept.
  mutating func add(from: String, action: String, to label: String) -> String {
    let to = nodes[label] != nil || nodes.count < limit ? label : StateGraph.other
    nodes[to, default: 0] += 1
    edges[Edge(from: from, action: action, to: to), default: 0] += 1
    return to
  }

  /// A graph for `dot`: a node is a label, and an edge is an action with its count. Equal graphs
  /// have equal texts.
  package var graphviz: String {
    var text = Graphviz("states")
    text.node("", label: "", ["shape=point"])
    text.edge("", "s:" + first)
    for (label, count) in nodes.sorted(by: { $0.key < $1.key }) {
      text.node("s:" + label, label: "\(label)\n\(count)", ["shape=box"])
    }
    for (edge, count) in edges.sorted(by: {
      ($0.key.from, $0.key.to, $0.key.action) < ($1.key.from, $1.key.to, $1.key.action)
    }) {
      text.edge("s:" + edge.from, "s:" + edge.to, label: "\(edge.action) x\(count)")
    }
    return text.text
  }
}

/// The labels of long values: their beginnings, and a number where different values have the same
/// beginning and size.
struct StateLabels {
  private let limit: Int
  private var count = 0
  /// The digests of the values with a label, in the order in which they came.
  private var digests: [String: [Digest]] = [:]

  /// - Parameter limit: The maximum number of values to tell apart.
  init(limit: Int) {
    self.limit = limit
  }

  /// Returns the label of a value, or `StateGraph.other` if it is beyond the limit.
  mutating func label(of text: String) -> String {
    let label = shortened(text, to: 80)
    guard label != text else { return label }
    let digest = Digest(of: text.utf8)
    var known = digests[label] ?? []
    if let index = known.firstIndex(of: digest) { return Self.label(label, index) }
    guard count < limit else { return StateGraph.other }
    count += 1
    known.append(digest)
    digests[label] = known
    return Self.label(label, known.count - 1)
  }

  private static func label(_ label: String, _ index: Int) -> String {
    index == 0 ? label : "\(label) #\(index + 1)"
  }
}

extension LogNavigator {
  /// Returns the observed state machine.
  ///
  /// Takes one pass over all states. Keeps at most `limit` labels, and one for the rest.
  ///
  /// - Parameter label: Returns the label of a state. A coarse label gives a small graph.
  package func stateGraph(
    limit: Int = 200, nameDepth: Int = 2, label: (R.State) throws -> String
  ) throws -> StateGraph {
    var graph = StateGraph(first: try label(try state(at: firstStep)), limit: limit)
    guard stepCount > firstStep else { return graph }
    var current = graph.first
    let reader = try RotatedLogReader(rotatedLog)
    try forEachState(in: (firstStep + 1)...stepCount) { n, state in
      let to = try label(state)
      var name = "?"
      while let entry = try reader.next() {
        guard case .step(let step) = entry.line else { continue }
        name = ActionName.of(step.action, depth: nameDepth)
        break
      }
      current = graph.add(from: current, action: name, to: to)
      return true
    }
    return graph
  }

  /// Returns the observed state machine, in which the label of a state is its value at a path, or
  /// `nothing` if there is none.
  ///
  /// - Parameter transform: Returns the value to show, before it is shortened.
  package func stateGraph(
    by path: JSONPath, mapValues transform: (JSON) -> JSON = { $0 }
  ) throws -> StateGraph {
    let limit = 200
    var labels = StateLabels(limit: limit)
    return try stateGraph(limit: limit) { state in
      let json = try JSON(parsing: try CanonicalEncoder.encode(state))
      return labels.label(of: json.value(at: path).map(transform)?.description ?? "nothing")
    }
  }
}
