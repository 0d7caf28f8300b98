import Synchronization

/// One run of a scenario of `explore`: an order of ready tasks, the time, and where to say what is
/// wrong.
public final class ExploredRun: Sendable {
  /// What decides the order.
  public let seed: UInt64
  /// Runs the next ready task that the seed chooses. Tasks of the scenario's own go here too:
  /// `Task(executorPreference: run.executor)`.
  public var executor: ManualExecutor { clock.executor }
  /// A clock on that executor: for the test store and its dependencies.
  public let clock: TestClock
  private let found = Mutex<[TestFailure]>([])

  init(seed: UInt64) {
    self.seed = seed
    clock = TestClock(executor: ManualExecutor(seed: seed))
  }

  /// For test stores and all else that reports. Each failure is kept until the run ends; one lock.
  public var report: TestReporter {
    { [self] failure in found.withLock { $0.append(failure) } }
  }

  /// Fails the run where `condition` is false. Expectations of a test framework are not seen here:
  /// the run would count as good.
  ///
  /// - Parameter message: Made only where the condition is false.
  /// - Complexity: O(1); one lock where it is false.
  public func expect(
    _ condition: Bool, _ message: @autoclosure () -> String = "An expectation does not hold.",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    guard !condition else { return }
    report(
      TestFailure(
        kind: .expectation, message: message(),
        location: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)))
  }

  var failures: [TestFailure] { found.withLock { $0 } }
}

/// What an exploration came to.
public struct Exploration: Sendable, Hashable {
  /// How many seeds were run.
  public let runs: Int
  /// How many different orders they gave. If it is 1, there was no choice, and the exploration has
  /// no significance.
  public let orders: Int
  /// The seeds that failed, in order; at most one unless all were to be run.
  public let failingSeeds: [UInt64]
}

/// Runs a scenario under many orders of its tasks, one a seed, and stops at the first seed that
/// fails.
///
/// ```swift
/// explore(seeds: 1...1000, report: report) { run in
///   let store = TestStore(…, clock: run.clock, report: run.report)
///   …
/// }
/// ```
/// What is reported through `run.report`, what `run.expect` finds wrong and what the scenario
/// throws fails the run; each is told with the seed and how to run that alone: `explore(seeds:
/// 17...17)`, or the environment variable `SWIFTBOARD_SEED`, which makes every exploration and
/// model test of the process run that seed and no other.
///
/// - Parameters:
///   - seeds: One run each, in this order.
///   - stopsAtFirst: Whether to end at the first seed that fails. If not, all seeds are run; the
///     first seed's failures are reported, and the message lists the other seeds.
///   - report: Receives failures.
///   - scenario: Has to make everything anew each time, and to drive it by `run.executor` and
///     `run.clock`.
/// - Complexity: one run of the scenario a seed.
@discardableResult
public func explore(
  seeds: ClosedRange<UInt64>, stopsAtFirst: Bool = true, report: TestReporter,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column, _ scenario: (_ run: ExploredRun) throws -> Void
) -> Exploration {
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let chosen = Seeds(seeds, environment: environment(seedVariable)) { text in
    report(TestFailure(kind: .expectation, message: text, location: location))
  }
  var orders: Set<UInt64> = []
  var failing: [UInt64] = []
  var first: [TestFailure] = []
  var runs = 0
  var good = 0
  for seed in chosen.toRun {
    let run = ExploredRun(seed: seed)
    do {
      try scenario(run)
    } catch {
      run.report(
        TestFailure(
          kind: .closureThrew, message: "The scenario threw: \(error)", location: location))
    }
    runs += 1
    orders.insert(run.executor.order)
    let failures = run.failures
    guard !failures.isEmpty else { continue }
    if failing.isEmpty {
      first = failures
      good = runs - 1
    }
    failing.append(seed)
    if stopsAtFirst { break }
  }
  if let seed = failing.first {
    var text = "\n\nSeed \(seed) fails, after \(count(good, "seed")) that did not."
    if failing.count > 1 {
      let others = failing.dropFirst().prefix(20).map(String.init).joined(separator: ", ")
      text += " \(failing.count) of \(runs) fail; the others are \(others)"
      text += failing.count > 21 ? " …" : "."
    }
    text += " " + Seeds.advice(seed, "explore")
    for failure in first { report(failure.adding(text)) }
  }
  return Exploration(runs: runs, orders: orders.count, failingSeeds: failing)
}
