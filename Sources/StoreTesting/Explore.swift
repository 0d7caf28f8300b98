import Synchronization

/// A run of a scenario of `explore`, with an order of ready tasks, a clock, and a reporter of
/// failures.
public final class ExploredRun: Sendable {
  /// The seed that determines the order of tasks.
  public let seed: UInt64
  /// An executor that runs ready tasks in the order of the seed. Also run the scenario's own tasks
  /// on it: `Task(executorPreference: run.executor)`.
  public var executor: ManualExecutor { clock.executor }
  /// A clock on that executor, for the test store and its dependencies.
  public let clock: TestClock
  private let found = Mutex<[TestFailure]>([])

  init(seed: UInt64) {
    self.seed = seed
    clock = TestClock(executor: ManualExecutor(seed: seed))
  }

  /// A reporter for test stores and other code. Each failure is kept until the run ends.
  public var report: TestReporter {
    { [self] failure in found.withLock { $0.append(failure) } }
  }

  /// Fails the run if `condition` is `false`. Use this instead of the expectations of a test
  /// framework, which do not fail the run.
  ///
  /// - Parameter message: The message, evaluated only if the condition is `false`.
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

/// The result of an exploration.
public struct Exploration: Sendable, Hashable {
  /// The number of seeds that were run.
  public let runs: Int
  /// The number of different orders. If it is 1, the scenario has only one order, and the
  /// exploration was useless.
  public let orders: Int
  /// The seeds that failed, in order; at most one unless all seeds are run.
  public let failingSeeds: [UInt64]
}

/// Runs a scenario in many orders of its tasks, one for each seed, and stops at the first seed that
/// fails.
///
/// ```swift
/// explore(seeds: 1...1000, report: report) { run in
///   let store = TestStore(…, clock: run.clock, report: run.report)
///   …
/// }
/// ```
/// A run fails if a failure is reported to `run.report`, if `run.expect` fails, or if the scenario
/// throws. Each failure has the seed and the way to run only that seed: `explore(seeds: 17...17)`,
/// or the environment variable `SWIFTBOARD_SEED`, which makes every exploration and model test of
/// the process run only that seed.
///
/// - Parameters:
///   - seeds: The seeds to run, in this order.
///   - stopsAtFirst: Whether to stop at the first seed that fails. Otherwise all seeds are run, the
///     failures of the first failing seed are reported, and the message lists the other ones.
///   - report: Receives failures.
///   - scenario: The scenario. It must create everything anew in each run, and use `run.executor`
///     and `run.clock`.
/// - Complexity: One run of the scenario for each seed.
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
