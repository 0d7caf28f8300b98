/// A value the optimiser cannot see through.
@inline(never)
func opaque<T>(_ value: T) -> T { value }

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
  /// What others cost on this work, as multiples of the same limit.
  var peers = ""

  var ratio: Double { ours / limit }
  /// Two runs of the same code differ by 2 % here.
  var verdict: String {
    guard let goal else { return "-" }
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
/// meets both. The best of each.
func pair(
  rounds: Int = 9, operations: Int, ours: () -> Void, limit: () -> Void
) -> (ours: Double, limit: Double) {
  var best = (ours: Double.infinity, limit: Double.infinity)
  let start = ContinuousClock.now
  var round = 0
  while round < rounds || ContinuousClock.now - start < leastTime {
    best.limit = min(best.limit, nanosecondsOnce(operations, limit))
    best.ours = min(best.ours, nanosecondsOnce(operations, ours))
    round += 1
  }
  return best
}

/// The same for work that suspends. The median: how the threads of the pool meet is luck, good as
/// well as bad. And that of the ratios of two rounds that follow each other, from which the limit
/// is reckoned back, since a busy machine is so for longer than a round.
func pair(
  rounds: Int = 15, operations: Int, ours: () async -> Void, limit: () async -> Void
) async -> (ours: Double, limit: Double) {
  func once(_ body: () async -> Void) async -> Double {
    let start = ContinuousClock.now
    await body()
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
  }
  var costs: [Double] = []
  var ratios: [Double] = []
  for _ in 0..<rounds {
    let least = await once(limit)
    let cost = await once(ours)
    costs.append(cost)
    ratios.append(cost / least)
  }
  let cost = costs.sorted()[rounds / 2]
  return (cost, cost / ratios.sorted()[rounds / 2])
}

func column(_ text: String, _ width: Int) -> String {
  text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}

func rounded(_ value: Double) -> String {
  let tenths = (value * 10).rounded() / 10
  return tenths == tenths.rounded() && abs(value) >= 100 ? "\(Int(tenths))" : "\(tenths)"
}

func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

func printTable(_ table: [Measurement]) {
  print(
    column("id", 4), column("work", 36), column("ours", 12), column("limit", 10),
    column("limit is", 28), column("ratio", 7), column("goal", 6), column("verdict", 8),
    "peers, × limit")
  for row in table {
    print(
      column(row.id, 4), column(row.name, 36), column("\(rounded(row.ours)) \(row.unit)", 12),
      column(rounded(row.limit), 10), column(row.limitName, 28), column(hundredths(row.ratio), 7),
      column(row.goal.map { "\($0)" } ?? "-", 6), column(row.verdict, 8), row.peers)
  }
  let goals = table.filter { $0.goal != nil }
  print("\(goals.filter { $0.verdict == "holds" }.count) of \(goals.count) goals hold")
}
