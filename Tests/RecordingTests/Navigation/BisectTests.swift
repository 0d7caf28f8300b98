import SwiftBoardJSON
import Testing

@testable import SwiftBoardRecording

struct BisectTests {
  private func ones(_ steps: Int) throws -> LogNavigator<CounterReducer> {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .none))
    for _ in 0..<steps { session.send(.add(1)) }
    session.recorder.stop()
    return try TravelTests.navigator(sink.bytes)
  }

  @Test("every turning point of every length is found in logarithmically many evaluations")
  func everyTurningPointOfEveryLengthIsFoundInLogarithmicallyManyEvaluations() throws {
    for steps in 1...40 {
      let navigator = try ones(steps)
      let most = (Int.bitWidth - 1 - steps.leadingZeroBitCount) + 1
      for turn in 1...(steps + 1) {
        let found = try navigator.bisect { $0.count >= turn }
        #expect(found.step == (turn <= steps ? turn : nil))
        #expect(found.evaluations <= most, "\(steps) steps")
      }
    }
  }

  @Test("what holds from the beginning gives the first step")
  func whatHoldsFromTheBeginningGivesTheFirstStep() throws {
    #expect(try ones(9).bisect { _ in true }.step == 1)
  }

  @Test("a predicate that comes and goes needs the linear search")
  func aPredicateThatComesAndGoesNeedsTheLinearSearch() throws {
    let navigator = try ones(100)
    let found = try navigator.bisect(.linear) { $0.count == 17 || $0.count == 90 }
    #expect(found == LogBisection(step: 17, evaluations: 17))
    #expect(try navigator.bisect(.linear) { _ in false }.evaluations == 100)
  }

  @Test("what the predicate throws comes back") func whatThePredicateThrowsComesBack() throws {
    struct Refusal: Error {}
    let navigator = try ones(10)
    #expect(throws: Refusal.self) { try navigator.bisect { _ in throw Refusal() } }
    #expect(try navigator.state(at: 10).count == 10)
  }

  @Test("conditions find their step") func conditionsFindTheirStep() throws {
    let navigator = try TravelTests.navigator(try Session.example())
    func step(_ text: String, _ search: LogSearch = .halving) throws -> Int? {
      try navigator.bisect(search, where: try JSONCondition(parsing: text)).step
    }
    #expect(try step("count >= 8") == 5)
    #expect(try step("since exists") == 3)
    #expect(try step("rolls[2] exists") == 6)
    #expect(try step("rolls[1] == 101") == 2)
    #expect(try step("count == 1", .linear) == 4)
    #expect(try step("nothing exists") == nil)
  }
}
