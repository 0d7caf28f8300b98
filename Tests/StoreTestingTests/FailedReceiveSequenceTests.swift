import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// The failures of tests whose lines are right but for one.
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

  @Test("the equal actions wait already", arguments: [Mistake.typo, .extra])
  func waiting(mistake: Mistake) {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(3))
    store.receive(.other)
    if mistake == .extra { store.receive(.tick) { $0.ticks = 1 } }
    store.assert { $0.ticks = 1 }
    store.receive(.tick) { $0.ticks = 2 }
    store.assert { $0.ticks = 2 }
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
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

  @Test("a line that fits a reported action and the next one leaves the next to a later line")
  func relativeChange() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(2))
    store.receive(.other)
    store.receive(.tick) { $0.ticks += 1 }
    store.assert { $0.ticks = 1 }
    store.receive(.tick) { $0.ticks += 1 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
  }

  @Test("an action that comes later than its line must be received")
  func late() {
    let store = store()
    store.receive(.tick) { $0.ticks = 1 }
    store.send(.start)
    store.advance(by: .seconds(1))
    store.assert { $0.ticks = 0 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.nothingReceived, .unreceivedActions])
  }

  /// Each number removes the last one of the state, or adds itself if there is none.
  private static let stack = Reduce<[Int], Int, Void> { state, action, _ in
    guard action >= 0 else { return [.run { send in for number in [1, 1, 2] { send(number) } }] }
    if state.isEmpty { state = [action] } else { state.removeLast() }
    return []
  }

  @Test("the closure of a line behind a wrong one gets the state before its own step only")
  func ownState() {
    for isExtra in [false, true] {
      let store = TestStore(initialState: [7], reducer: Self.stack, report: failures.report)
      store.send(-1)
      store.receive(isExtra ? 3 : 1) { $0 = [9] }
      if isExtra { store.receive(1) { $0.removeLast() } }
      store.receive(1) { $0.append($0.isEmpty ? 1 : 0) }
      store.receive(2) { $0.remove(at: 0) }
      store.finish()
    }
    #expect(failures.kinds == [.stateDiffers, .unexpectedAction])
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
    "a line is wrong, or there is one too many, and each action causes the next",
    arguments: ["xbcd", "xabcd"])
  func caused(lines: String) {
    let store = TestStore(initialState: "", reducer: Self.letters, report: failures.report)
    store.send("-") { $0 = "-" }
    let before: [Character: String] = ["a": "-", "b": "-a", "c": "-ab", "d": "-abc"]
    for letter in lines { store.receive(letter) { $0 = (before[letter] ?? "") + "\(letter)" } }
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
    #expect(store.state == "-abcd")
  }
}
