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

  var ratio: Double { ours / limit }
  var holds: Bool { ratio <= goal }
}

/// Nanoseconds an operation, the best of several rounds: what disturbs a round only makes it slower.
func nanoseconds(rounds: Int = 7, operations: Int, _ body: () -> Void) -> Double {
  var best = Double.infinity
  for _ in 0..<rounds {
    let start = ContinuousClock.now
    body()
    best = min(best, (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
  }
  return best
}

/// The same for work that suspends.
func nanoseconds(rounds: Int = 5, operations: Int, _ body: () async -> Void) async -> Double {
  var best = Double.infinity
  for _ in 0..<rounds {
    let start = ContinuousClock.now
    await body()
    best = min(best, (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
  }
  return best
}

func column(_ text: String, _ width: Int) -> String {
  text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}

func rounded(_ value: Double) -> String {
  let tenths = (value * 10).rounded() / 10
  return tenths == tenths.rounded() && value >= 100 ? "\(Int(tenths))" : "\(tenths)"
}

func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
