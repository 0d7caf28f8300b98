/// One line of the table.
struct Row {
  var id: String
  var name: String
  /// What is measured, and against what.
  var ours: Double
  var peer: Double
  var peerName: String
  /// The greatest acceptable `ours / peer`; with `margin`, `ours` less it.
  var goal: Double
  var unit = "ms"
  /// What ours may take beyond `goal` times the peer.
  var margin = 0.0
  /// The ratio of the processor times, user and system.
  var processor: Double?
  /// The most memory of ours, in MB, and the most that it may be.
  var memory: Double?
  var memoryGoal: Double?

  var ratio: Double { ours / peer }

  var holds: Bool {
    ours <= peer * goal * 1.02 + margin
      && (memoryGoal.map { (memory ?? .infinity) <= $0 } ?? true)
  }
}

func rounded(_ value: Double) -> String {
  value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
}

func printTable(_ rows: [Row]) {
  let widths = [4, 38, 12, 10, 24, 6, 12, 6, 18]
  func line(_ cells: [String]) {
    print(
      zip(cells, widths).map { cell, width in
        cell.count >= width ? cell : cell + String(repeating: " ", count: width - cell.count)
      }.joined(separator: " "), cells[widths.count])
  }
  line(["id", "work", "ours", "peer", "peer is", "ratio", "goal", "cpu", "memory", "verdict"])
  for row in rows {
    let memory = row.memory.map { rounded($0) + " MB" } ?? "-"
    line([
      row.id, row.name, "\(rounded(row.ours)) \(row.unit)", rounded(row.peer), row.peerName,
      rounded(row.ratio),
      "\(rounded(row.goal))" + (row.margin > 0 ? "+\(rounded(row.margin)) \(row.unit)" : ""),
      row.processor.map(rounded) ?? "-",
      memory + (row.memoryGoal.map { " of \(rounded($0))" } ?? ""),
      row.holds ? "holds" : "MISSED",
    ])
  }
  print("\(rows.count { $0.holds }) of \(rows.count) goals hold")
}
