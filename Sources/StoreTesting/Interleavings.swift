/// Runs a scenario once for each seed, each time with an executor that orders ready tasks otherwise, and names the seed in every failure.
///
/// ```swift
/// exploreInterleavings(0..<100, report: report) { executor, report in
///   let store = TestStore(…, clock: TestClock(executor: executor), report: report)
///   …
/// }
/// ```
/// A seed that fails replays: run it alone. The scenario has to make everything anew each time.
public func exploreInterleavings(
  _ seeds: some Sequence<UInt64>, report: @escaping TestReporter,
  _ scenario: (_ executor: ManualExecutor, _ report: @escaping TestReporter) throws -> Void
) rethrows {
  for seed in seeds {
    try scenario(ManualExecutor(seed: seed)) { failure in
      report(
        TestFailure(
          kind: failure.kind, message: "\(failure.message)\n\nThis is the order of seed \(seed).",
          location: failure.location))
    }
  }
}
