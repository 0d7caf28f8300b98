import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardStore

/// The machine against the rules, without concurrency: generated events go to both, and after each
/// they have to agree.
///
/// `SWIFTBOARD_SEQUENCES` sets how many sequences there are, `SWIFTBOARD_SEED` runs one seed alone.
@Suite("The machine against a naive model")
struct StoreMachineModelTests {
  static let length = 30
  /// Sequences are divided among tests, which run side by side.
  static let parts: UInt64 = 4

  static var seeds: ClosedRange<UInt64> {
    if let seed = number("SWIFTBOARD_SEED") { return seed...seed }
    return 1...max(1, number("SWIFTBOARD_SEQUENCES") ?? 2_000)
  }

  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  @Test(
    "R1 R2 R4 R5 R6 R7 R10 R11 generated sequences of events do what the rules say",
    arguments: 0..<parts)
  func sequences(part: UInt64) {
    for seed in Self.seeds where seed % Self.parts == part {
      let (scenario, difference) = MachineScenario.generated(seed: seed, length: Self.length)
      guard let difference else { continue }
      Issue.record("\(Self.report(seed, scenario, difference))")
      return
    }
  }

  private static func report(
    _ seed: UInt64, _ scenario: MachineScenario, _ difference: MachineComparison.Difference
  ) -> String {
    let shrunk = scenario.shrunk()
    let left = shrunk.difference(copies: 1) ?? difference
    return """
      Machine and model differ after \(shrunk.events.count) of \(scenario.events.count) events:
      \(left.text)
      \(shrunk)
      To run this seed alone: SWIFTBOARD_SEED=\(seed) in the environment.
      """
  }
}
