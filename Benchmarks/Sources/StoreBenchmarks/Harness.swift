import BenchmarkSupport

/// One line of the table: the work, the least it could cost, and the ratio that is the goal.
struct Measurement {
  let id: String
  let name: String
  let ours: Double
  let limit: Double
  let limitName: String
  /// The greatest acceptable `ours / limit`; `nil` for what is only shown.
  let goal: Double?
  var unit = "ns"
  /// What a store of another design costs on the same work, in the same rounds.
  var peer: Double?
  /// The least acceptable `peer / ours`.
  var lead = 1.0

  var ratio: Double { ours / limit }
  /// Two runs of the same code differ by 2 % here.
  var verdict: String {
    guard let goal else { return "-" }
    if let peer, peer < ours * lead / 1.02 { return "MISSED" }
    return ratio <= goal * 1.02 ? "holds" : "MISSED"
  }
}

/// Nanoseconds an operation, the best of several rounds: what disturbs a round only makes it
/// slower.
func nanoseconds(rounds: Int = 7, operations: Int, _ body: () -> Void) -> Double {
  var best = Double.infinity
  for _ in 0..<rounds {
    best = min(best, nanosecondsOnce(operations, body))
  }
  return best
}

func nanosecondsOnce(_ operations: Int, _ body: () -> Void) -> Double {
  let start = ContinuousClock.now
  body()
  return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
}

/// What two kinds of work take together at least: longer than most of what a neighbour on the same
/// machine does.
private let leastTime = Duration.milliseconds(500)

/// Two kinds of work, their rounds one by one in turn, so that what the machine does meanwhile
/// meets both; and a third, where there is a peer. The best of each.
func pair(
  rounds: Int = 9, operations: Int, ours: () -> Void, limit: () -> Void, peer: () -> Void = {}
) -> (ours: Double, limit: Double, peer: Double) {
  var best = (ours: Double.infinity, limit: Double.infinity, peer: Double.infinity)
  let start = ContinuousClock.now
  var round = 0
  while round < rounds || ContinuousClock.now - start < leastTime {
    best.limit = min(best.limit, nanosecondsOnce(operations, limit))
    best.ours = min(best.ours, nanosecondsOnce(operations, ours))
    best.peer = min(best.peer, nanosecondsOnce(operations, peer))
    round += 1
  }
  return best
}

/// The same for work that suspends. The median: how the threads of the pool meet is luck, good as
/// well as bad. And that of the ratios of two rounds that follow each other, from which the limit
/// and the peer are reckoned back, since a busy machine is so for longer than a round.
func pair(
  rounds: Int = 15, operations: Int, ours: () async -> Void, limit: () async -> Void,
  peer: () async -> Void = {}
) async -> (ours: Double, limit: Double, peer: Double) {
  func once(_ body: () async -> Void) async -> Double {
    let start = ContinuousClock.now
    await body()
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
  }
  var costs: [Double] = []
  var ratios: [Double] = []
  var leads: [Double] = []
  for _ in 0..<rounds {
    let least = await once(limit)
    let cost = await once(ours)
    costs.append(cost)
    ratios.append(cost / least)
    leads.append(await once(peer) / cost)
  }
  func median(_ values: [Double]) -> Double { values.sorted()[rounds / 2] }
  let cost = median(costs)
  return (cost, cost / median(ratios), cost * median(leads))
}

func rounded(_ value: Double) -> String {
  let tenths = (value * 10).rounded() / 10
  return tenths == tenths.rounded() && abs(value) >= 100 ? "\(Int(tenths))" : "\(tenths)"
}

func printTable(_ table: [Measurement]) {
  let widths = [4, 36, 12, 10, 28, 7, 6, 10, 7]
  func printRow(_ texts: [String]) {
    let columns = zip(texts, widths).map { column($0, $1) }
    print(columns.joined(separator: " "), texts[widths.count])
  }
  printRow([
    "id", "work", "ours", "limit", "limit is", "ratio", "goal", "peer", "× ours", "verdict",
  ])
  for row in table {
    printRow([
      row.id, row.name, "\(rounded(row.ours)) \(row.unit)", rounded(row.limit), row.limitName,
      hundredths(row.ratio), row.goal.map { "\($0)" } ?? "-",
      row.peer.map(rounded) ?? "-", row.peer.map { rounded($0 / row.ours) } ?? "-", row.verdict,
    ])
  }
  let goals = table.filter { $0.goal != nil }
  print("\(goals.filter { $0.verdict == "holds" }.count) of \(goals.count) goals hold")
}
