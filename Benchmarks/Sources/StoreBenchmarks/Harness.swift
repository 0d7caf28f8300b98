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
  /// The greatest acceptable `ours / limit`.
  let goal: Double
  var unit = "ns"
  /// What others cost on this work, as multiples of the same limit.
  var peers = ""

  var ratio: Double { ours / limit }
  /// As exact as what is printed.
  var holds: Bool { (ratio * 100).rounded() <= goal * 100 }
}

/// Nanoseconds an operation, the best of several rounds: what disturbs a round only makes it slower.
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

/// What two kinds of work take together at least: longer than most of what a neighbour on the same machine does.
private let leastTime = Duration.milliseconds(500)

/// Two kinds of work, their rounds one by one in turn, so that what the machine does meanwhile meets both. The best of each.
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

/// The same for work that suspends.
func pair(
  rounds: Int = 9, operations: Int, ours: () async -> Void, limit: () async -> Void
) async -> (ours: Double, limit: Double) {
  func once(_ body: () async -> Void) async -> Double {
    let start = ContinuousClock.now
    await body()
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
  }
  var best = (ours: Double.infinity, limit: Double.infinity)
  for _ in 0..<rounds {
    best.limit = min(best.limit, await once(limit))
    best.ours = min(best.ours, await once(ours))
  }
  return best
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
      column("\(row.goal)", 6), column(row.holds ? "holds" : "MISSED", 8), row.peers)
  }
  let missed = table.filter { !$0.holds }.count
  print("\(table.count - missed) of \(table.count) goals hold")
}
