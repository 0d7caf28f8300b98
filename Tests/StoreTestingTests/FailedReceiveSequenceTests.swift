import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A test with one wrong line, whose other lines are right, fails at that line only.
@Suite("Correct lines behind a wrong one")
struct FailedReceiveSequenceTests {
  typealias Feature = FailedReceiveTests.Feature
  typealias State = FailedReceiveTests.State

  let failures = Failures()

  private func store() -> TestStore<Feature> {
    let clock = TestClock()
    return TestStore(
      initialState: State(), reducer: Feature(), clock: clock, dependencies: clock,
      report: failures.report)
  }

  enum Mistake: CaseIterable { case missing, misplacedSend, typo, extra }

  @Test(
    "of equal actions a line receives the one that it states, although an earlier one was reported",
    arguments: Mistake.allCases)
  func equalActions(mistake: Mistake) {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(1))
    switch mistake {
    case .missing, .misplacedSend: store.send(.other)
    case .typo, .extra: store.receive(.other)
    }
    store.advance(by: .seconds(1))
    if mistake == .extra || mistake == .misplacedSend { store.receive(.tick) { $0.ticks = 1 } }
    store.receive(.tick) { $0.ticks = 2 }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    let isSend = mistake == .missing || mistake == .misplacedSend
    #expect(failures.kinds == [isSend ? .unreceivedActions : .unexpectedAction])
  }

  @Test("a line is missing before one whose action is further back, and the next ones are like it")
  func missingBeforeEqual() {
    let store = store()
    store.send(.start)
    store.send(.go(1))
    store.advance(by: .seconds(1))
    let line = #line + 1
    store.receive(.tick) { $0.ticks = 1 }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 2 }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.lines == [line])
  }

  @Test("the equal actions wait already", arguments: [Mistake.missing, .typo, .extra])
  func waiting(mistake: Mistake) {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(3))
    if mistake != .missing { store.receive(.other) }
    if mistake == .extra { store.receive(.tick) { $0.ticks = 1 } }
    store.receive(.tick) { $0.ticks = 2 }
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [mistake == .missing ? .stateDiffers : .unexpectedAction])
  }

  @Test(
    "a line for an equal action is missing, there twice, wrong, or in the wrong place",
    arguments: [
      [2, 3, 4], [1, 3, 4], [1, 1, 2, 3, 4], [9, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3],
    ])
  func equalLines(ticks: [Int]) {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(4))
    for ticks in ticks { store.receive(.tick) { $0.ticks = ticks } }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.stateDiffers])
  }

  @Test("a line with a wrong state reduces no other action for the lines that do not receive one")
  func wrongStateAlone() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(2))
    store.receive(.tick) { $0.ticks = 9 }
    store.advance(by: .seconds(1))
    store.assert { $0.ticks = 1 }
    #expect(store.skipReceivedActions() == [.tick, .tick])
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.stateDiffers])
  }

  @Test("a line that fits a reported action and the next one leaves the other to a later line")
  func relativeChange() {
    for isExtra in [false, true] {
      let store = store()
      store.send(.start)
      store.advance(by: .seconds(1))
      store.receive(.other)
      store.advance(by: .seconds(1))
      store.receive(.tick) { $0.ticks += 1 }
      if isExtra { store.receive(.tick) { $0.ticks += 1 } }
      store.send(.stop)
      store.finish()
    }
    #expect(failures.kinds == [.unexpectedAction, .unexpectedAction])
  }

  @Test("the same steps again: their lines receive the later actions", arguments: [false, true])
  func again(isMissing: Bool) {
    let store = store()
    store.send(.go(1))
    if !isMissing { store.receive(.other) }
    store.send(.came(0)) { $0.number = 0 }
    store.send(.go(1))
    store.receive(.came(1)) { $0.number = 1 }
    store.send(.go(1))
    store.receive(.came(1))
    store.finish()
    #expect(failures.kinds == [isMissing ? .unreceivedActions : .unexpectedAction])
  }

  @Test("lines in the wrong order receive all that was reported", arguments: [false, true])
  func backwards(runs: Bool) {
    let store = store()
    store.send(.go(4))
    let line = #line + 1
    store.receive(.came(3)) { $0.number = 3 }
    if runs { store.run() }
    store.receive(.came(2)) { $0.number = 2 }
    store.receive(.came(1)) { $0.number = 1 }
    store.receive(.came(4)) { $0.number = 4 }
    store.finish()
    #expect(failures.lines == [line])
  }

  @Test("a step that may be meant is not received in place of a line that is missing")
  func missingBehindTypo() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(1))
    let line = #line + 1
    store.receive(.other)
    store.send(.go(1))
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 2 }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.lines == [line, line + 3])
    #expect(failures.kinds == [.unexpectedAction, .unexpectedAction])
  }

  /// Each letter causes the next one, up to `d`.
  private static let letters = Reduce<String, Character, Void> { state, action, _ in
    state.append(action)
    let next: [Character: Character] = ["-": "a", "a": "b", "b": "c", "c": "d"]
    return next[action].map { letter in [.task { letter }] } ?? []
  }

  @Test(
    "the expected action is one that the reported one causes, or is not",
    arguments: ["bcd", "bacd", "xbcd", "xabcd", "acbd"])
  func caused(lines: String) {
    let store = TestStore(initialState: "", reducer: Self.letters, report: failures.report)
    store.send("-") { $0 = "-" }
    let before: [Character: String] = ["a": "-", "b": "-a", "c": "-ab", "d": "-abc"]
    for letter in lines { store.receive(letter) { $0 = (before[letter] ?? "") + "\(letter)" } }
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
    #expect(store.state == "-abcd")
  }

  @Test("an action that comes later than its line needs no other line")
  func beforeAdvance() {
    let store = store()
    store.send(.start)
    store.receive(.tick) { $0.ticks = 1 }
    store.advance(by: .seconds(1))
    store.assert { $0.ticks = 1 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.nothingReceived])
  }

  @Test("a store that is not exhaustive: a line receives the action that it states")
  func nonExhaustive() {
    for isExtra in [false, true] {
      let clock = TestClock()
      let store = NonExhaustiveTestStore(
        initialState: State(), reducer: Feature(), clock: clock, dependencies: clock,
        report: failures.report)
      store.send(.start)
      store.advance(by: .seconds(2))
      store.receive(.other)
      if isExtra { store.receive(.tick) { $0.ticks = 1 } }
      store.receive(.tick) { $0.ticks = 2 }
      store.receive(.other)
      store.advance(by: .seconds(1))
      store.receive(.tick) { $0.ticks = 3 }
      store.finish()
    }
    #expect(failures.kinds == Array(repeating: .nothingReceived, count: 4))
  }
}
