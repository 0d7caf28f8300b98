import EggTimer
import SwiftBoardTesting
import XCTest

/// All that a target of XCTest needs.
let report = testReporter { XCTFail($0, file: $1, line: $2) }

final class EggTimerTests: XCTestCase {
  let clock = TestClock()

  func eggTimer(
    report: @escaping TestReporter = report, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line
  ) -> TestStore<EggTimer> {
    TestStore(
      initialState: EggTimer.State(), reducer: EggTimer(), clock: clock,
      dependencies: EggTimer.Kitchen(clock: clock), report: report, fileID: fileID,
      filePath: filePath, line: line)
  }

  func testAnEggTakesItsTime() {
    let store = eggTimer()
    store.send(.boil(minutes: 2), effects: [.run("minutes", id: "egg")]) { $0.minutesLeft = 2 }
    store.advance(by: .seconds(60))
    store.receive(.minutePassed) { $0.minutesLeft = 1 }
    store.advance(by: .seconds(60))
    store.receive(.minutePassed) {
      $0.minutesLeft = 0
      $0.isDone = true
    }
    store.finish()
  }

  func testTakingItOutStopsTheTimer() async {
    let store = eggTimer()
    let boiling = store.send(.boil(minutes: 9)) { $0.minutesLeft = 9 }
    store.advance(by: .seconds(60))
    store.receive(.minutePassed) { $0.minutesLeft = 8 }
    store.send(.takeOut) { $0.minutesLeft = 0 }
    await boiling.finishWhenReady()
    store.finish()
  }

  func testATimerNeverRunsBelowZero() {
    ModelTest(
      initialState: EggTimer.State(), reducer: EggTimer(),
      moves: [
        .send { _, random in .boil(minutes: .random(in: 1...5, using: &random)) },
        .send(.takeOut), .advance(weight: 3, by: .seconds(60)),
      ],
      invariants: [Invariant("minutes are never negative") { $0.minutesLeft >= 0 }]
    ) { run in EggTimer.Kitchen(clock: run.clock) }
    .check(report: report)
  }
}
