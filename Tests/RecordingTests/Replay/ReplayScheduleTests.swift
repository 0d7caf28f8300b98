import SwiftBoardRecording
import Testing

/// When steps are due, without a clock.
struct ReplayScheduleTests {
  private static func moments(
    _ times: [Int64], speed: Double = 1, idleLimit: Duration? = nil
  ) throws -> [Duration] {
    var schedule = ReplaySchedule(try ReplayPace(speed: speed, idleLimit: idleLimit))
    return times.map { schedule.moment(of: $0) }
  }

  @Test("the first step is due at once and the others as they were")
  func theFirstStepIsDueAtOnceAndTheOthersAsTheyWere() throws {
    #expect(
      try Self.moments([5_000_000, 5_000_001, 7_500_000])
        == [.zero, .microseconds(1), .milliseconds(2500)])
    #expect(try Self.moments([]) == [])
  }

  @Test(
    "pauses are divided by the speed",
    arguments: [
      (2, [0, 50, 125]), (0.5, [0, 200, 500]), (1e300, [0, 0, 0]), (100, [0, 1, 2.5]),
    ] as [(Double, [Double])])
  func pausesAreDividedByTheSpeed(speed: Double, milliseconds: [Double]) throws {
    #expect(
      try Self.moments([0, 100_000, 250_000], speed: speed)
        == milliseconds.map { .milliseconds($0) })
  }

  @Test("what is rounded at one step is not added up")
  func noDrift() throws {
    var schedule = ReplaySchedule(try ReplayPace(speed: 3))
    for n in 0...1_000_000 {
      let moment = schedule.moment(of: 7 + Int64(n))
      // Thirds of microseconds: a pause rounded to nanoseconds would be a third of one too short,
      // at every step.
      let exact = (2 * n * 1000 + 3) / 6
      guard moment != .nanoseconds(exact) else { continue }
      Issue.record("step \(n) is due at \(moment)")
      return
    }
  }

  @Test("a long pause is cut as it is played and what follows keeps its pauses")
  func aLongPauseIsCutAsItIsPlayedAndWhatFollowsKeepsItsPauses() throws {
    // At twice the speed: 1 s, cut from 30 s to 2 s, 0.5 s, just 2 s.
    #expect(
      try Self.moments(
        [0, 2_000_000, 62_000_000, 63_000_000, 67_000_000], speed: 2, idleLimit: .seconds(2))
        == [.zero, .seconds(1), .seconds(3), .milliseconds(3500), .milliseconds(5500)])
  }

  @Test("a limit of nothing plays all at once") func aLimitOfNothingPlaysAllAtOnce() throws {
    #expect(
      try Self.moments([0, 1, 1_000_000, 1_000_000], idleLimit: .zero)
        == [.zero, .zero, .zero, .zero])
  }

  @Test("a step before the one before it is due with it")
  func aStepBeforeTheOneBeforeItIsDueWithIt() throws {
    #expect(
      try Self.moments([1_000_000, 3_000_000, 500_000, 700_000])
        == [.zero, .seconds(2), .seconds(2), .milliseconds(2200)])
  }

  @Test("no time and no speed is too great", arguments: [1, 1e-300, 1e300, 0.3])
  func extremes(speed: Double) throws {
    let moments = try Self.moments([.min, 0, .max, .min, .max], speed: speed)
    let longest = ReplayPace.longestPause
    if speed == 1e300 {
      #expect(moments.allSatisfy { $0 == .zero })
    } else {
      #expect(moments == [.zero, longest, longest * 2, longest * 2, longest * 3])
    }
    #expect(
      try Self.moments([0, .max], speed: speed, idleLimit: .seconds(Int64.max)).allSatisfy {
        $0 <= longest
      })
  }

  @Test("a speed is a number above 0", arguments: [0, -1, .nan, .infinity, -1e300] as [Double])
  func speeds(speed: Double) throws {
    let error = #expect(throws: ReplayError.self) { try ReplayPace(speed: speed) }
    #expect(error?.description == "a replay's speed is a number above 0, not \(speed)")
    #expect(error?.kind == "speed")
  }

  @Test("a limit is not negative") func aLimitIsNotNegative() {
    let error = #expect(throws: ReplayError.self) {
      try ReplayPace(idleLimit: .milliseconds(-1))
    }
    #expect(error?.kind == "idleLimit")
  }
}
